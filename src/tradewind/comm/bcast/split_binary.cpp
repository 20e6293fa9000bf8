/// Split binary bcast: each half of the data travels down one half of a binary tree, and ranks of
/// the two halves exchange what they have.
///
///     p = 6           rank 0    1    2    3    4    5        (halves a b)
///     start           ab
///     stage 1         ab        a    b
///     stage 2         ab        a    b    a    b    a
///     stage 3         ab        ab   ab   ab   ab   ab       1 with 2, 3 with 4, 0 to 5
///
/// About log2 p + 1 stages of n/2 bytes, for long messages; p-1 messages down the tree and p-1 in
/// the exchange. Ranks are counted from the root. A message of a single byte is not split, and
/// travels down a chain, as one without bytes does. Open MPI (pjesivac2007).
#include <vector>

#include "tradewind/comm/bcast/algorithms.hpp"
#include "tradewind/comm/bcast/k_ary_tree.hpp"
#include "tradewind/comm/catalogue.hpp"
#include "tradewind/comm/root.hpp"

namespace tradewind {

namespace {

constexpr Bytes least_split = 2;

/// The messages of one rank, with ranks counted from the root.
struct SplitTree {
    Comm& comm;
    Bcast message;
    Rank rank;
    KAry tree;

    SplitTree(Comm& on, const Bcast& what)
        : comm(on),
          message(what),
          rank(relative(on.rank(), what.root, on.size())),
          tree(rank, on.size(), 2) {}
    /// Returns the half of the data that travels to a rank other than the root.
    [[nodiscard]] Buffer half(Rank of) const {
        const Bytes second = message.data.size() / 2;
        const Bytes first = message.data.size() - second;
        return of % 2 != 0 ? message.data.part(0, first) : message.data.part(first, second);
    }
    [[nodiscard]] Rank actual(Rank other) const noexcept {
        return absolute(other, message.root, comm.size());
    }
    /// Returns the rank that has the other half; that of the root is the one whose half no other
    /// rank but it can give, or the root itself if there is none.
    [[nodiscard]] Rank partner() const noexcept {
        const Rank last = comm.size() - 1;
        if (rank == 0) return last % 2 != 0 ? last : 0;
        if (rank % 2 == 0) return rank - 1;
        return rank == last ? 0 : rank + 1;
    }
};

Task split_and_send(Comm& comm, Bcast message) {
    const SplitTree split(comm, message);
    if (split.rank > 0) {
        const Rank parent = split.actual(split.tree.parent());
        co_await comm.recv(parent, split.half(split.rank), tags::bcast);
    }
    std::vector<Request> requests;
    split.tree.for_each_child([&](Rank child) {
        requests.push_back(comm.isend(split.actual(child), split.half(child), tags::bcast));
    });
    co_await comm.wait_all(requests);
    const Rank partner = split.partner();
    if (split.rank == 0 && partner != 0) {
        co_await comm.send(split.actual(partner), split.half(0), tags::bcast);
    } else if (split.rank != 0 && partner == 0) {
        co_await comm.recv(message.root, split.half(0), tags::bcast);
    } else if (split.rank != 0) {
        const Rank other = split.actual(partner);
        co_await comm.exchange(other, split.half(split.rank), other, split.half(partner),
                               tags::bcast);
    }
}

Task bcast_split_binary(Comm& comm, Bcast message, Options options) {
    require_root(comm, message.root, "bcast split_binary");
    if (message.data.size() < least_split) return bcast_chain(comm, message, options);
    return split_and_send(comm, message);
}

/// Returns the totals: each rank but the root gets both halves.
MessageTotals totals(Rank ranks, std::int64_t radix, Bytes bytes) {
    if (bytes < least_split) return bcast_tree_totals(ranks, radix, bytes);
    return {2 * (ranks - 1), (ranks - 1) * bytes};
}

}  // namespace

extern const BcastAlgorithm bcast_split_binary_entry;
constinit const BcastAlgorithm bcast_split_binary_entry = {
    .name = "split_binary",
    .summary = "halves down the two sides of a binary tree, then an exchange",
    .run = bcast_split_binary,
    .total = totals,
};

}  // namespace tradewind
