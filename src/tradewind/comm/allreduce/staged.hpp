/// Allreduce algorithms whose ranks exchange one message per stage.
#pragma once

#include "tradewind/comm/allreduce/pieces.hpp"
#include "tradewind/comm/protocol/exchange.hpp"

namespace tradewind {

/// Runs the stages as a coroutine: on ranks that may suspend, or by another protocol or transport.
template <class Plan>
Task run_stages_suspended(Comm& comm, Allreduce vector, Options options) {
    const Delivery delivery = options.delivery("allreduce");
    const Plan plan(comm, vector);
    for (int stage = 0; stage <= plan.last(); ++stage) {
        if (delivery.is_plain()) {
            co_await start(comm, plan.pair(stage), tags::allreduce);
        } else {
            co_await exchange(comm, plan.pair(stage), delivery, tags::allreduce);
        }
        plan.combine(comm, stage);
    }
}

/// Runs stages 0 to `plan.last()`: exchanges `plan.pair(stage)`, then calls `plan.combine(comm,
/// stage)`. The plan is constructed from the communicator and the vector. On a communicator whose
/// calls block no coroutine is needed.
template <class Plan>
Task run_stages(Comm& comm, const Allreduce& vector, const Options& options) {
    if (!comm.strand().calls_block || !options.is_plain()) {
        return run_stages_suspended<Plan>(comm, vector, options);
    }
    const Plan plan(comm, vector);
    for (int stage = 0; stage <= plan.last(); ++stage) {
        start(comm, plan.pair(stage), tags::allreduce).finish();
        plan.combine(comm, stage);
    }
    return {};
}

/// The core, which is the largest power of two of ranks, and the extra ranks beyond it, each of
/// which a core rank represents. The first and the last stage of a plan exchange whole vectors
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
        if (sends) return {other_, out, other_, Buffer()};
        return {other_, ConstBuffer(), other_, in};
    }

    Rank core_;
    int levels_;
    bool is_extra_;
    bool is_alone_;
    Rank other_;
};

}  // namespace tradewind
