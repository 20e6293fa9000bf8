/// Rabenseifner's allreduce with near partners first: the halves, quarters, ... of the vector go to
/// the ranks at distance 1, 2, ...
///
///     p = 4           rank 0     rank 1     rank 2     rank 3       (segments 0 1 2 3; * reduced)
///     halving 1       01         23         01         23           with the rank at distance 1
///     halving 2       0*         2*         1*         3*           with the rank at distance 2
///     doubling 2      01*        23*        01*        23*
///     doubling 1      0123*      0123*      0123*      0123*
///
/// The longest messages stay within a node if it has several ranks. If p is not a power of two, the
/// first even ranks fold their vectors into the odd ranks behind them. Messages and bytes are those
/// of rabenseifner.cpp. It is the order of MPICH and of Open MPI (thakur2005).
#include "tradewind/comm/allreduce/halving.hpp"
#include "tradewind/comm/allreduce/pieces.hpp"
#include "tradewind/comm/allreduce/totals.hpp"
#include "tradewind/comm/paired_core.hpp"

namespace tradewind {

namespace {

Rank near_partner(Rank rank, int step, int /*levels*/) noexcept {
    return rank ^ (Rank{1} << step);
}
Rank near_position(Rank rank, int levels) noexcept {
    return mirrored(rank, Rank{1} << levels);
}
/// Returns the number of a rank: ranks that work in the core by their position, then the folded
/// ones.
Rank number_in_pairs(Rank rank, Rank ranks) noexcept {
    const PairedCore core(ranks);
    return core.is_folded(rank) ? core.size() + rank / 2 : core.position(rank);
}
Rank rank_in_pairs(Rank number, Rank ranks) noexcept {
    const PairedCore core(ranks);
    return number < core.size() ? core.worker(number) : 2 * (number - core.size());
}
constexpr Butterfly near_first{near_partner, near_position, number_in_pairs, rank_in_pairs};

Task allreduce_near_halving(Comm& comm, Allreduce vector, Options options) {
    require_whole_elements(vector, "allreduce near_halving");
    return allreduce_by_halving(comm, vector, options, near_first);
}

}  // namespace

extern const AllreduceAlgorithm allreduce_near_halving_entry;
constinit const AllreduceAlgorithm allreduce_near_halving_entry = {
    .name = "near_halving",
    .summary = "rabenseifner with near partners first",
    .run = allreduce_near_halving,
    .total = halving_totals,
    .has_protocols = true,
};

}  // namespace tradewind
