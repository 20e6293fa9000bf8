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
#include <bit>

#include "tradewind/comm/allreduce/power_of_two.hpp"
#include "tradewind/comm/reduce/pieces.hpp"

namespace tradewind {

namespace {

/// The messages of one rank, with ranks counted from the root.
struct Halving {
    Comm& comm;
    Reduce vector;
    Rank rank;
    PowerOfTwo ends;
    Segments segments;
    ArrivedVector arrived;
    StagedExchange exchange;

    Halving(Comm& on, const Reduce& what)
        : comm(on),
          vector(what),
          rank(relative(on.rank(), what.root, on.size())),
          ends(rank, on.size()),
          segments({what.data, what.reduction}, ends.core()),
          arrived(on, what.data, longest_arrival()),
          exchange(on, {}, tags::reduce) {}

    [[nodiscard]] Rank actual(Rank other) const noexcept {
        return absolute(other, vector.root, comm.size());
    }
    /// Returns the `width` segments that contain that of `position` when they are halved.
    [[nodiscard]] Buffer half(Rank position, Rank width) const noexcept {
        return segments.part(position & -width, width);
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
        co_await own.exchange.send(own.actual(own.rank - core), own.vector.data);
    if (!own.ends.represents()) co_return;
    co_await own.exchange.recv(own.actual(own.rank + core), own.arrived.buffer());
    combine(comm, own.vector.reduction, own.arrived.buffer(), own.vector.data);
}

Task halve(Comm& comm, Halving& own) {
    for (Rank width = own.ends.core() / 2; width > 0; width /= 2) {
        const Rank partner = own.rank ^ width;
        const Buffer mine = own.half(own.rank, width);
        const Buffer in = own.arrived.first(mine.size());
        co_await own.exchange.swap(own.actual(partner), own.half(partner, width), in);
        combine(comm, own.vector.reduction, in, mine);
    }
}

Task reduce_rabenseifner(Comm& comm, Reduce vector, Options /*options*/) {
    require_reducible(comm, vector, "reduce rabenseifner");
    Halving own(comm, vector);
    co_await fold(comm, own);
    if (own.ends.is_extra()) co_return;
    co_await halve(comm, own);
    const Rank rank = own.rank;
    for (Rank width = 1; width < own.ends.core(); width *= 2) {
        if ((rank & width) != 0) {
            co_await own.exchange.send(own.actual(rank - width), own.segments.part(rank, width));
            co_return;
        }
        const Rank child = rank + width;
        co_await own.exchange.recv(own.actual(child), own.segments.part(child, width));
    }
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

}  // namespace tradewind
