/// Ring allreduce: partial sums of segments travel once round the ring, then the reduced segments
/// travel round it once more.
///
///     p = 3           rank 0       rank 1       rank 2     (segments 0 1 2; * reduced)
///     reduce 1        0 -> 1       1 -> 2       2 -> 0     each adds what arrives
///     reduce 2        2 -> 1       0 -> 2       1 -> 0     now rank r holds segment r+1
///     gather 1        1* -> 1      2* -> 2      0* -> 0
///     gather 2        0* -> 1      1* -> 2      2* -> 0
///
/// 2(p-1) messages and 2n(p-1)/p bytes per rank, all to the right neighbour. Segments are whole
/// elements; empty ones are not sent. Segment s is summed in the order of ranks s, s+1, ..., s-1,
/// so all ranks get the same bits. patarasuk2009; "ringsum" of PSTSWM (worley1998).
#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/comm/allreduce/pieces.hpp"
#include "tradewind/comm/protocol/exchange.hpp"

namespace tradewind {

Task allreduce_ring(Comm& comm, Allreduce vector, Options options) {
    require_whole_elements(vector, "allreduce ring");
    StagedExchange exchange(comm, options.delivery("allreduce ring"), tags::allreduce);
    const Rank p = comm.size();
    const Rank right = comm.rank() == p - 1 ? 0 : comm.rank() + 1;
    const Rank left = comm.rank() == 0 ? p - 1 : comm.rank() - 1;
    const Segments segments(vector, p);
    const Slots arrived(vector.data, segments.largest(), 1);
    Rank segment = comm.rank();
    for (Rank step = 0; step < 2 * (p - 1); ++step) {
        const Rank next = segment == 0 ? p - 1 : segment - 1;
        const Buffer target = segments.part(next);
        const bool reduces = step < p - 1;
        const Buffer in = reduces ? arrived[0].part(0, target.size()) : target;
        co_await exchange.sendrecv(right, segments.part(segment), left, in);
        if (reduces) combine(comm, vector.reduction, in, target);
        segment = next;
    }
}

}  // namespace tradewind
