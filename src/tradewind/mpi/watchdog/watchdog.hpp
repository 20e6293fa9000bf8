/// Watchdog: ends a job in which a rank has waited in one call for longer than a limit, and says
/// what every rank waits for.
#pragma once

#include <mpi.h>

#include <string>

#include "tradewind/base/units.hpp"

namespace tradewind::mpi {

/// The watchdog of this process. It is off unless the environment variable TRADEWIND_WATCHDOG of
/// any rank is a time, such as "30" (seconds) or "500 ms".
///
/// A thread reads a record of what the process waits for. The thread that calls MPI writes this
/// record by `BlockingCall`. There is one record, hence a program in which several threads call the
/// library at the same time is not watched reliably.
class Watchdog {
public:
    [[nodiscard]] static bool is_on() noexcept { return is_on_; }
    /// Begins to watch the ranks of `comm` if one of them has a limit, the largest of which holds
    /// for all; collective. Throws ConfigError, on all ranks, if a limit is not a time.
    static void join(MPI_Comm comm);
    /// Names the phase of the program that begins.
    static void begin_phase(const char* name);
    /// Reports whether another thread wants to know what the current wait is for.
    [[nodiscard]] static bool is_asked() noexcept;
    static void answer(std::string open);
    /// Says what this rank has done, and ends the job.
    [[noreturn]] static void end_job(const std::string& what);
    /// Leaves the core to other processes after the poll with this number.
    static void give_way(std::int64_t polls);

private:
    static void start(double limit_s);

    /// Written and read by the thread that calls MPI only.
    inline static bool is_on_ = false;
};

/// The name of a wait that polls, and names what is open by `BlockingCall::poll`.
inline constexpr char polled_messages[] = "messages";

/// A call that blocks until other ranks have done their part, as long as the object lives. Calls
/// must not be nested.
class BlockingCall {
public:
    /// The name must live for ever. A call without a name is not watched.
    explicit BlockingCall(const char* name, Bytes bytes = 0) noexcept {
        if (Watchdog::is_on() && name != nullptr) [[unlikely]]
            enter(name, bytes);
    }
    ~BlockingCall() {
        if (is_watched_) [[unlikely]]
            leave();
    }
    BlockingCall(const BlockingCall&) = delete;
    BlockingCall& operator=(const BlockingCall&) = delete;

    /// Answers a question of the watchdog by `open()`, a text that names what the wait is for.
    template <class Open>
    static void poll(const Open& open) {
        if (Watchdog::is_on() && Watchdog::is_asked()) [[unlikely]]
            Watchdog::answer(open());
    }

private:
    void enter(const char* name, Bytes bytes) noexcept;
    void leave() noexcept;

    bool is_watched_ = false;
};

/// Reads a limit: a number of seconds, or a number with one of the units s, ms, us and ns. Returns
/// 0 for an empty text and for "off", and a negative number if the text is neither.
[[nodiscard]] double read_limit(const std::string& text);

}  // namespace tradewind::mpi
