/// PowerOfTwo: the ranks beyond a power of two, which fold their vectors into others.
#pragma once

#include <bit>

#include "tradewind/comm/protocol/exchange.hpp"

namespace tradewind {

/// The core, which is the largest power of two of ranks, and the extra ranks beyond it, each of
/// which a core rank represents. The first and the last exchange of an allreduce move whole vectors
/// between the two.
class PowerOfTwo {
public:
    /// The core ranks that the extra ranks fold into: the first ones, or the last ones.
    enum class Fold : std::uint8_t { into_first, into_last };

    PowerOfTwo(Rank rank, Rank ranks, Fold fold = Fold::into_first) noexcept
        : core_(Rank(std::bit_floor(std::uint64_t(ranks)))),
          levels_(std::countr_zero(std::uint64_t(core_))),
          is_extra_(rank >= core_) {
        const Rank shift = fold == Fold::into_first ? core_ : ranks - core_;
        other_ = is_extra_ ? rank - shift : rank + shift;
        is_alone_ = !is_extra_ && (other_ < core_ || other_ >= ranks);
    }
    [[nodiscard]] Rank core() const noexcept { return core_; }
    /// Returns log2 of the size of the core.
    [[nodiscard]] int levels() const noexcept { return levels_; }
    [[nodiscard]] bool is_extra() const noexcept { return is_extra_; }
    /// Reports whether this rank is a core rank without an extra rank.
    [[nodiscard]] bool is_alone() const noexcept { return is_alone_; }
    /// Reports whether this rank is a core rank that gets the vector of an extra rank.
    [[nodiscard]] bool represents() const noexcept { return !is_extra_ && !is_alone_; }
    /// Returns the stage after `stage`, the last of which is number `last`: an extra rank has only
    /// the first and the last one.
    [[nodiscard]] int after(int stage, int last) const noexcept {
        return is_extra_ && stage == 0 ? last : stage + 1;
    }
    /// Returns the message that takes an extra rank's vector to its core rank.
    [[nodiscard]] MessagePair fold(Buffer vector, Buffer arrived) const noexcept {
        return across(is_extra_, vector, arrived);
    }
    /// Returns the message that takes the result back to the extra rank.
    [[nodiscard]] MessagePair unfold(Buffer vector) const noexcept {
        return across(!is_extra_, vector, vector);
    }

private:
    [[nodiscard]] MessagePair across(bool sends, Buffer out, Buffer in) const noexcept {
        if (is_alone_) return {};
        if (sends) return {other_, out, nobody, Buffer()};
        return {nobody, ConstBuffer(), other_, in};
    }

    Rank core_;
    int levels_;
    bool is_extra_;
    bool is_alone_;
    Rank other_;
};

}  // namespace tradewind
