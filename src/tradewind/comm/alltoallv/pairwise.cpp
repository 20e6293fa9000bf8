/// Pairwise alltoallv: in every stage the ranks form pairs that swap their blocks.
///
///     p = 4       rank 0    rank 1    rank 2    rank 3
///     stage 1     <-> 1     <-> 0     <-> 3     <-> 2
///     stage 2     <-> 2     <-> 3     <-> 0     <-> 1
///     stage 3     <-> 3     <-> 2     <-> 1     <-> 0
///
/// Partner in stage s is rank xor s. Where p is not a power of two there are no such pairs: rank r
/// then sends to r+s and receives from r-s. p-1 stages of one message, n bytes per rank. The swaps
/// of PSTSWM's "swtrans" (worley1998).
#include <bit>

#include "tradewind/comm/alltoallv/algorithms.hpp"
#include "tradewind/comm/alltoallv/pieces.hpp"

namespace tradewind {

Task alltoallv_pairwise(Comm& comm, Alltoallv data, Options /*options*/) {
    const Rank p = comm.size();
    const Rank r = comm.rank();
    const bool swap = std::has_single_bit(static_cast<std::uint64_t>(p));
    copy_own_block(data, r);
    for (Rank s = 1; s < p; ++s) {
        const Request receive = receive_block(comm, data, swap ? r ^ s : before(r, s, p));
        const Request send = send_block(comm, data, swap ? r ^ s : after(r, s, p));
        co_await Transfer(comm, receive, send);
    }
}

}  // namespace tradewind
