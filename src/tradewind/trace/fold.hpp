/// StreamFolder: folds the calls of one rank into nested loops while they are added.
///
///     a b b c a b b c a b b c      3 x (a 2 x (b) c)
///
/// After each call the folder looks for a run of nodes at the end that repeats the run before it,
/// or the body of the loop before it. The times of all turns of a loop are summed, call by call.
/// Regions of a trace that do not repeat stay as they are. ScalaTrace (noeth2009) calls
/// such loops regular section descriptors.
#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "tradewind/base/units.hpp"

namespace tradewind::trace {

/// The times of a call in all turns of the loops around it.
struct SummedTimes {
    Picoseconds computed = 0;
    Picoseconds processor = 0;
    Picoseconds inside = 0;
    Picoseconds inside_min = std::numeric_limits<Picoseconds>::max();
    Picoseconds inside_max = 0;
    std::int64_t turns = 1;
    /// The differences of the processor time of each turn from the mean of those before, summed.
    Picoseconds deviation = 0;

    void add(const SummedTimes& other) noexcept;
};

/// A call, or a loop over a body.
struct FoldedNode {
    /// The event, or minus the number of turns.
    std::int64_t value = 0;
    std::uint64_t hash = 0;
    /// Equal events from different places of the program are not turns of one loop.
    std::int64_t place = 0;
    SummedTimes times;
    std::vector<FoldedNode> body;

    [[nodiscard]] bool is_loop() const noexcept { return value < 0; }
};

class StreamFolder {
public:
    void add(std::int64_t event, const SummedTimes& times, std::int64_t place = 0);
    /// Returns the nodes of the calls added so far.
    [[nodiscard]] const std::vector<FoldedNode>& nodes() const noexcept { return nodes_; }

private:
    using Index = std::size_t;

    void push(FoldedNode node);
    /// Takes off the last node.
    FoldedNode pop();
    /// Folds a run at the end, if it repeats what is before it.
    [[nodiscard]] bool fold();
    [[nodiscard]] bool fold_into_loop(Index loop);
    [[nodiscard]] bool fold_pair(Index last_of_first);
    /// Returns the hash of the nodes from `first` to the one before `end`.
    [[nodiscard]] std::uint64_t hash_of(Index first, Index end) const;

    std::vector<FoldedNode> nodes_;
    /// The hash of the first i nodes, and the i-th power of its base.
    std::vector<std::uint64_t> prefix_{0};
    std::vector<std::uint64_t> power_{1};
    /// The places of the nodes with a hash, and of the loops whose body ends with such a node.
    std::unordered_map<std::uint64_t, std::vector<Index>> places_;
    std::unordered_map<std::uint64_t, std::vector<Index>> loops_ending_;
};

/// Appends value and length of each item of the nodes to `items`, and their times in that order.
void flatten(const std::vector<FoldedNode>& nodes, std::vector<std::int64_t>& items,
             std::vector<SummedTimes>& times);

}  // namespace tradewind::trace
