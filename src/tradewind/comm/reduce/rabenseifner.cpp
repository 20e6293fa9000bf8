/// Rabenseifner's reduce: reduce-scatter by recursive halving, then a gather to the root up a
/// binomial tree.
///
///     p = 4           rank 0     rank 1     rank 2     rank 3       (segments 0 1 2 3; * reduced)
///     halving 2       01         01         23         23           with the rank at distance 2
///     halving 1       0*         1*         2*         3*           with the rank at distance 1
///     gather 1        01*        -          23*        -            from the rank at distance 1
///     gather 2        0123*      -          -          -            from the rank at distance 2
///
/// A rank sends at most floor(log2 p) + 1 messages and 1.5 n bytes; for long vectors. Ranks are
/// counted from the root; those beyond the largest power of two fold their vector into another rank
/// first: one message of n bytes each. Segments are whole elements; empty ones are not sent.
/// thakur2005.
///
/// `near_halving` exchanges with the ranks at distance 1, 2, ... in turn, as MPICH does, so that
/// the longest messages stay within a node that has several ranks. Odd ranks fold into the even
/// ranks before them.
#include <bit>

#include "tradewind/comm/allreduce/power_of_two.hpp"
#include "tradewind/comm/paired_core.hpp"
#include "tradewind/comm/reduce/pieces.hpp"

namespace tradewind {

namespace {

/// The order in which ranks exchange. All four functions leave rank 0 where it is.
struct HalvingOrder {
    /// Returns the number of a rank, and the rank of a number. Numbers beyond the largest power of
    /// two are folded into those from 0 on.
    Rank (*number)(Rank rank, Rank ranks) noexcept;
    Rank (*rank)(Rank number, Rank ranks) noexcept;
    /// Returns the position of a number below `core`, or the number of a position: that of its
    /// segment. Ranks exchange in the order of the bits of the positions, the highest one first.
    Rank (*position)(Rank number, Rank core) noexcept;
};

/// The messages of one rank, with ranks counted from the root.
struct Halving {
    Comm& comm;
    Reduce vector;
    const HalvingOrder& order;
    Rank number;
    PowerOfTwo ends;
    Rank position;
    Segments segments;
    ArrivedVector arrived;
    StagedExchange exchange;

    Halving(Comm& on, const Reduce& what, const HalvingOrder& in)
        : comm(on),
          vector(what),
          order(in),
          number(in.number(relative(on.rank(), what.root, on.size()), on.size())),
          ends(number, on.size()),
          position(ends.is_extra() ? 0 : in.position(number, ends.core())),
          segments({what.data, what.reduction}, ends.core()),
          arrived(on, what.data, longest_arrival()),
          exchange(on, {}, tags::reduce) {}

    [[nodiscard]] Rank actual(Rank other_number) const noexcept {
        return absolute(order.rank(other_number, comm.size()), vector.root, comm.size());
    }
    [[nodiscard]] Rank at(Rank other_position) const noexcept {
        return actual(order.position(other_position, ends.core()));
    }
    /// Returns the `width` segments that contain that of a position when they are halved.
    [[nodiscard]] Buffer half(Rank of, Rank width) const noexcept {
        return segments.part(of & -width, width);
    }
    /// Returns the largest number of bytes that arrive before they are combined.
    [[nodiscard]] Bytes longest_arrival() const noexcept {
        if (ends.is_extra()) return 0;
        return ends.represents() ? vector.data.size() : segments.largest(ends.core() / 2);
    }
};

Task fold(Comm& comm, Halving& own) {
    const Rank core = own.ends.core();
    if (own.ends.is_extra())
        co_await own.exchange.send(own.actual(own.number - core), own.vector.data);
    if (!own.ends.represents()) co_return;
    co_await own.exchange.recv(own.actual(own.number + core), own.arrived.buffer());
    combine(comm, own.vector.reduction, own.arrived.buffer(), own.vector.data);
}

Task halve(Comm& comm, Halving& own) {
    for (Rank width = own.ends.core() / 2; width > 0; width /= 2) {
        const Rank partner = own.position ^ width;
        const Buffer mine = own.half(own.position, width);
        const Buffer in = own.arrived.first(mine.size());
        co_await own.exchange.swap(own.at(partner), own.half(partner, width), in);
        combine(comm, own.vector.reduction, in, mine);
    }
}

Task reduce_by_halving(Comm& comm, Reduce vector, const HalvingOrder& order) {
    Halving own(comm, vector, order);
    co_await fold(comm, own);
    if (own.ends.is_extra()) co_return;
    co_await halve(comm, own);
    const Rank position = own.position;
    for (Rank width = 1; width < own.ends.core(); width *= 2) {
        if ((position & width) != 0) {
            co_await own.exchange.send(own.at(position - width),
                                       own.segments.part(position, width));
            co_return;
        }
        const Rank child = position + width;
        co_await own.exchange.recv(own.at(child), own.segments.part(child, width));
    }
}

Rank same(Rank rank, Rank /*ranks*/) noexcept {
    return rank;
}
constexpr HalvingOrder far_first{same, same, same};

Task reduce_rabenseifner(Comm& comm, Reduce vector, Options /*options*/) {
    require_reducible(comm, vector, "reduce rabenseifner");
    return reduce_by_halving(comm, vector, far_first);
}

/// Returns the number of a rank: odd ranks that are folded into the even ones before them come
/// last.
Rank number_in_pairs(Rank rank, Rank ranks) noexcept {
    const PairedCore core(ranks);
    const bool is_folded = core.is_in_pair(rank) && rank % 2 != 0;
    return is_folded ? core.size() + rank / 2 : core.position(rank);
}
Rank rank_in_pairs(Rank number, Rank ranks) noexcept {
    const PairedCore core(ranks);
    return number < core.size() ? core.first(number) : 2 * (number - core.size()) + 1;
}
constexpr HalvingOrder near_first{number_in_pairs, rank_in_pairs, mirrored};

Task reduce_near_halving(Comm& comm, Reduce vector, Options /*options*/) {
    require_reducible(comm, vector, "reduce near_halving");
    return reduce_by_halving(comm, vector, near_first);
}

/// Returns the totals of the folds, of each halving, in which a rank keeps `width` segments, and of
/// the gather, in which segment s makes one hop per binary one in s. Parts of the vector that begin
/// behind its last element are not sent.
MessageTotals totals(Rank ranks, std::int64_t /*radix*/, std::int64_t length) {
    if (length == 0) return {};
    const Rank core = Rank(std::bit_floor(std::uint64_t(ranks)));
    const Rank filled = std::min(length, core);
    MessageTotals sum{ranks - core, (ranks - 1) * length * word_bytes};
    for (Rank width = 1; width < core; width *= 2) {
        const Rank parts = (filled + width - 1) / width;
        sum.messages += width * parts + parts / 2;
    }
    for (Rank s = 0; s < filled; ++s) {
        const std::int64_t elements = length / core + (s < length % core ? 1 : 0);
        sum.bytes += std::popcount(std::uint64_t(s)) * elements * word_bytes;
    }
    return sum;
}

}  // namespace

extern const ReduceAlgorithm reduce_rabenseifner_entry;
constinit const ReduceAlgorithm reduce_rabenseifner_entry = {
    .name = "rabenseifner",
    .summary = "reduce-scatter by halving, gather up a binomial tree",
    .run = reduce_rabenseifner,
    .total = totals,
};

extern const ReduceAlgorithm reduce_near_halving_entry;
constinit const ReduceAlgorithm reduce_near_halving_entry = {
    .name = "near_halving",
    .summary = "rabenseifner with near partners first",
    .run = reduce_near_halving,
    .total = totals,
};

}  // namespace tradewind
