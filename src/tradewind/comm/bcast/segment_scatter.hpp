/// SegmentScatter: the first half of a bcast of segments: each rank gets its own one down a tree.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "tradewind/comm/bcast/bcast.hpp"
#include "tradewind/comm/bcast/knomial.hpp"
#include "tradewind/comm/catalogue.hpp"
#include "tradewind/comm/root.hpp"

namespace tradewind {

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
};

/// Scatters the segments down a binomial tree. A rank gets those of its subtree.
inline Task scatter_segments(Comm& comm, SegmentScatter scatter) {
    const Knomial tree(scatter.rank, comm.size(), 2);
    Request request = scatter.receive_own(tree);
    co_await comm.wait(request);
    std::vector<Request> requests = scatter.send_to_children(tree);
    co_await comm.wait_all(requests);
}

/// Returns the bytes of segments first, ..., end - 1 of a message for some ranks.
[[nodiscard]] constexpr Bytes segment_bytes(Rank first, Rank end, Rank ranks,
                                            Bytes bytes) noexcept {
    const Bytes segment = (bytes + ranks - 1) / ranks;
    return std::min(end * segment, bytes) - std::min(first * segment, bytes);
}

/// Returns the totals of the scatter: segment s makes one hop per binary one in s, and each rank
/// but the root gets one message, unless its own segment is empty.
[[nodiscard]] inline MessageTotals scatter_totals(Rank ranks, Bytes bytes) noexcept {
    MessageTotals sum;
    for (Rank s = 1; s < ranks; ++s) {
        const Bytes length = segment_bytes(s, s + 1, ranks, bytes);
        sum.bytes += std::popcount(std::uint64_t(s)) * length;
        if (length > 0) ++sum.messages;
    }
    return sum;
}

}  // namespace tradewind
