/// The stages of the recursive-k allreduce, shared by its blocking and its started form.
#pragma once

#include "tradewind/comm/allreduce/pieces.hpp"
#include "tradewind/comm/protocol/exchange.hpp"

namespace tradewind {

/// The stages of one rank: the stage of weight 0 folds, those of weight 1, k, k^2, ... exchange,
/// and the stage of weight `core` returns the result. Stages in which this rank has no message are
/// left out.
class RecursiveK {
public:
    static constexpr std::string_view operation = "allreduce recursive_k";
    static constexpr Tag tag = tags::allreduce;
    static constexpr EmptyMessages empty = EmptyMessages::sent;

    /// The vector outlives the object, which holds the memory for the vectors that arrive.
    RecursiveK(const Comm& comm, const Allreduce& vector, Rank radix)
        : vector_(vector),
          rank_(comm.rank()),
          ranks_(comm.size()),
          radix_(radix),
          core_(largest_power(radix, ranks_)),
          shift_(ranks_ <= 2 * core_ ? ranks_ - core_ : core_),
          slots_(comm, vector.data, vector.data.size(), most_arrivals()) {
        skip_empty();
    }
    [[nodiscard]] bool is_over() const noexcept { return weight_ > core_; }
    /// Goes on to the next stage.
    void next() noexcept {
        advance();
        skip_empty();
    }
    /// Returns the number of exchanges of the stage.
    [[nodiscard]] Rank exchanges() const noexcept {
        if (is_extra()) return is_inside() ? 0 : 1;
        return is_inside() ? radix_ - 1 : extras();
    }
    /// Returns exchange i of the stage: with an extra rank, or at distance i + 1 in the group. Each
    /// member sends to its successor first, so that not all members send to the same one at the
    /// same time.
    [[nodiscard, gnu::always_inline]] MessagePair operator()(Rank i) const noexcept {
        if (!is_inside()) return fold_or_return(i);
        const Rank first = rank_ - own_ * weight_;
        const Rank to = own_ + i + 1 < radix_ ? own_ + i + 1 : own_ + i + 1 - radix_;
        const Rank from = own_ > i ? own_ - i - 1 : own_ - i - 1 + radix_;
        return {first + to * weight_, vector_.data, first + from * weight_,
                slots_[slot_of(from, own_)], shifts_first(own_, i + 1)};
    }
    /// Combines the vectors that the stage has brought.
    void finish(Comm& comm) const {
        if (is_extra() || weight_ == core_) return;
        const bool folds = weight_ == 0;
        combine_group(comm, vector_, slots_, folds ? extras() + 1 : radix_, folds ? 0 : own_);
    }

private:
    void advance() noexcept {
        weight_ = weight_ == 0 ? 1 : weight_ * radix_;
        own_ = rank_ / weight_ % radix_;
    }
    void skip_empty() noexcept {
        while (!is_over() && exchanges() == 0) advance();
    }
    [[nodiscard]] static Rank largest_power(Rank radix, Rank ranks) noexcept {
        Rank power = 1;
        while (power <= ranks / radix) power *= radix;
        return power;
    }
    /// Returns the largest number of vectors that a stage brings.
    [[nodiscard]] Rank most_arrivals() const noexcept {
        if (is_extra()) return 0;
        return core_ > 1 ? radix_ - 1 : extras();
    }
    /// Reports whether the core ranks exchange in this stage.
    [[nodiscard]] bool is_inside() const noexcept { return weight_ > 0 && weight_ < core_; }
    [[nodiscard]] bool is_extra() const noexcept { return rank_ >= core_; }
    /// Returns the core rank that serves this extra rank.
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
    [[nodiscard]] MessagePair fold_or_return(Rank i) const noexcept {
        const bool sends = is_extra() == (weight_ == 0);
        const Rank other = is_extra() ? server() : extra(i);
        if (sends) return {other, vector_.data, nobody, Buffer()};
        return {nobody, ConstBuffer(), other, is_extra() ? vector_.data : slots_[i]};
    }

    const Allreduce& vector_;
    Rank rank_;
    Rank ranks_;
    Rank radix_;
    Rank core_;
    Rank shift_;
    Rank weight_ = 0;
    /// The position of this rank in its group of the stage.
    Rank own_ = 0;
    Slots slots_;
};

}  // namespace tradewind
