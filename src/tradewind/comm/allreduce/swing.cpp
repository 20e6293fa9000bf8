/// Swing allreduce: reduce-scatter and allgather as in Rabenseifner's algorithm, but the partners
/// of the long messages are near: distances 1, 1, 3, 5, 11, ... to alternating sides of a ring of
/// ranks.
///
///     p = 8           even r with    odd r with     bytes
///     halving 1       r + 1          r - 1          n/2
///     halving 2       r - 1          r + 1          n/4
///     halving 3       r + 3          r - 3          n/8
///     doubling        the same, backwards
///
/// 2 floor(log2 p) messages and 2n(p-1)/p bytes per rank, on tori over shorter paths than with
/// distances p/2, p/4, ...; ranks beyond a power of two fold as in rabenseifner. The steps that
/// lead from rank 0 to a rank determine the segment that it reduces; each segment is reduced on one
/// rank, so all ranks get the same bits. desensi2024.
#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/comm/allreduce/halving.hpp"
#include "tradewind/comm/allreduce/pieces.hpp"
#include "tradewind/comm/allreduce/totals.hpp"
#include "tradewind/comm/negabinary.hpp"

namespace tradewind {

namespace {

Rank partner(Rank rank, int step, int levels) noexcept {
    return Negabinary(levels).partner(rank, step);
}

/// Returns the position, whose highest bit is that of the first step: the ranks that the first step
/// reaches are the upper half.
Rank position(Rank rank, int levels) noexcept {
    std::uint64_t steps = Negabinary(levels).rising(rank);
    Rank position = 0;
    for (int i = 0; i < levels; ++i, steps >>= 1U) position = 2 * position + Rank(steps & 1U);
    return position;
}

constexpr Butterfly swing{partner, position};

Task allreduce_swing(Comm& comm, Allreduce vector, Options options) {
    require_whole_elements(vector, "allreduce swing");
    return allreduce_by_halving(comm, vector, options, swing);
}

}  // namespace

extern const AllreduceAlgorithm allreduce_swing_entry;
constinit const AllreduceAlgorithm allreduce_swing_entry = {
    .name = "swing",
    .summary = "rabenseifner with near partners for long messages (desensi2024)",
    .run = allreduce_swing,
    .total = halving_totals,
    .has_protocols = true,
};

}  // namespace tradewind
