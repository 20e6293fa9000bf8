/// The stages of the recursive-k allreduce, for all that run them.
#pragma once

#include <vector>

#include "tradewind/comm/allreduce/pieces.hpp"

namespace tradewind {

/// Who talks to whom in the stage of a given weight: 0 folds, 1, k, k^2, ... exchange, `core`
/// returns.
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
    /// Extra ranks of this core rank are extra(0), extra(1), ... below the rank count.
    [[nodiscard]] Rank extras() const noexcept {
        if (shift_ == 0 || rank_ + shift_ < core_) return 0;
        return (ranks_ - 1 - rank_) / shift_;
    }
    [[nodiscard]] Rank extra(Rank index) const noexcept { return rank_ + (index + 1) * shift_; }
    /// Position in the group of the stage.
    [[nodiscard]] Rank position(Rank weight) const noexcept { return rank_ / weight % radix_; }
    /// The stage after the one of this weight; that of `core` is the last.
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
/// Combines what the stage has brought.
void combine_stage(Comm& comm, const Allreduce& vector, const RecursiveK& plan, const Slots& slots,
                   Rank weight);

}  // namespace tradewind
