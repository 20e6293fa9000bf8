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
#include <algorithm>
#include <bit>
#include <vector>

#include "tradewind/comm/bcast/algorithms.hpp"
#include "tradewind/comm/bcast/knomial.hpp"
#include "tradewind/comm/catalogue.hpp"
#include "tradewind/comm/root.hpp"

namespace tradewind {

namespace {

/// The messages of one rank, with ranks and segments counted from the root.
struct SegmentScatter {
    Comm& comm;
    Bcast message;
    Rank rank;
    Bytes segment_size;

    SegmentScatter(Comm& on, const Bcast& what)
        : comm(on),
          message(what),
          rank(relative(on.rank(), what.root, on.size())),
          segment_size((what.data.size() + on.size() - 1) / on.size()) {}
    [[nodiscard]] Buffer segments(Rank first, Rank end) const {
        const Bytes begin = std::min(first * segment_size, message.data.size());
        return message.data.part(begin, std::min(end * segment_size, message.data.size()) - begin);
    }
    [[nodiscard]] Request send(Rank to, Buffer part) const {
        if (part.size() == 0) return Request{};
        return comm.isend(absolute(to, message.root, comm.size()), part, tags::bcast);
    }
    [[nodiscard]] Request receive(Rank from, Buffer part) const {
        if (part.size() == 0) return Request{};
        return comm.irecv(absolute(from, message.root, comm.size()), part, tags::bcast);
    }
    /// Receives the segments of this rank's subtree from its parent. They are contiguous, since the
    /// ranks of a subtree follow its root without a gap.
    [[nodiscard]] Request receive_own(const Knomial& tree) const {
        if (rank == 0) return Request{};
        return receive(tree.parent(), segments(rank, std::min(rank + tree.top(), comm.size())));
    }
    [[nodiscard]] std::vector<Request> send_to_children(const Knomial& tree) const {
        std::vector<Request> requests;
        for (Rank weight = tree.top() / 2; weight > 0; weight /= 2) {
            if (tree.children(weight) == 0) continue;
            const Rank child = rank + weight;
            requests.push_back(send(child, segments(child, std::min(child + weight, comm.size()))));
        }
        return requests;
    }
    /// Runs one step of the ring: sends `segment` to the right and receives `next` from the left;
    /// the root receives nothing, and the last rank sends nothing.
    [[nodiscard]] Transfer pass_on(Rank segment, Rank next) const {
        const bool last = rank == comm.size() - 1;
        const Request in = rank == 0 ? Request{} : receive(rank - 1, segments(next, next + 1));
        const Request out = last ? Request{} : send(rank + 1, segments(segment, segment + 1));
        return Transfer(comm, {in, out});
    }
};

Task bcast_scatter_allgather(Comm& comm, Bcast message, Options /*options*/) {
    require_root(comm, message.root, "bcast scatter_allgather");
    const SegmentScatter scatter(comm, message);
    const Rank p = comm.size();
    {
        const Knomial tree(scatter.rank, p, 2);
        Request request = scatter.receive_own(tree);
        co_await comm.wait(request);
        std::vector<Request> requests = scatter.send_to_children(tree);
        co_await comm.wait_all(requests);
    }
    Rank segment = scatter.rank;
    for (Rank step = 1; step < p; ++step) {
        const Rank next = segment == 0 ? p - 1 : segment - 1;
        co_await scatter.pass_on(segment, next);
        segment = next;
    }
}

/// Returns the totals of all segments: segment s makes one hop per binary one in s, and is then
/// sent once to every rank but the root and rank s.
MessageTotals totals(Rank ranks, std::int64_t /*radix*/, Bytes bytes) {
    const Bytes segment = (bytes + ranks - 1) / ranks;
    MessageTotals sum;
    for (Rank s = 0; s * segment < bytes; ++s) {
        const Bytes length = std::min(segment, bytes - s * segment);
        const std::int64_t ring_hops = s == 0 ? ranks - 1 : ranks - 2;
        sum.messages += ring_hops + (s == 0 ? 0 : 1);
        sum.bytes += (ring_hops + std::popcount(std::uint64_t(s))) * length;
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
