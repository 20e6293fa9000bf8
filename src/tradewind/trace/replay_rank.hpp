/// ReplayRank: what one rank of a replay has open: communicators, requests, collectives.
#pragma once

#include <memory>
#include <vector>

#include "tradewind/trace/call.hpp"
#include "tradewind/trace/cursor.hpp"
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
};

/// The messages or the collective behind the slot of a request.
struct OpenRequest {
    /// The messages that have been started.
    std::vector<Request> messages;
    /// A collective that runs when it is completed, since its stages need the rank.
    bool is_deferred = false;
    CallView call;
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
    /// Returns the rank in `comm` of a peer. Throws TraceError if it has none.
    [[nodiscard]] Rank peer(const Comm& comm, std::int64_t offset) const;

    /// Returns the free slot of a call. Throws TraceError if its request is still open.
    [[nodiscard]] OpenRequest& open(std::int64_t slot);
    /// Moves the requests of the slots to `requests`, and frees the slots.
    void close(Numbers slots, std::vector<Request>& requests);
    /// Remembers a collective that runs when it is completed.
    void defer(const CallView& call);
    /// Takes the deferred collectives up to the last one among `slots`, in their order.
    [[nodiscard]] std::vector<CallView> take_deferred(Numbers slots);

    /// Throws TraceError with rank and call.
    [[noreturn]] void fail(const std::string& why) const;

    /// The requests of a wait, and the sends that nobody waits for.
    std::vector<Request> requests;
    std::vector<Request> buffered;

private:
    [[nodiscard]] Picoseconds mean(Numbers times) const;

    Comm& world_;
    const ReplayPlan& plan_;
    Cursor cursor_;
    std::size_t first_time_ = 0;
    std::vector<std::unique_ptr<LocalComm>> comms_;
    std::vector<OpenRequest> slots_;
    std::vector<std::int64_t> deferred_;
};

}  // namespace tradewind::trace
