/// Task: a coroutine that runs on behalf of one rank, resumed from a trampoline loop.
///
/// A child that is awaited runs within its parent, like a function call, until it is suspended for
/// the first time; only then is the parent suspended. On MPI nothing suspends: an await is an
/// ordinary function call. The first parameter of every coroutine is a `Comm&` (after the closure
/// object of a lambda), whose coroutine context provides the memory of the frame and the loop.
/// Symmetric transfer is not used, because with g++ 12 it overflows the stack at -O0, -O1 and under
/// the sanitizers.
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>

#include "tradewind/comm/arena.hpp"

namespace tradewind {

class Comm;

/// The context of the coroutines of one thread: the memory of their frames, and the one that runs
/// next.
struct CoroutineContext {
    Arena arena;
    std::coroutine_handle<> next;
    /// True if calls return only when the operation is complete (MPI), so that nothing is ever
    /// suspended.
    bool calls_block = false;
    /// The number of transfers that had nothing to wait for, which the communicator does not see.
    std::int64_t skipped = 0;

    /// Resumes `handle`, then the coroutines that become ready because of it, until all are
    /// suspended.
    void run(std::coroutine_handle<> handle) {
        next = handle;
        while (next) std::exchange(next, {}).resume();
    }
};

/// A type that is a closure object of a lambda, not a class derived from Comm. The test uses
/// pointers, since a closure type is incomplete within its own body.
template <class T>
concept IsClosure = !std::is_convertible_v<const T*, const Comm*>;

[[nodiscard]] CoroutineContext& coroutines_of(const Comm& comm) noexcept;

/// An owning handle of a coroutine. An empty task counts as finished: on a communicator whose calls
/// block, functions that need no coroutine return one.
class [[nodiscard]] Task {
public:
    struct promise_type;
    using Handle = std::coroutine_handle<promise_type>;

    Task() = default;
    explicit Task(Handle handle) noexcept : handle_(handle) {}
    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
    Task& operator=(Task&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Task() {
        if (handle_) handle_.destroy();
    }

    [[nodiscard]] bool done() const noexcept { return !handle_ || handle_.done(); }
    /// Runs until the first suspension; the coroutine has no parent.
    void start();
    /// Rethrows the exception of the finished coroutine, if there is one.
    void rethrow() const;

    /// The awaiter of `co_await task`: the parent is suspended until the child has finished.
    struct Awaiter {
        Handle child;
        explicit Awaiter(Handle handle) noexcept : child(handle) {}
        /// Runs the child until it suspends or ends; a child that never suspends ends here, like a
        /// function call.
        [[nodiscard]] bool await_ready() const {
            if (!child) return true;
            if (!child.done()) child.resume();
            return child.done();
        }
        void await_suspend(std::coroutine_handle<> parent) const noexcept;
        void await_resume() const;
    };
    [[nodiscard]] Awaiter operator co_await() const noexcept { return Awaiter{handle_}; }

private:
    Handle handle_;
};

struct Task::promise_type {
    explicit promise_type(const Comm& comm, const auto&... /*arguments*/) noexcept
        : context(&coroutines_of(comm)) {}
    /// Constructs the promise of a member function or lambda. The context does not come from the
    /// allocation of the frame, which Clang may elide for a child.
    template <class Closure>
        requires IsClosure<Closure>
    promise_type(const Closure& /*closure*/, const Comm& comm,
                 const auto&... /*arguments*/) noexcept
        : context(&coroutines_of(comm)) {}
    /// Constructs the promise of a lambda with g++ 12, which does not pass the closure object to
    /// the promise's constructor; the context comes from the allocation, which has just been made.
    promise_type() noexcept : context(lambda_context) {}

    static void* operator new(std::size_t bytes, const Comm& comm, const auto&... /*arguments*/) {
        return allocate(bytes, coroutines_of(comm).arena);
    }
    /// Allocates the frame of a lambda, whose closure object comes before its parameters.
    template <class Closure>
        requires IsClosure<Closure>
    static void* operator new(std::size_t bytes, const Closure& /*closure*/, const Comm& comm,
                              const auto&... /*arguments*/) {
        lambda_context = &coroutines_of(comm);
        return allocate(bytes, lambda_context->arena);
    }
    /// Returns the frame to its arena, whose address is stored behind the frame.
    static void operator delete(void* frame, std::size_t bytes) noexcept {
        Arena* const arena = *owner(frame, bytes);
        arena->deallocate(frame, bytes + sizeof(Arena*));
    }

    [[nodiscard]] Task get_return_object() noexcept { return Task{Handle::from_promise(*this)}; }
    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    [[nodiscard]] auto final_suspend() const noexcept {
        struct Final {
            [[nodiscard]] bool await_ready() const noexcept { return false; }
            void await_suspend(Handle self) const noexcept {
                self.promise().context->next = self.promise().parent;
            }
            void await_resume() const noexcept {}
        };
        return Final{};
    }
    void return_void() const noexcept {}
    void unhandled_exception() noexcept { error = std::current_exception(); }

    CoroutineContext* context;
    std::coroutine_handle<> parent;
    std::exception_ptr error;

private:
    static inline thread_local CoroutineContext* lambda_context = nullptr;

    [[nodiscard]] static Arena** owner(void* frame, std::size_t bytes) noexcept {
        return reinterpret_cast<Arena**>(static_cast<std::byte*>(frame) + bytes);
    }
    [[nodiscard]] static void* allocate(std::size_t bytes, Arena& arena) {
        void* const frame = arena.allocate(bytes + sizeof(Arena*));
        *owner(frame, bytes) = &arena;
        return frame;
    }
};

inline void Task::start() {
    if (handle_) handle_.promise().context->run(handle_);
}

inline void Task::rethrow() const {
    if (handle_ && handle_.promise().error) std::rethrow_exception(handle_.promise().error);
}

inline void Task::Awaiter::await_suspend(std::coroutine_handle<> parent) const noexcept {
    child.promise().parent = parent;
}

inline void Task::Awaiter::await_resume() const {
    if (child && child.promise().error) std::rethrow_exception(child.promise().error);
}

}  // namespace tradewind
