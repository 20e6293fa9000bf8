/// Rabenseifner's allreduce: reduce-scatter by recursive halving, then allgather by recursive
/// doubling.
///
///     p = 4           rank 0     rank 1     rank 2     rank 3       (segments 0 1 2 3; * reduced)
///     halving 2       01         01         23         23           with the rank at distance 2
///     halving 1       0*         1*         2*         3*           with the rank at distance 1
///     doubling 1      01*        01*        23*        23*
///     doubling 2      0123*      0123*      0123*      0123*
///
/// 2 floor(log2 p) messages and 2n(p-1)/p bytes per rank. Where p is not a power of two, the ranks
/// beyond the largest one fold their vector into a rank of the core first and get the result last:
/// 2 more messages of n bytes. Segments are whole elements; empty ones do not travel. Each segment
/// is reduced on one rank: the same bits on all ranks. thakur2005; "halfsum" of PSTSWM
/// (worley1998).
#include <bit>

#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/comm/allreduce/pieces.hpp"
#include "tradewind/comm/protocol/exchange.hpp"

namespace tradewind {

namespace {

/// Stages in order: 0 folds, then `levels` halvings, `levels` doublings, and the last one returns.
struct Stages {
    Rank rank;
    Rank core;
    /// The core rank of an extra rank and the reverse; the own rank if there is none.
    Rank other;
    int levels;

    Stages(Rank own, Rank ranks) noexcept
        : rank(own),
          core(Rank(std::bit_floor(std::uint64_t(ranks)))),
          other(own >= core ? own - core : own + core),
          levels(std::countr_zero(std::uint64_t(core))) {
        if (other >= ranks) other = own;
    }
    [[nodiscard]] bool is_extra() const noexcept { return rank >= core; }
    [[nodiscard]] int last() const noexcept { return 2 * levels + 1; }
    [[nodiscard]] bool halves(int stage) const noexcept { return stage >= 1 && stage <= levels; }
    /// Distance of the partner in a halving or doubling stage.
    [[nodiscard]] Rank distance(int stage) const noexcept {
        return Rank{1} << (halves(stage) ? levels - stage : stage - levels - 1);
    }
};

MessagePair stage_pair(const Stages& stages, const Segments& segments, const Slots& arrived,
                       int stage) {
    const Rank r = stages.rank;
    if (stage == 0 || stage == stages.last()) {
        const Buffer all = segments.part(0, stages.core);
        if (stages.other == r) return {};
        const bool sends = stages.is_extra() == (stage == 0);
        if (sends) return {stages.other, all, stages.other, Buffer()};
        return {stages.other, ConstBuffer(), stages.other, stage == 0 ? arrived[0] : all};
    }
    if (stages.is_extra()) return {};
    const Rank distance = stages.distance(stage);
    const Rank partner = r ^ distance;
    const Buffer mine = segments.part(r & -distance, distance);
    const Buffer theirs = segments.part(partner & -distance, distance);
    const bool halves = stages.halves(stage);
    const Buffer in = halves ? arrived[0].part(0, mine.size()) : theirs;
    return {partner, halves ? theirs : mine, partner, in, swaps_first(r, partner)};
}

Transfer start(Comm& comm, const Stages& stages, const Segments& segments, const Slots& arrived,
               int stage) {
    return start(comm, stage_pair(stages, segments, arrived, stage), tags::allreduce);
}

Task exchange(Comm& comm, const Stages& stages, const Segments& segments, const Slots& arrived,
              int stage, Protocol protocol) {
    return exchange(comm, stage_pair(stages, segments, arrived, stage), protocol, tags::allreduce);
}

/// Bytes that arrive at most before they are combined.
Bytes largest_arrival(const Stages& stages, const Segments& segments) {
    if (stages.is_extra()) return 0;
    return segments.largest(stages.other == stages.rank ? stages.core / 2 : stages.core);
}

void combine(const Allreduce& vector, const Stages& stages, const Segments& segments,
             const Slots& arrived, int stage) {
    if (stages.is_extra() || (stage == 0 && stages.other == stages.rank)) return;
    if (stage == 0) return vector.reduction(arrived[0], segments.part(0, stages.core));
    if (!stages.halves(stage)) return;
    const Rank distance = stages.distance(stage);
    const Buffer mine = segments.part(stages.rank & -distance, distance);
    vector.reduction(arrived[0].part(0, mine.size()), mine);
}

}  // namespace

Task allreduce_rabenseifner(Comm& comm, Allreduce vector, Options options) {
    require_whole_elements(vector, "allreduce rabenseifner");
    const Stages stages(comm.rank(), comm.size());
    const Segments segments(vector, stages.core);
    const Slots arrived(vector.data, largest_arrival(stages, segments), 1);
    for (int stage = 0; stage <= stages.last(); ++stage) {
        if (options.protocol.is_default()) {
            co_await start(comm, stages, segments, arrived, stage);
        } else {
            co_await exchange(comm, stages, segments, arrived, stage, options.protocol);
        }
        combine(vector, stages, segments, arrived, stage);
    }
}

}  // namespace tradewind
