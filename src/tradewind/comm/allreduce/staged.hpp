/// Allreduces whose ranks exchange one message per stage.
#pragma once

#include "tradewind/comm/allreduce/pieces.hpp"
#include "tradewind/comm/protocol/exchange.hpp"

namespace tradewind {

/// `run_stages` where calls may suspend, or by another protocol or transport.
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

/// Stages 0 to `plan.last()`: exchanges `plan.pair(stage)`, then calls `plan.combine(comm, stage)`.
/// The plan is made from the communicator and the vector. Where calls block it needs no coroutine.
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

/// The largest power of two of ranks, and who stands in for the ranks beyond it: the first and the
/// last stage of a plan exchange whole vectors with them.
class PowerOfTwo {
public:
    /// The extra ranks fold into the first ranks of the core, or into its last ones.
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
    /// log2 of the core.
    [[nodiscard]] int levels() const noexcept { return levels_; }
    [[nodiscard]] bool is_extra() const noexcept { return is_extra_; }
    /// Neither stands in for a rank nor has one that does.
    [[nodiscard]] bool is_alone() const noexcept { return is_alone_; }
    /// The extra rank's vector on its way to the core.
    [[nodiscard]] MessagePair fold(Buffer vector, Buffer arrived) const noexcept {
        return across(is_extra_, vector, arrived);
    }
    /// The result on its way back.
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
