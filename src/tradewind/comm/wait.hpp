/// The awaiters, which are the only points at which a coroutine of a rank can be suspended.
#pragma once

#include <coroutine>
#include <cstdint>
#include <span>

#include "tradewind/base/units.hpp"
#include "tradewind/comm/task.hpp"

namespace tradewind {

class Comm;

/// A handle of a started send, receive or put; null if there is nothing to wait for.
struct Request {
    static constexpr std::uint32_t null = 0;
    std::uint32_t id = null;
    [[nodiscard]] bool is_null() const noexcept { return id == null; }
};

/// The requests of the two messages of an exchange; the request of a message that does not exist is
/// null.
struct RequestPair {
    Request receive;
    Request send = {};
};

/// The event that a suspended rank waits for; it lives in the awaiter, inside the coroutine's
/// frame.
struct Waiting {
    enum class For : std::uint8_t {
        all,
        any,
        test,
        signal,
        compute,
        elapse,
        post_notice,
        complete_notice
    };

    /// Leaves all members uninitialised; assign to the object before it is used.
    Waiting() noexcept {}
    Waiting(For what, std::span<Request> list) noexcept
        : requests(list.data()),
          count(std::int64_t(list.size())),
          flops(0.0),
          what_for(what),
          window(-1),
          index(-1) {}

    Request* requests;
    /// The number of requests, the value that a signal or the notices must reach, the bytes that a
    /// computation moves, or the picoseconds that it takes.
    std::int64_t count;
    double flops;
    For what_for;
    std::int32_t window;
    /// The result of `any` and `test`, the number of the signal, or the rank that sends notices.
    std::int32_t index;
};

/// The base of all awaiters, which asks the communicator and suspends only if it must.
struct WaitBase {
    explicit WaitBase(Comm& on) noexcept : comm(on) {}
    WaitBase(Comm& on, Waiting::For what, std::span<Request> list) noexcept
        : comm(on), waiting(what, list) {}
    [[nodiscard]] bool await_ready();
    void await_suspend(std::coroutine_handle<> leaf) noexcept;
    /// Replaces `co_await` outside of coroutines, on a communicator whose calls block.
    void finish() { (void)await_ready(); }

    Comm& comm;
    Waiting waiting;
};

struct [[nodiscard]] WaitAll : WaitBase {
    WaitAll(Comm& on, std::span<Request> list) noexcept : WaitBase(on, Waiting::For::all, list) {}
    void await_resume() const noexcept {}
};

struct [[nodiscard]] WaitAny : WaitBase {
    WaitAny(Comm& on, std::span<Request> list) noexcept : WaitBase(on, Waiting::For::any, list) {}
    [[nodiscard]] std::int64_t await_resume() const noexcept { return waiting.index; }
};

struct [[nodiscard]] TestAny : WaitBase {
    TestAny(Comm& on, std::span<Request> list) noexcept : WaitBase(on, Waiting::For::test, list) {}
    [[nodiscard]] std::int64_t await_resume() const noexcept { return waiting.index; }
};

/// The awaiter whose result is true if the request is complete (and now null).
struct [[nodiscard]] Test : WaitBase {
    Test(Comm& on, Request& request) noexcept : WaitBase(on, Waiting::For::test, {&request, 1}) {}
    [[nodiscard]] bool await_resume() const noexcept { return waiting.requests->is_null(); }
};

/// The awaiter of up to two requests that it owns. It asks the communicator only if a request is
/// not null: on MPI most exchanges are complete when they return.
struct [[nodiscard]] Transfer {
    Transfer(Comm& on, RequestPair both) noexcept : requests{both.receive, both.send}, wait(on) {}
    [[nodiscard]] bool await_ready() {
        if (requests[0].is_null() && requests[1].is_null()) {
            ++coroutines_of(wait.comm).skipped;
            return true;
        }
        wait.waiting = Waiting(Waiting::For::all, requests);
        return wait.await_ready();
    }
    void await_suspend(std::coroutine_handle<> leaf) noexcept { wait.await_suspend(leaf); }
    void await_resume() const noexcept {}
    /// Replaces `co_await` outside of coroutines, on a communicator whose calls block.
    void finish() { (void)await_ready(); }

    Request requests[2];
    WaitBase wait;
};

struct [[nodiscard]] WaitSignal : WaitBase {
    WaitSignal(Comm& on, std::int32_t window, std::int32_t signal, std::int64_t value) noexcept
        : WaitBase(on, Waiting::For::signal, {}) {
        waiting.window = window;
        waiting.index = signal;
        waiting.count = value;
    }
    void await_resume() const noexcept {}
};

struct [[nodiscard]] Compute : WaitBase {
    Compute(Comm& on, double work_flops, Bytes work_memory) noexcept
        : WaitBase(on, Waiting::For::compute, {}) {
        waiting.count = work_memory;
        waiting.flops = work_flops;
    }
    void await_resume() const noexcept {}
};

struct [[nodiscard]] Elapse : WaitBase {
    Elapse(Comm& on, Picoseconds time) noexcept : WaitBase(on, Waiting::For::elapse, {}) {
        waiting.count = time;
    }
    void await_resume() const noexcept {}
};

}  // namespace tradewind
