/// Ping-pong: half of the time of a message from rank 0 to the last rank and back. The data sent
/// back are those that have arrived, since data that never change would come from the receiver's
/// own cache.
///
/// The kinds are `standard` and `synchronous` sends, `ready` sends (the answer before tells the
/// sender that the receive is posted), and `put`, which is one-sided with a signal that the other
/// rank waits for.
#include <algorithm>

#include "tradewind/measure/measurement.hpp"
#include "tradewind/measure/timing.hpp"

namespace tradewind::measure {

namespace {

/// The number of round trips in one repetition, for all of which the clock is read once.
constexpr std::int64_t turns = 10;

struct PingpongPlan {
    std::vector<Bytes> sizes;
    Repetitions repetitions;
    bool payload = true;
};

struct NamedMode {
    std::string_view name;
    SendMode mode;
};
constexpr NamedMode kinds[] = {{"standard", SendMode::standard},
                               {"synchronous", SendMode::synchronous},
                               {"ready", SendMode::ready}};

/// Sends messages back and forth. The receive of an answer is posted before the message is sent, so
/// that the answer may be a ready send.
Task bounce(Comm& comm, SendMode mode, Buffer out, Buffer in) {
    const Rank last = comm.size() - 1;
    const Rank other = last - comm.rank();
    if (comm.rank() != 0 && comm.rank() != last) co_return;
    Request receive = comm.irecv(other, in);
    for (std::int64_t i = 0; i < turns; ++i) {
        if (comm.rank() == 0) {
            // The first sender cannot know that the receive is posted.
            Request send = comm.isend(other, out, 0, i == 0 ? SendMode::standard : mode);
            co_await comm.wait(send);
            co_await comm.wait(receive);
            std::swap(in, out);
            if (i + 1 < turns) receive = comm.irecv(other, in);
        } else {
            co_await comm.wait(receive);
            std::swap(in, out);
            if (i + 1 < turns) receive = comm.irecv(other, in);
            Request send = comm.isend(other, out, 0, mode);
            co_await comm.wait(send);
        }
    }
}

/// Puts messages back and forth; `count` signals have arrived before.
Task bounce_puts(Comm& comm, Window window, std::int64_t count, ConstBuffer out) {
    const Rank last = comm.size() - 1;
    const Rank other = last - comm.rank();
    if (comm.rank() != 0 && comm.rank() != last) co_return;
    for (std::int64_t i = 0; i < turns; ++i) {
        if (comm.rank() != 0) co_await comm.wait_signal(window, count + i + 1);
        Request put = comm.put(other, window, 0, out);
        co_await comm.wait(put);
        if (comm.rank() == 0) co_await comm.wait_signal(window, count + i + 1);
    }
}

void add(Rows* rows, std::string_view name, Bytes bytes, std::vector<double> seconds) {
    if (rows == nullptr) return;
    for (double& time : seconds) time /= 2.0 * double(turns);
    rows->push_back({std::string(name), bytes, std::move(seconds)});
}

Task run(Comm& comm, const PingpongPlan& plan, Rows* rows) {
    const Bytes largest = *std::ranges::max_element(plan.sizes);
    Memory out(largest, plan.payload);
    Memory in(largest, plan.payload);
    const Window window = comm.expose(in.first(largest));
    std::int64_t signals = 0;
    std::vector<double> seconds;
    for (const Bytes bytes : plan.sizes) {
        for (const NamedMode& kind : kinds) {
            const Program body = [&](Comm& on) {
                return bounce(on, kind.mode, out.first(bytes), in.first(bytes));
            };
            co_await timed(comm, body, plan.repetitions, seconds);
            add(rows, kind.name, bytes, seconds);
        }
        const Program puts = [&](Comm& on) {
            const std::int64_t before = signals;
            signals += turns;
            return bounce_puts(on, window, before, out.first(bytes));
        };
        co_await timed(comm, puts, plan.repetitions, seconds);
        add(rows, "put", bytes, seconds);
    }
}

Program make_pingpong(const Settings& settings, Rank ranks, const Platform& /*platform*/,
                      Rows& rows) {
    if (ranks < 2) throw ConfigError(text("pingpong: ranks = ", ranks, ", must be at least 2"));
    const PingpongPlan plan{read_sizes(settings), read_repetitions(settings),
                            given::payload.of(settings)};
    return
        [plan, &rows](Comm& comm) { return run(comm, plan, comm.rank() == 0 ? &rows : nullptr); };
}

}  // namespace

extern const MeasurementEntry pingpong_entry;
constinit const MeasurementEntry pingpong_entry = {
    .name = "pingpong",
    .summary = "half round trip between rank 0 and the last rank, by kind of send",
    .settings = given::usual,
    .prepare = make_pingpong,
};

}  // namespace tradewind::measure
