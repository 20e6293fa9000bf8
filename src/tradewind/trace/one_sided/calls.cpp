/// Accesses, and the three ways to complete them.
#include "tradewind/trace/one_sided/calls.hpp"

#include "tradewind/base/errors.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/trace/collectives/collectives.hpp"
#include "tradewind/trace/shapes.hpp"

namespace tradewind::trace {

namespace {

/// Returns the window of a call, whose first argument is its number.
[[nodiscard]] ReplayWindow& window_of(ReplayRank& state, const CallView& call) {
    ReplayWindow* const found = state.windows.find(call.arguments[0]);
    if (found == nullptr)
        state.fail(text("uses window ", call.arguments[0], ", whose creation is not recorded"));
    return *found;
}

/// Returns the number by which all its ranks know a window.
[[nodiscard]] std::uint32_t context_of(ReplayRank& state, const ReplayWindow& window) {
    constexpr std::uint64_t windows = 4;
    return std::uint32_t(mix(state.comm(window.comm).context, windows + window.number));
}

/// Returns ranks of the whole run for peers in the communicator of a window.
[[nodiscard]] std::vector<Rank> ranks_of(ReplayRank& state, const ReplayWindow& window,
                                         Numbers peers) {
    const SubComm& comm = *state.comm(window.comm).messages;
    std::vector<Rank> ranks;
    for (const std::int64_t peer : peers) {
        if (peer != no_peer) ranks.push_back(comm.parent_rank(state.peer(comm, peer)));
    }
    return ranks;
}

void start_access(ReplayRank& state, const CallView& call) {
    ReplayWindow& window = window_of(state, call);
    const std::vector<Rank> target = ranks_of(state, window, call.arguments.subspan(1, 1));
    if (target.empty()) return;
    const bool has_slot = call.slot != none;
    AccessKind kind = AccessKind::put;
    if (call.call == Call::get) kind = AccessKind::get;
    if (call.call == Call::accumulate) kind = AccessKind::accumulate;
    std::vector<Request>* const slot = has_slot ? &state.open(call.slot).messages : nullptr;
    const RequestPair started = state.calls().access(kind, target[0], call.arguments[2], has_slot);
    window.open.push_back({target[0], started.receive, none});
    if (slot == nullptr) return;
    if (kind == AccessKind::get) {
        slot->push_back(started.receive);
        window.open.back().slot = call.slot;
    } else if (!started.send.is_null()) {
        slot->push_back(started.send);
    }
}

/// Gathers the requests of the accesses of a window to some ranks, or to all if there are none, as
/// those that the call waits for.
void gather_accesses(ReplayRank& state, ReplayWindow& window, std::span<const Rank> targets) {
    std::vector<std::int64_t> slots;
    std::vector<Request> of_slots;
    state.requests.clear();
    window.take(targets, state.requests, slots);
    state.close(slots, of_slots);
}

/// Asks for the locks of some ranks, whose requests are those that the call waits for.
void start_locks(ReplayRank& state, const CallView& call) {
    ReplayWindow& window = window_of(state, call);
    const bool is_exclusive = (call.flags & flag::exclusive) != 0;
    state.requests.clear();
    for (const Rank rank : ranks_of(state, window, call.arguments.subspan(1))) {
        if ((call.flags & flag::unchecked) != 0) continue;
        window.locks[rank] = is_exclusive;
        state.requests.push_back(state.calls().lock(rank, context_of(state, window), is_exclusive));
    }
}

void free_locks(ReplayRank& state, ReplayWindow& window, std::span<const Rank> ranks) {
    for (const Rank rank : ranks) {
        const auto held = window.locks.find(rank);
        if (held == window.locks.end()) continue;
        state.calls().unlock(rank, context_of(state, window), held->second);
        window.locks.erase(held);
    }
}

void notify(ReplayRank& state, const ReplayWindow& window, std::span<const Rank> ranks,
            NoticeKind kind) {
    const std::uint32_t context = context_of(state, window);
    for (const Rank rank : ranks) state.calls().notify(rank, kind, context);
}

/// Waits until each of some ranks has sent one more notice of a kind.
Task wait_for_notices(Comm& comm, ReplayRank& state, const ReplayWindow& window,
                      const std::vector<Rank>& ranks, NoticeKind kind,
                      std::map<Rank, std::int64_t>& waited) {
    const std::uint32_t context = context_of(state, window);
    for (const Rank rank : ranks) {
        const std::int64_t count = ++waited[rank];
        co_await WaitNotice(comm, kind, rank, context, count);
    }
}

Task run_fence(Comm& comm, ReplayRank& state, const ReplayPlan& plan, CallView call) {
    gather_accesses(state, window_of(state, call), {});
    co_await comm.wait_all(state.requests);
    call.call = Call::barrier;
    call.comm = window_of(state, call).comm;
    SubComm& members = *state.comm(call.comm).collectives;
    co_await run_collective(members, state, plan, call);
}

/// Opens a window to the accesses of the ranks of a group.
void run_post(ReplayRank& state, const CallView& call) {
    ReplayWindow& window = window_of(state, call);
    window.origins = ranks_of(state, window, call.arguments.subspan(1));
    if ((call.flags & flag::unchecked) == 0)
        notify(state, window, window.origins, NoticeKind::post);
}

Task run_start(Comm& comm, ReplayRank& state, CallView call) {
    ReplayWindow& window = window_of(state, call);
    window.targets = ranks_of(state, window, call.arguments.subspan(1));
    if ((call.flags & flag::unchecked) != 0) co_return;
    co_await wait_for_notices(comm, state, window, window.targets, NoticeKind::post, window.posts);
}

Task run_complete(Comm& comm, ReplayRank& state, CallView call) {
    ReplayWindow& window = window_of(state, call);
    gather_accesses(state, window, {});
    co_await comm.wait_all(state.requests);
    notify(state, window, window.targets, NoticeKind::complete);
    window.targets.clear();
}

Task run_wait(Comm& comm, ReplayRank& state, CallView call) {
    ReplayWindow& window = window_of(state, call);
    co_await wait_for_notices(comm, state, window, window.origins, NoticeKind::complete,
                              window.ends);
    window.origins.clear();
}

Task run_flush(Comm& comm, ReplayRank& state, CallView call) {
    ReplayWindow& window = window_of(state, call);
    const std::vector<Rank> ranks = ranks_of(state, window, call.arguments.subspan(1));
    if (ranks.empty()) co_return;
    gather_accesses(state, window, ranks);
    co_await comm.wait_all(state.requests);
    if (call.call == Call::unlock) free_locks(state, window, ranks);
}

Task run_lock(Comm& comm, ReplayRank& state, CallView call) {
    start_locks(state, call);
    co_await comm.wait_all(state.requests);
}

Task run_free(Comm& comm, ReplayRank& state, CallView call) {
    gather_accesses(state, window_of(state, call), {});
    co_await comm.wait_all(state.requests);
    state.windows.remove(call.arguments[0]);
}

}  // namespace

void expose_signals(Comm& comm, const ReplayPlan& plan) {
    for (const std::int32_t signals : plan.signals) (void)comm.expose(Buffer(most_bytes), signals);
}

void start_put(Comm& comm, ReplayRank& state, const CallView& call) {
    if (call.arguments[1] == no_peer) return;
    const Window window{std::int32_t(call.arguments[0])};
    const Request started =
        comm.put(state.peer(comm, call.arguments[1]), window, 0, ConstBuffer(call.arguments[2]),
                 std::int32_t(call.arguments[3]));
    if (call.slot != none && !started.is_null()) state.open(call.slot).messages.push_back(started);
}

bool is_one_sided(Call call) noexcept {
    return call >= Call::win_create && call <= Call::flush;
}

Task run_one_sided(Comm& comm, ReplayRank& state, const ReplayPlan& plan, CallView call) {
    switch (call.call) {
        case Call::win_create:
            state.windows.add(call.arguments[0], call.comm);
            return {};
        case Call::win_free:
            return run_free(comm, state, call);
        case Call::fence:
            return run_fence(comm, state, plan, call);
        case Call::post:
            run_post(state, call);
            return {};
        case Call::start:
            return run_start(comm, state, call);
        case Call::complete:
            return run_complete(comm, state, call);
        case Call::wait_posts:
            return run_wait(comm, state, call);
        case Call::lock:
            return run_lock(comm, state, call);
        case Call::unlock:
        case Call::flush:
            return run_flush(comm, state, call);
        default:
            start_access(state, call);
            return {};
    }
}

}  // namespace tradewind::trace
