/// Scatter-allgather bcast: the root's data are cut into p segments, scattered down a tree, and
/// passed round a ring.
///
///     p = 4           rank 0    rank 1    rank 2    rank 3        (segments 0 1 2 3)
///     scatter 1       0123      -         23        -
///     scatter 2       0123      1         23        3
///     ring 1          0123      01        123       23
///     ring 2          0123      013       0123      123
///     ring 3          0123      0123      0123      0123
///
/// ceil(log2 p) + p-1 stages, about 2n(p-1)/p bytes per rank, for long messages. Ranks are counted
/// from the root; the last segments may be shorter or empty, and empty messages are not sent. van
/// de Geijn (barnett1994), thakur2005.
#include "tradewind/comm/bcast/segment_scatter.hpp"

namespace tradewind {

namespace {

/// Runs one step of the ring: sends `segment` to the right and receives `next` from the left; the
/// root receives nothing, and the last rank sends nothing.
[[nodiscard]] Transfer pass_on(const SegmentScatter& own, Rank segment, Rank next) {
    const bool last = own.rank == own.comm.size() - 1;
    const Request in =
        own.rank == 0 ? Request{} : own.receive(own.rank - 1, own.segments(next, next + 1));
    const Request out =
        last ? Request{} : own.send(own.rank + 1, own.segments(segment, segment + 1));
    return Transfer(own.comm, {in, out});
}

Task bcast_scatter_allgather(Comm& comm, Bcast message, Options /*options*/) {
    require_root(comm, message.root, "bcast scatter_allgather");
    const SegmentScatter scatter(comm, message);
    const Rank p = comm.size();
    co_await scatter_segments(comm, scatter);
    Rank segment = scatter.rank;
    for (Rank step = 1; step < p; ++step) {
        const Rank next = segment == 0 ? p - 1 : segment - 1;
        co_await pass_on(scatter, segment, next);
        segment = next;
    }
}

/// Returns the totals of the scatter and of the ring, in which each segment is sent once to every
/// rank but the root and its own.
MessageTotals totals(Rank ranks, std::int64_t /*radix*/, Bytes bytes) {
    MessageTotals sum = scatter_totals(ranks, bytes);
    for (Rank s = 0; s < ranks; ++s) {
        const Bytes length = segment_bytes(s, s + 1, ranks, bytes);
        const std::int64_t hops = s == 0 ? ranks - 1 : ranks - 2;
        if (length > 0) sum = sum + MessageTotals{hops, hops * length};
    }
    return sum;
}

}  // namespace

extern const BcastAlgorithm bcast_scatter_allgather_entry;
constinit const BcastAlgorithm bcast_scatter_allgather_entry = {
    .name = "scatter_allgather",
    .summary = "binomial scatter of segments, ring allgather",
    .run = bcast_scatter_allgather,
    .total = totals,
};

}  // namespace tradewind
