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
#include <algorithm>

#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/comm/allreduce/pieces.hpp"
#include "tradewind/comm/allreduce/totals.hpp"
#include "tradewind/comm/protocol/stages.hpp"

namespace tradewind {

namespace {

/// The stages of one rank, in each of which it passes on the segment that the one before has
/// brought, its own one first.
class RingStages {
public:
    static constexpr std::string_view operation = "allreduce ring";
    static constexpr Tag tag = tags::allreduce;

    RingStages(const Comm& comm, const Allreduce& vector)
        : reduction_(vector.reduction),
          rank_(comm.rank()),
          ranks_(comm.size()),
          segment_(rank_),
          segments_(vector, ranks_),
          arrived_(comm, vector.data, segments_.largest()) {}

    [[nodiscard]] bool is_over() const noexcept { return stage_ == 2 * (ranks_ - 1); }
    void next() noexcept {
        ++stage_;
        segment_ = left_of(segment_);
    }
    [[nodiscard]] MessagePair pair() const {
        const Rank right = rank_ == ranks_ - 1 ? 0 : rank_ + 1;
        return {right, segments_.part(segment_), left_of(rank_), reduces() ? arrival() : target(),
                shifts_first(rank_, 1)};
    }
    void finish(Comm& comm) const {
        if (reduces()) combine(comm, reduction_, arrival(), target());
    }

private:
    [[nodiscard]] bool reduces() const noexcept { return stage_ < ranks_ - 1; }
    [[nodiscard]] Rank left_of(Rank i) const noexcept { return i == 0 ? ranks_ - 1 : i - 1; }
    /// Returns the segment that the stage completes.
    [[nodiscard]] Buffer target() const noexcept { return segments_.part(left_of(segment_)); }
    /// Returns the memory for the left neighbour's part of it.
    [[nodiscard]] Buffer arrival() const noexcept { return arrived_.first(target().size()); }

    const Reduction& reduction_;
    Rank rank_;
    Rank ranks_;
    Rank segment_;
    Segments segments_;
    ArrivedVector arrived_;
    Rank stage_ = 0;
};

Task allreduce_ring(Comm& comm, Allreduce vector, Options options) {
    require_whole_elements(vector, "allreduce ring");
    return run_stages<RingStages>(comm, vector, options);
}

MessageTotals totals(Rank ranks, std::int64_t /*radix*/, std::int64_t length) {
    return {2 * (ranks - 1) * std::min(length, ranks), 2 * (ranks - 1) * length * word_bytes};
}

}  // namespace

extern const AllreduceAlgorithm allreduce_ring_entry;
constinit const AllreduceAlgorithm allreduce_ring_entry = {
    .name = "ring",
    .summary = "reduce-scatter and allgather round a ring",
    .run = allreduce_ring,
    .total = totals,
    .has_protocols = true,
};

extern const AllreduceAlgorithm allreduce_ringsum_entry;
constinit const AllreduceAlgorithm allreduce_ringsum_entry = {
    .name = "ringsum",
    .summary = "the ring: 2(P-1) SENDRECVs (worley1998)",
    .run = allreduce_ring,
    .total = totals,
    .has_protocols = true,
};

}  // namespace tradewind
