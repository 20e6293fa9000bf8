/// ReplayRank: what one rank of a replay has open: communicators, requests, collectives.
#pragma once

#include <memory>
#include <vector>

#include "tradewind/trace/call.hpp"
#include "tradewind/trace/cursor.hpp"
#include "tradewind/trace/one_sided/windows.hpp"
#include "tradewind/trace/replay_plan.hpp"

namespace tradewind::trace {

/// A call as the cursor finds it.
struct CallView {
    Call call = Call::other;
    std::int64_t comm = world;
    std::int64_t flags = 0;
    /// The string of the call site.
    std::int64_t site = none;
    /// The arguments without the slot of a nonblocking call.
    Numbers arguments;
    /// The slot of a nonblocking call; `none` of others.
    std::int64_t slot = none;
};

/// A communicator: one for the messages of the program, one for those of collectives, and one for
/// those of collectives that start all their messages at once.
struct LocalComm {
    std::unique_ptr<SubComm> messages;
    std::unique_ptr<SubComm> collectives;
    std::unique_ptr<SubComm> started;
    /// The number that the contexts of its messages come from, equal on all its ranks.
    std::uint64_t context = 0;
    /// The nonblocking collectives so far that run beside the program.
    std::uint64_t beside = 0;
};

/// The messages behind the slot of a request, or a collective that runs beside the program.
struct OpenRequest {
    std::vector<Request> messages;
    bool is_task = false;
};

class ReplayRank {
public:
    ReplayRank(Comm& comm, const ReplayPlan& plan);

    /// Moves on to the next call; returns false at the end.
    [[nodiscard]] bool next() { return cursor_.next(); }
    [[nodiscard]] CallView call() const;
    /// Returns the name of the phase that the current call is; null if calls are no phases.
    [[nodiscard]] const char* phase() const noexcept;
    /// Returns the time of computation before the current call.
    [[nodiscard]] Picoseconds computed() const;
    /// Returns the time inside the current call, as recorded.
    [[nodiscard]] Picoseconds inside() const;

    /// Returns the communicator of a number. Throws TraceError if the rank does not have it.
    [[nodiscard]] LocalComm& comm(std::int64_t number);
    /// Returns a communicator for one nonblocking collective, whose messages are those of no other.
    /// It lies in `beside`, on which that collective runs.
    [[nodiscard]] std::unique_ptr<SubComm> comm_beside(Comm& beside, std::int64_t number);
    /// Returns the calls beyond those of a communicator. Throws TraceError if there are none.
    [[nodiscard]] SimulatedCalls& calls() const;
    /// Returns the rank in `comm` of a peer. Throws TraceError if it has none.
    [[nodiscard]] Rank peer(const Comm& comm, std::int64_t offset) const;

    /// Returns the free slot of a call. Throws TraceError if its request is still open.
    [[nodiscard]] OpenRequest& open(std::int64_t slot);
    /// Moves the requests of the slots to `requests`, and frees the slots.
    void close(Numbers slots, std::vector<Request>& requests);
    /// Moves the requests of all collectives that run beside the program to `requests`.
    void close_tasks(std::vector<Request>& requests);

    /// Throws TraceError with rank and call.
    [[noreturn]] void fail(const std::string& why) const;

    /// The requests of a wait, and the sends that nobody waits for.
    std::vector<Request> requests;
    std::vector<Request> buffered;
    ReplayWindows windows;

private:
    [[nodiscard]] Picoseconds mean(Numbers times) const;
    /// Returns the place of the communicators of this rank among all.
    [[nodiscard]] std::size_t first_comm() const;

    Comm& world_;
    const ReplayPlan& plan_;
    Cursor cursor_;
    std::size_t first_time_ = 0;
    std::vector<std::unique_ptr<LocalComm>> comms_;
    std::vector<OpenRequest> slots_;
};

}  // namespace tradewind::trace
