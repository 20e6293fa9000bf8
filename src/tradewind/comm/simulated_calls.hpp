/// SimulatedCalls: calls of MPI that programs of our own do not make, and recorded ones do:
/// accesses to the memory of other ranks with the synchronisation of MPI, and operations that go
/// on beside the program.
///
///     origin                                target
///     put, accumulate    -- bytes ---->     memory
///     it is there        <-- control --     by the interface, not by the processor
///     get                -- control -->     read by the interface
///     it is here         <-- bytes ----
///     lock               -- control -->     waits for its turn
///     it is held         <-- control --
///     unlock, notice     -- control -->
///
/// No data move: what makes these calls knows the sizes of accesses alone. Control messages are not
/// counted as messages of the program.
#pragma once

#include <cstdint>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/program.hpp"

namespace tradewind {

/// The kind of an access to the memory of another rank.
enum class AccessKind : std::uint8_t { put, get, accumulate };

/// The notices of general active target synchronisation: the memory is open to accesses, or all
/// accesses of an origin are over.
enum class NoticeKind : std::uint8_t { post, complete };

/// The calls of one rank. Ranks are those of the whole run. Windows are numbers that all their
/// ranks agree on.
class SimulatedCalls {
public:
    SimulatedCalls() = default;
    SimulatedCalls(const SimulatedCalls&) = delete;
    SimulatedCalls& operator=(const SimulatedCalls&) = delete;
    virtual ~SimulatedCalls() = default;

    /// Starts an access of `bytes` to the memory of `peer`. The request `receive` is complete when
    /// the data are in the memory of the target, or of a get in that of the origin. If
    /// `returns_buffer`, the request `send` is complete when the buffer of the origin is free. It
    /// is null if that is so at once.
    [[nodiscard]] virtual RequestPair access(AccessKind kind, Rank peer, Bytes bytes,
                                             bool returns_buffer) = 0;
    /// Sends a notice about a window.
    virtual void notify(Rank to, NoticeKind kind, std::uint32_t window) = 0;
    /// Asks for a lock of a window at rank `at`. The request is complete when it is held.
    [[nodiscard]] virtual Request lock(Rank at, std::uint32_t window, bool is_exclusive) = 0;
    virtual void unlock(Rank at, std::uint32_t window, bool is_exclusive) = 0;
    /// Runs a task beside the program, from now on, on a communicator of its own of all ranks. The
    /// request is complete when the task has ended.
    [[nodiscard]] virtual Request run_beside(const Program& task) = 0;
};

/// The awaiter of notices: waits until `count` of them have come from rank `from`.
struct [[nodiscard]] WaitNotice : WaitBase {
    WaitNotice(Comm& on, NoticeKind kind, Rank from, std::uint32_t window,
               std::int64_t count) noexcept
        : WaitBase(
              on,
              kind == NoticeKind::post ? Waiting::For::post_notice : Waiting::For::complete_notice,
              {}) {
        waiting.window = std::int32_t(window);
        waiting.index = std::int32_t(from);
        waiting.count = count;
    }
    void await_resume() const noexcept {}
};

}  // namespace tradewind
