/// Comm: the interface of a communicator for algorithms and models, on real MPI or simulated.
#pragma once

#include <span>

#include "tradewind/comm/library.hpp"
#include "tradewind/comm/persistent.hpp"
#include "tradewind/comm/task.hpp"
#include "tradewind/comm/types.hpp"
#include "tradewind/comm/wait.hpp"

namespace tradewind {

/// A communicator as seen by one rank. Messages between two ranks with equal envelopes are received
/// in the order in which they were sent. Invalid ranks and sizes throw `ConfigError`.
class Comm {
public:
    Comm(const Comm&) = delete;
    Comm& operator=(const Comm&) = delete;
    virtual ~Comm() = default;

    [[nodiscard]] Rank rank() const noexcept { return rank_; }
    [[nodiscard]] Rank size() const noexcept { return size_; }
    [[nodiscard]] CoroutineContext& coroutines() const noexcept { return *coroutines_; }
    /// Returns the time since the start of the run: simulated time, or wall-clock time on MPI.
    [[nodiscard]] virtual Picoseconds now() const noexcept = 0;

    /// Starts a message; its buffer must stay untouched until the request is complete.
    [[nodiscard]] Request isend(Rank to, ConstBuffer data, Tag tag = 0,
                                SendMode mode = SendMode::standard) {
        return start_send(checked(to, data.size()), data, {context_, tag}, mode);
    }
    [[nodiscard]] Request irecv(Rank from, Buffer data, Tag tag = 0) {
        return start_receive(checked(from, data.size()), data, {context_, tag});
    }

    /// Prepares messages that are started again and again; on MPI they are persistent requests.
    [[nodiscard]] std::unique_ptr<PersistentMessages> prepare(const FixedMessages& messages,
                                                              Tag tag = 0);

    /// Waits (`co_await`). Completed requests become null; null requests count as complete.
    [[nodiscard]] WaitAll wait(Request& request) { return WaitAll{*this, {&request, 1}}; }
    [[nodiscard]] WaitAll wait_all(std::span<Request> requests) { return WaitAll{*this, requests}; }
    /// Returns the index of a completed request; -1 if all are null or (test_any) none is complete.
    [[nodiscard]] WaitAny wait_any(std::span<Request> requests) { return WaitAny{*this, requests}; }
    [[nodiscard]] TestAny test_any(std::span<Request> requests) { return TestAny{*this, requests}; }
    [[nodiscard]] Test test(Request& request) { return Test{*this, request}; }
    [[nodiscard]] Transfer send(Rank to, ConstBuffer data, Tag tag = 0) {
        return Transfer{*this, {Request{}, isend(to, data, tag)}};
    }
    [[nodiscard]] Transfer recv(Rank from, Buffer data, Tag tag = 0) {
        return Transfer{*this, {irecv(from, data, tag)}};
    }
    /// Sends to one rank and receives from another at the same time.
    [[nodiscard]] Transfer exchange(Rank to, ConstBuffer out, Rank from, Buffer in, Tag tag = 0) {
        return exchange(MessagePair{to, out, from, in}, tag);
    }
    [[nodiscard]] Transfer exchange(const MessagePair& pair, Tag tag = 0) {
        (void)checked(pair.from, pair.in.size());
        (void)checked(pair.to, pair.out.size());
        return Transfer{*this, start_exchange(pair, {context_, tag})};
    }

    /// Exposes `memory` to puts, with `signals` counters at zero; collective, in equal order.
    [[nodiscard]] virtual Window expose(Buffer memory, std::int32_t signals = 1) = 0;
    /// Exposes memory of the communicator instead; it may be null unless `has_data`.
    [[nodiscard]] virtual OwnWindow allocate(Bytes size, bool has_data, std::int32_t signals) = 0;
    /// Writes into the window of rank `to` at `offset`, then adds one to its counter `signal`.
    [[nodiscard]] Request put(Rank to, Window window, Bytes offset, ConstBuffer data,
                              std::int32_t signal = 0) {
        return start_put(checked(to, data.size()), window, offset, data, signal);
    }
    /// Waits (`co_await`) until counter `signal` of the own window has reached `count`.
    [[nodiscard]] WaitSignal wait_signal(Window own, std::int64_t count, std::int32_t signal = 0) {
        return WaitSignal{*this, own.id, signal, count};
    }

    /// Begins a named phase of this rank, for the times of phases.
    virtual void begin_phase(const char* /*name*/) {}
    /// Computes (`co_await`) in simulated time; does nothing on MPI, where the work is real.
    [[nodiscard]] Compute compute(Work work) { return Compute{*this, work.flops, work.memory}; }
    [[nodiscard]] Elapse elapse(Picoseconds time) { return Elapse{*this, time}; }
    /// Charges simulated time for local work just done, if the machine has rates for it.
    virtual void charge(const LocalWork& /*work*/) {}
    [[nodiscard]] virtual bool times_local_work() const noexcept { return false; }
    /// Returns ranks first, first + stride, ... as a communicator, in O(1) memory, without
    /// messages. The caller must be one of them; all of them make the same calls in the same order.
    [[nodiscard]] SubComm strided(Rank first, Rank stride, Rank count);
    [[nodiscard]] virtual LibraryCollectives* library() noexcept { return nullptr; }
    /// Returns the calls that recorded programs make beyond these; null if there are none.
    [[nodiscard]] virtual SimulatedCalls* simulated() noexcept { return nullptr; }
    [[nodiscard]] KeptChannels& channels() noexcept { return channels_; }

protected:
    friend class SubComm;
    friend struct WaitBase;
    friend class StartedMessages;
    friend CoroutineContext& coroutines_of(const Comm& comm) noexcept { return comm.coroutines(); }
    Comm() = default;
    Comm(Rank rank, Rank size, CoroutineContext& coroutines, std::uint32_t context = 0) noexcept
        : rank_(rank), size_(size), coroutines_(&coroutines), context_(context) {}

    virtual Request start_send(Rank to, ConstBuffer data, Envelope envelope, SendMode mode) = 0;
    virtual Request start_receive(Rank from, Buffer data, Envelope envelope) = 0;
    /// Starts both messages; on MPI it may finish the exchange and return null requests.
    virtual RequestPair start_exchange(const MessagePair& pair, Envelope envelope);
    /// Prepares messages; unless a communicator has better ones, each start is that of a message.
    virtual std::unique_ptr<PersistentMessages> prepare_messages(const FixedMessages& messages,
                                                                 Envelope envelope);
    virtual Request start_put(Rank to, Window, Bytes offset, ConstBuffer, std::int32_t signal) = 0;
    /// Returns true if the wait is over at once (always on MPI); otherwise `suspend` follows.
    virtual bool begin_wait(Waiting& waiting) = 0;
    virtual void suspend(std::coroutine_handle<> leaf) noexcept = 0;

    [[nodiscard]] Rank checked(Rank peer, Bytes size) const {
        if (peer < 0 || peer >= size_ || size < 0) refuse(peer, size);
        return peer;
    }
    [[noreturn]] void refuse(Rank peer, Bytes size) const;
    [[nodiscard]] std::uint32_t next_context() noexcept;

    Rank rank_ = 0;
    Rank size_ = 1;
    CoroutineContext* coroutines_ = nullptr;
    std::uint32_t context_ = 0;
    std::uint32_t children_ = 0;
    KeptChannels channels_;
};

}  // namespace tradewind
