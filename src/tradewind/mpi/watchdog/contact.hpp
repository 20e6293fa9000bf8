/// Contacts: how the watchdogs of a job ask each other for the states of their processes, without
/// MPI.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

namespace tradewind::mpi {

/// A process as others see it; sent as bytes.
struct Contact {
    /// Its rank in MPI_COMM_WORLD.
    std::int32_t rank = 0;
    std::uint16_t port = 0;
    std::uint16_t address_count = 0;
    /// IPv4 addresses in network order.
    std::array<std::uint32_t, 3> addresses{};
    /// A random number, without which the process does not answer.
    std::uint64_t secret = 0;
    std::array<char, 64> host{};

    [[nodiscard]] bool is_on_host_of(const Contact& other) const { return host == other.host; }
};

/// The answer of a process: what it does, and the same in words. `activity` is 0 if it does not
/// answer.
struct ProcessState {
    enum class Activity : char {
        unknown = 0,
        /// Waits in a call for less than the limit.
        waits = 'w',
        /// Has waited for longer than the limit.
        expired = 'e',
        /// Waits for longer, and is about to end the job.
        reports = 'r',
        finalizes = 'f',
        /// Is in no call that waits.
        runs = '-',
    };
    Activity activity = Activity::unknown;
    std::string text;
};

/// Opens a port and answers questions by `state` in a thread of its own, which never ends. `rank`
/// is that of this process. Port 0 in the result means that no port could be opened.
[[nodiscard]] Contact answer_questions(int rank, std::function<ProcessState()> state);

/// Asks another process; waits for at most a second.
[[nodiscard]] ProcessState ask(const Contact& self, const Contact& other);

/// Starts a thread that receives no signals and never ends.
void start_thread(std::function<void()> body);

}  // namespace tradewind::mpi
