/// The swap by puts, in the order of its protocol.
#include "tradewind/comm/protocol/put_swap.hpp"

#include "tradewind/base/errors.hpp"
#include "tradewind/comm/protocol/exchange.hpp"

namespace tradewind {

namespace {

constexpr std::int32_t data_signal = 0;
constexpr std::int32_t go_ahead_signal = 1;
constexpr std::int32_t signals = 2;

}  // namespace

PutSwap::PutSwap(Comm& comm, Rank partner, Buffer memory)
    : partner_(partner), memory_(memory), window_(comm.expose(memory, signals)) {}

bool PutSwap::has(Protocol protocol) noexcept {
    if (protocol.is_default() || protocol.overlaps() || protocol.variant() == 3) return false;
    return !protocol.calls().native && protocol != Protocol(1, 0);
}

Buffer PutSwap::received() const noexcept {
    return memory_.part(swaps_ % 2 * (memory_.size() / 2), size_);
}

/// Sends a go-ahead: an empty put, of which only the signal counts.
void PutSwap::tell(Comm& comm) {
    sends_[1] = comm.put(partner_, window_, 0, ConstBuffer(), go_ahead_signal);
}

Task PutSwap::send(Comm& comm, ConstBuffer out, Calls calls, bool waits) {
    if (waits) co_await comm.wait_signal(window_, ++go_aheads_, go_ahead_signal);
    if (calls.send == Calls::Send::buffered) {
        co_await comm.compute(Work{0.0, 2 * out.size()});
        if (!out.is_null()) {
            copy_.assign(out.data(), out.data() + out.size());
            out = {copy_.data(), out.size()};
        }
    }
    const Bytes half = swaps_ % 2 * (memory_.size() / 2);
    sends_[0] = comm.put(partner_, window_, half, out, data_signal);
    if (calls.blocking) co_await comm.wait(sends_[0]);
}

/// Swaps messages. In an ordered swap with ready sends the data of the side that sends first serve
/// as its go-ahead.
Task PutSwap::swap(Comm& comm, ConstBuffer out, Protocol protocol) {
    if (!has(protocol)) {
        throw ConfigError(text("swap by puts: (", protocol.order(), ",", protocol.variant(),
                               ") has no calls of its own without posted receives"));
    }
    if (2 * out.size() > memory_.size()) {
        throw ConfigError(text("swap by puts: a message of ", out.size(),
                               " bytes is longer than half of the window of ", memory_.size()));
    }
    const Calls calls = protocol.calls();
    const bool ordered = protocol.is_ordered();
    const bool first = !ordered || swaps_first(comm.rank(), partner_);
    const bool asks = !ordered || !calls.posted;
    const bool tells = calls.go_ahead && (asks || !first);
    const bool waits = calls.go_ahead && (asks || first);
    ++swaps_;
    size_ = out.size();
    if (tells && !ordered) tell(comm);
    if (first) co_await send(comm, out, calls, waits);
    if (tells && ordered) tell(comm);
    co_await comm.wait_signal(window_, swaps_, data_signal);
    if (!first) co_await send(comm, out, calls, waits);
    co_await comm.wait_all(sends_);
}

}  // namespace tradewind
