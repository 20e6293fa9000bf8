/// Scatter-doubling bcast: the root's data are cut into p segments, scattered down a tree, and
/// gathered by recursive doubling.
///
///     p = 4           rank 0    rank 1    rank 2    rank 3        (segments 0 1 2 3)
///     scatter 1       0123      -         23        -
///     scatter 2       0123      1         23        3
///     doubling 1      0123      01        23        23
///     doubling 2      0123      0123      0123      0123
///
/// 2 log2 p stages, about 2n(p-1)/p bytes per rank, for messages of medium length. If p is not a
/// power of two, the ranks whose partner does not exist get its segments from ranks beside them:
/// at most log2 p stages more in each doubling. Ranks are counted from the root; the last segments
/// may be shorter or empty, and empty messages are not sent. thakur2005.
#include <algorithm>

#include "tradewind/comm/bcast/segment_scatter.hpp"

namespace tradewind {

namespace {

/// The partners of a rank in the doubling at a distance.
struct Doubling {
    Rank rank;
    Rank ranks;
    Rank distance;

    [[nodiscard]] Rank partner() const noexcept { return rank ^ distance; }
    /// Returns the first rank of the group that has the same segments before the doubling.
    [[nodiscard]] Rank first() const noexcept { return rank & -distance; }
    [[nodiscard]] Rank partners_first() const noexcept { return partner() & -distance; }
    /// Returns how many ranks of the group have a partner.
    [[nodiscard]] Rank served() const noexcept {
        return std::clamp(ranks - partners_first(), Rank{0}, distance);
    }
    /// Reports whether the rank sends the partners' segments to the rank `step` further, which has
    /// no partner.
    [[nodiscard]] bool passes_on(Rank step) const noexcept {
        const Rank place = rank % (2 * step);
        return place < step && place < served() && place + step >= served();
    }
    /// Reports whether it gets them from the rank `step` before.
    [[nodiscard]] bool is_passed(Rank step) const noexcept {
        return rank % (2 * step) >= step && Doubling{rank - step, ranks, distance}.passes_on(step);
    }
    [[nodiscard]] bool is_complete() const noexcept {
        return served() == 0 || served() == distance;
    }
};

Task gather_by_doubling(Comm& comm, SegmentScatter own) {
    const Rank p = comm.size();
    for (Rank distance = 1; distance < p; distance *= 2) {
        const Doubling doubling{own.rank, p, distance};
        const Rank end = std::min(doubling.partners_first() + distance, p);
        const Rank own_end = std::min(doubling.first() + distance, p);
        if (doubling.partner() < p) {
            // What a rank has already, as ranks of a large subtree do, comes once more.
            const Buffer theirs = own.segments(doubling.partners_first(), end);
            const Buffer mine = own.segments(doubling.first(), own_end);
            const Request in = own.receive(doubling.partner(), theirs);
            const Request out = own.send(doubling.partner(), mine);
            Transfer both(comm, {in, out});
            co_await both;
        }
        if (doubling.is_complete()) continue;
        const Buffer theirs = own.segments(doubling.partners_first(), end);
        for (Rank step = distance / 2; step > 0; step /= 2) {
            if (doubling.passes_on(step)) {
                Request out = own.send(own.rank + step, theirs);
                co_await comm.wait(out);
            } else if (doubling.is_passed(step)) {
                Request in = own.receive(own.rank - step, theirs);
                co_await comm.wait(in);
            }
        }
    }
}

Task bcast_scatter_doubling(Comm& comm, Bcast message, Options /*options*/) {
    require_root(comm, message.root, "bcast scatter_doubling");
    const SegmentScatter scatter(comm, message);
    co_await scatter_segments(comm, scatter);
    co_await gather_by_doubling(comm, scatter);
}

/// Returns the totals of the scatter and of the doublings.
MessageTotals totals(Rank ranks, std::int64_t /*radix*/, Bytes bytes) {
    MessageTotals sum = scatter_totals(ranks, bytes);
    const auto send = [&sum](Bytes size) {
        if (size > 0) sum.add(size);
    };
    for (Rank distance = 1; distance < ranks; distance *= 2) {
        for (Rank rank = 0; rank < ranks; ++rank) {
            const Doubling own{rank, ranks, distance};
            const Rank first = own.partners_first();
            const Bytes theirs =
                segment_bytes(first, std::min(first + distance, ranks), ranks, bytes);
            if (own.partner() < ranks) send(theirs);
            for (Rank step = distance / 2; step > 0 && !own.is_complete(); step /= 2) {
                if (own.is_passed(step)) send(theirs);
            }
        }
    }
    return sum;
}

}  // namespace

extern const BcastAlgorithm bcast_scatter_doubling_entry;
constinit const BcastAlgorithm bcast_scatter_doubling_entry = {
    .name = "scatter_doubling",
    .summary = "binomial scatter of segments, allgather by recursive doubling",
    .run = bcast_scatter_doubling,
    .total = totals,
};

}  // namespace tradewind
