/// Allreduce by halving and doubling over any butterfly: a reduce-scatter, then an allgather.
#pragma once

#include "tradewind/comm/allreduce/staged.hpp"

namespace tradewind {

/// The stages of one rank: stage 0 folds, then there are log2 halvings and as many doublings, and
/// the last stage returns the result to the folded ranks. A Butterfly has
/// - `partner(rank, step, levels)`: the rank with which `rank` exchanges in halving number `step`,
///   counted from 0;
/// - `position(rank, levels)`: a permutation of the ranks after which the partners of the step
///   differ in bit `levels - 1 - step`; segment s is reduced on the rank at position s.
template <class Butterfly>
class HalvingPlan {
public:
    HalvingPlan(const Comm& comm, const Allreduce& vector)
        : rank_(comm.rank()),
          ends_(comm.rank(), comm.size()),
          position_(ends_.is_extra() ? 0 : Butterfly::position(rank_, ends_.levels())),
          reduction_(vector.reduction),
          segments_(vector, ends_.core()),
          arrived_(vector.data, largest_arrival(), 1) {}

    [[nodiscard]] int last() const noexcept { return 2 * ends_.levels() + 1; }

    [[nodiscard]] MessagePair pair(int stage) const {
        if (stage == 0) return ends_.fold(all(), arrived_[0]);
        if (stage == last()) return ends_.unfold(all());
        if (ends_.is_extra()) return {};
        const int step = step_of(stage);
        const Rank partner = Butterfly::partner(rank_, step, ends_.levels());
        const Buffer own = mine(step);
        const Buffer other = theirs(step);
        if (halves(stage))
            return {partner, other, partner, arrived_[0].part(0, own.size()),
                    swaps_first(rank_, partner)};
        return {partner, own, partner, other, swaps_first(rank_, partner)};
    }

    void combine(Comm& comm, int stage) const {
        if (ends_.is_extra()) return;
        if (stage == 0 && !ends_.is_alone())
            tradewind::combine(comm, reduction_, arrived_[0], all());
        if (!halves(stage)) return;
        const Buffer own = mine(step_of(stage));
        tradewind::combine(comm, reduction_, arrived_[0].part(0, own.size()), own);
    }

private:
    [[nodiscard]] bool halves(int stage) const noexcept {
        return stage >= 1 && stage <= ends_.levels();
    }
    [[nodiscard]] int step_of(int stage) const noexcept {
        return halves(stage) ? stage - 1 : 2 * ends_.levels() - stage;
    }
    [[nodiscard]] Buffer all() const noexcept { return segments_.part(0, ends_.core()); }
    /// Returns the segments that stay on this rank in a halving.
    [[nodiscard]] Buffer mine(int step) const noexcept { return half(position_, step); }
    /// Returns the segments that go to the partner in a halving.
    [[nodiscard]] Buffer theirs(int step) const noexcept {
        return half(position_ ^ width(step), step);
    }
    [[nodiscard]] Buffer half(Rank position, int step) const noexcept {
        return segments_.part(position & -width(step), width(step));
    }
    [[nodiscard]] Rank width(int step) const noexcept {
        return Rank{1} << (ends_.levels() - 1 - step);
    }
    /// Returns the largest number of bytes that arrive before they are combined.
    [[nodiscard]] Bytes largest_arrival() const noexcept {
        if (ends_.is_extra()) return 0;
        return segments_.largest(ends_.is_alone() ? ends_.core() / 2 : ends_.core());
    }

    Rank rank_;
    PowerOfTwo ends_;
    Rank position_;
    Reduction reduction_;
    Segments segments_;
    Slots arrived_;
};

/// Runs the stages of a HalvingPlan: 2 floor(log2 p) messages and 2n(p-1)/p bytes per rank, and 2
/// more messages of n bytes if p is not a power of two. Segments are whole elements; empty ones are
/// not sent. Each segment is reduced on one rank, so all ranks get the same bits.
template <class Butterfly>
Task allreduce_by_halving(Comm& comm, Allreduce vector, Options options) {
    return run_stages<HalvingPlan<Butterfly>>(comm, vector, options);
}

}  // namespace tradewind
