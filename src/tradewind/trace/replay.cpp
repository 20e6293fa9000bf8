/// The replay of the calls of one rank.
///
/// A call that starts a message starts it here, and a call that waits waits here. Successful tests
/// wait: a recording does not say when the message came, only that it was there. Waits for any of
/// several requests wait for the one that was complete in the recording.
#include "tradewind/base/errors.hpp"
#include "tradewind/trace/collectives/collectives.hpp"
#include "tradewind/trace/one_sided/calls.hpp"

namespace tradewind::trace {

namespace {

constexpr std::size_t bytes_at = 2;

[[nodiscard]] SendMode mode_of(Call call) noexcept {
    if (call == Call::ssend) return SendMode::synchronous;
    if (call == Call::rsend) return SendMode::ready;
    return SendMode::standard;
}

[[nodiscard]] bool is_send(Call call) noexcept {
    return call >= Call::send && call <= Call::bsend;
}

void start_send(ReplayRank& state, const CallView& call, Numbers message,
                std::vector<Request>& into) {
    if (message[0] == no_peer) return;
    SubComm& comm = *state.comm(call.comm).messages;
    into.push_back(comm.isend(state.peer(comm, message[0]), ConstBuffer(message[bytes_at]),
                              Tag(message[1]), mode_of(call.call)));
}

void start_receive(ReplayRank& state, const CallView& call, Numbers message,
                   std::vector<Request>& into) {
    if (message[0] == no_peer) return;
    SubComm& comm = *state.comm(call.comm).messages;
    into.push_back(
        comm.irecv(state.peer(comm, message[0]), Buffer(message[bytes_at]), Tag(message[1])));
}

/// Starts the messages of a call. Those that the call waits for are in `state.requests` afterwards.
void start_messages(ReplayRank& state, const CallView& call) {
    state.requests.clear();
    std::vector<Request>& into =
        call.slot != none ? state.open(call.slot).messages : state.requests;
    if (call.call == Call::bsend) {
        start_send(state, call, call.arguments, state.buffered);
    } else if (is_send(call.call)) {
        start_send(state, call, call.arguments, into);
    } else if (call.call == Call::recv) {
        start_receive(state, call, call.arguments, into);
    } else {
        start_receive(state, call, call.arguments.last(3), into);
        start_send(state, call, call.arguments.first(3), into);
    }
}

/// Returns the phase of the time between calls.
[[nodiscard]] const char* between_calls(const ReplayPlan& plan) noexcept {
    return plan.call_names.empty() ? "trace" : "computation";
}

/// Does what a call does that neither waits nor starts messages.
void note(Comm& world, ReplayRank& state, const ReplayPlan& plan, const CallView& call) {
    switch (call.call) {
        case Call::region:
            if (plan.call_names.empty() && std::size_t(call.arguments[0]) < plan.strings.size())
                world.begin_phase(plan.strings[std::size_t(call.arguments[0])].c_str());
            return;
        case Call::init:
        case Call::finalize:
        case Call::probe:
        case Call::comm_create:
        case Call::comm_free:
        case Call::file:
        case Call::other:
            return;
        default:
            state.fail("is recorded, but cannot be replayed");
    }
}

}  // namespace

Task replay(Comm& comm, const ReplayPlan& plan) {
    ReplayRank state(comm, plan);
    expose_signals(comm, plan);
    comm.begin_phase(between_calls(plan));
    while (state.next()) {
        const CallView call = state.call();
        const Picoseconds before = state.computed();
        if (before > 0 && plan.recorded_flops) {
            const Work work{double(before) * 1e-12 * *plan.recorded_flops, 0};
            co_await comm.compute(work);
        } else if (before > 0) {
            co_await comm.elapse(before);
        }
        const char* const phase = state.phase();
        if (phase != nullptr) comm.begin_phase(phase);
        if (call.call == Call::file && state.inside() > 0) {
            co_await comm.elapse(state.inside());
        }
        if (call.call >= Call::send && call.call <= Call::sendrecv) {
            start_messages(state, call);
            co_await comm.wait_all(state.requests);
        } else if (call.call == Call::wait) {
            state.windows.forget(call.arguments);
            state.close(call.arguments, state.requests);
            co_await comm.wait_all(state.requests);
        } else if (call.call == Call::put_signal) {
            start_put(comm, state, call);
        } else if (call.call == Call::wait_signal) {
            const Window window{std::int32_t(call.arguments[0])};
            const auto signal = std::int32_t(call.arguments[1]);
            co_await comm.wait_signal(window, call.arguments[2], signal);
        } else if (is_one_sided(call.call)) {
            co_await run_one_sided(comm, state, plan, call);
        } else if (!is_collective(call.call)) {
            note(comm, state, plan, call);
        } else if (call.slot == none) {
            SubComm& members = *state.comm(call.comm).collectives;
            co_await run_collective(members, state, plan, call);
        } else if (starts_at_once(state, plan, call)) {
            start_collective(state, call);
        } else {
            start_beside(state, plan, call);
        }
        if (phase != nullptr) comm.begin_phase(between_calls(plan));
    }
    co_await comm.wait_all(state.buffered);
    state.close_tasks(state.requests);
    co_await comm.wait_all(state.requests);
}

}  // namespace tradewind::trace
