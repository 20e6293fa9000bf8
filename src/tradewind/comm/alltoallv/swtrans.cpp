/// Swap transposition: the pairs of a hypercube of 2^d ranks swap their blocks; some of those ranks
/// may not exist.
///
///     p = 3       rank 0    rank 1    rank 2
///     stage 1     <-> 1     <-> 0     -
///     stage 2     <-> 2     -         <-> 0
///     stage 3     -         <-> 2     <-> 1
///
/// The partner in stage s is rank xor s; 2^ceil(log2 p) - 1 stages, in which each rank sends p-1
/// messages, n bytes in total. It uses only SWAPs: "swtrans" of PSTSWM (worley1998, section 6); the
/// padding for p that are not powers of two is an addition.
#include <bit>

#include "tradewind/comm/alltoallv/algorithms.hpp"
#include "tradewind/comm/alltoallv/staged.hpp"
#include "tradewind/comm/alltoallv/totals.hpp"

namespace tradewind {

namespace {

MessagePair swap_stage(const Comm& comm, const Alltoallv& data, Rank stage) {
    const Rank partner = comm.rank() ^ stage;
    return partner < comm.size() ? swap_blocks(comm, data, partner) : MessagePair{};
}

Task alltoallv_swtrans(Comm& comm, Alltoallv data, Options options) {
    const auto padded = Rank(std::bit_ceil(static_cast<std::uint64_t>(comm.size())));
    return run_stages<AlltoallvStages<swap_stage>>(comm, data, options, padded - 1);
}

}  // namespace

extern const AlltoallvAlgorithm alltoallv_swtrans_entry;
constinit const AlltoallvAlgorithm alltoallv_swtrans_entry = {
    .name = "swtrans",
    .summary = "P-1 SWAPs with rank xor i (worley1998)",
    .run = alltoallv_swtrans,
    .total = direct_totals,
    .has_protocols = true,
};

}  // namespace tradewind
