/// The stages of the recursive-k allreduce, shared by its blocking and its started form.
#pragma once

#include <vector>

#include "tradewind/comm/allreduce/pieces.hpp"

namespace tradewind {

/// The partners of one rank in the stage of a given weight: stage 0 folds, stages 1, k, k^2, ...
/// exchange, stage `core` returns the result.
class RecursiveK {
public:
    RecursiveK(Rank rank, Rank ranks, Rank radix) : rank_(rank), ranks_(ranks), radix_(radix) {
        while (core_ <= ranks / radix) core_ *= radix;
        shift_ = ranks <= 2 * core_ ? ranks - core_ : core_;
    }
    [[nodiscard]] Rank radix() const noexcept { return radix_; }
    [[nodiscard]] Rank core() const noexcept { return core_; }
    [[nodiscard]] bool is_extra() const noexcept { return rank_ >= core_; }
    [[nodiscard]] Rank server() const noexcept {
        return ranks_ <= 2 * core_ ? rank_ - shift_ : rank_ % core_;
    }
    /// Returns the number of extra ranks that this core rank serves: extra(0), extra(1), ..., all
    /// below the rank count.
    [[nodiscard]] Rank extras() const noexcept {
        if (shift_ == 0 || rank_ + shift_ < core_) return 0;
        return (ranks_ - 1 - rank_) / shift_;
    }
    [[nodiscard]] Rank extra(Rank index) const noexcept { return rank_ + (index + 1) * shift_; }
    /// Returns the position of this rank in its group of the stage.
    [[nodiscard]] Rank position(Rank weight) const noexcept { return rank_ / weight % radix_; }
    /// Returns the weight of the stage after the one of this weight; the stage of weight `core` is
    /// the last.
    [[nodiscard]] Rank after(Rank weight) const noexcept {
        return weight == 0 ? 1 : weight * radix_;
    }
    [[nodiscard]] Rank exchanges(Rank weight) const noexcept {
        const bool inside = weight > 0 && weight < core_;
        if (is_extra()) return inside ? 0 : 1;
        return inside ? radix_ - 1 : extras();
    }
    [[nodiscard]] Rank slots() const noexcept {
        if (is_extra()) return 0;
        return core_ > 1 ? radix_ - 1 : extras();
    }

private:
    Rank rank_;
    Rank ranks_;
    Rank radix_;
    Rank core_ = 1;
    Rank shift_;
};

/// Starts the messages of a stage with standard sends.
void start_stage(Comm& comm, const Allreduce& vector, const RecursiveK& plan, const Slots& slots,
                 Rank weight, std::vector<Request>& requests);
/// Combines the vectors that the stage has brought.
void combine_stage(Comm& comm, const Allreduce& vector, const RecursiveK& plan, const Slots& slots,
                   Rank weight);

}  // namespace tradewind
