/// Pairwise alltoallv: in every stage the ranks form pairs that swap their blocks.
///
///     p = 4       rank 0    rank 1    rank 2    rank 3
///     stage 1     <-> 1     <-> 0     <-> 3     <-> 2
///     stage 2     <-> 2     <-> 3     <-> 0     <-> 1
///     stage 3     <-> 3     <-> 2     <-> 1     <-> 0
///
/// The partner in stage s is rank xor s. If p is not a power of two there are no such pairs: rank r
/// then sends to r+s and receives from r-s. p-1 stages of one message, n bytes per rank.
/// thakur2005; swtrans (worley1998) keeps the swaps for all p.
#include <bit>

#include "tradewind/comm/alltoallv/algorithms.hpp"
#include "tradewind/comm/alltoallv/staged.hpp"
#include "tradewind/comm/alltoallv/totals.hpp"

namespace tradewind {

namespace {

MessagePair swap_stage(const Comm& comm, const Alltoallv& data, Rank stage) {
    return swap_blocks(comm, data, comm.rank() ^ stage);
}

Task alltoallv_pairwise(Comm& comm, Alltoallv data, Options options) {
    const Rank p = comm.size();
    const bool swaps = std::has_single_bit(static_cast<std::uint64_t>(p));
    return swaps ? run_stages<AlltoallvStages<swap_stage>>(comm, data, options, p - 1)
                 : run_stages<AlltoallvStages<shift_blocks>>(comm, data, options, p - 1);
}

}  // namespace

extern const AlltoallvAlgorithm alltoallv_pairwise_entry;
constinit const AlltoallvAlgorithm alltoallv_pairwise_entry = {
    .name = "pairwise",
    .summary = "one partner per stage, by exclusive or if P is a power of two",
    .run = alltoallv_pairwise,
    .total = direct_totals,
    .has_protocols = true,
};

}  // namespace tradewind
