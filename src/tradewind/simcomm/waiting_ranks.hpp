/// WaitingRanks: the ranks that have not finished although nothing is under way, for people.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tradewind/sim/kernel/process_group.hpp"

namespace tradewind::simcomm {

class WaitingRanks {
public:
    /// Adds a rank; ranks come in ascending order.
    void add(std::size_t rank, const std::string& waits_for);
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    /// Adds the ranks of all processes, on all of them.
    void join(sim::ProcessGroup& group);
    /// Returns the message that, of `ranks`, these wait. It names them all. Of more than most_named
    /// it names the first few, and says how many wait for the same, with the first of these.
    [[nodiscard]] std::string complaint(std::size_t ranks) const;

private:
    static constexpr std::size_t most_named = 64;
    static constexpr std::size_t few = 8;
    static constexpr std::size_t most_reasons = 4;
    struct Named {
        std::size_t rank;
        std::string waits_for;
    };

    /// Ranks that wait for the same, but for other ranks and tags.
    struct Alike {
        std::size_t count = 0;
        std::size_t first = 0;
    };
    void count_alike(const std::string& reason, const Alike& ranks);
    [[nodiscard]] std::string reasons() const;

    std::size_t count_ = 0;
    std::vector<Named> named_;
    std::map<std::string, Alike, std::less<>> alike_;
};

}  // namespace tradewind::simcomm
