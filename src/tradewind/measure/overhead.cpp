/// Overhead: the processor time of a send and of a receive, each measured separately.
///
/// Rank 0 sends a row of messages to the last rank. `send` is the time of starting one send.
/// `receive` is the time of receiving a message that has already arrived: the last rank works until
/// all messages have arrived, and then receives them. `gap` is the time per message of a longer
/// row, from its first send until the answer that follows its last receive; it is the limit of the
/// message rate (o, g or G of LogGOPS). The messages of a row come from different places, which are
/// rewritten before each repetition.
#include <algorithm>
#include <chrono>

#include "tradewind/measure/measurement.hpp"
#include "tradewind/measure/timing.hpp"

namespace tradewind::measure {

namespace {

/// The number of messages in a row, few enough for the buffers of any MPI library.
constexpr std::int64_t row = 8;
constexpr std::int64_t long_row = 64;
/// The work of the receiver takes this time plus the bytes of the row at `slow_bytes_per_second`:
/// longer than the row takes on all but the slowest networks.
constexpr double wait_seconds = 100e-6;
constexpr double slow_bytes_per_second = 200e6;

struct OverheadPlan {
    std::vector<Bytes> sizes;
    Repetitions repetitions;
    bool payload = true;
};

/// Lets time pass; in real time without a call that makes progress on communication.
Task work(Comm& comm, double seconds, bool real) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (real && Clock::now() < end) {
    }
    co_await comm.compute({seconds * 1e10, 0});
}

struct Measured {
    Picoseconds send = 0;
    Picoseconds receive = 0;
};

/// Returns the place of message i of a row.
Buffer place(Buffer all, std::int64_t i) {
    const Bytes size = all.size() / row;
    return all.part(i % row * size, size);
}

Task send_row(Comm& comm, Buffer all, Measured& times) {
    Request requests[row];
    const Picoseconds start = comm.now();
    for (std::int64_t i = 0; i < row; ++i) requests[i] = comm.isend(comm.size() - 1, place(all, i));
    times.send = comm.now() - start;
    co_await comm.wait_all(requests);
}

Task receive_row(Comm& comm, Buffer data, bool real, Measured& times) {
    const double seconds = wait_seconds + double(row * data.size()) / slow_bytes_per_second;
    co_await work(comm, seconds, real);
    const Picoseconds start = comm.now();
    for (std::int64_t i = 0; i < row; ++i) {
        Request request = comm.irecv(0, data);
        co_await comm.wait(request);
    }
    times.receive = comm.now() - start;
}

Task calls(Comm& comm, const OverheadPlan& plan, Buffer all, Measured& times) {
    if (comm.rank() == 0) co_await send_row(comm, all, times);
    if (comm.rank() == comm.size() - 1)
        co_await receive_row(comm, place(all, 0), plan.payload, times);
}

Task stream(Comm& comm, Buffer all) {
    const Buffer data = place(all, 0);
    const Rank last = comm.size() - 1;
    if (comm.rank() != 0 && comm.rank() != last) co_return;
    std::vector<Request> requests;
    for (std::int64_t i = 0; i < long_row; ++i) {
        requests.push_back(comm.rank() == 0 ? comm.isend(last, place(all, i))
                                            : comm.irecv(0, data));
    }
    co_await comm.wait_all(requests);
    Request answer =
        comm.rank() == 0 ? comm.irecv(last, data.part(0, 0)) : comm.isend(0, data.part(0, 0));
    co_await comm.wait(answer);
}

void add(Rows* rows, const char* name, Bytes bytes, std::vector<double> seconds,
         std::int64_t messages) {
    if (rows == nullptr) return;
    for (double& time : seconds) time /= double(messages);
    rows->push_back({name, bytes, std::move(seconds)});
}

/// Measures `send` and `receive`. Only one rank has each of the times, so the slowest rank is that
/// one.
Task measure_calls(Comm& comm, const OverheadPlan& plan, Buffer all,
                   const std::function<void()>& renew, Rows* rows) {
    Measured times;
    std::vector<double> sends;
    std::vector<double> receives;
    const Program body = [&](Comm& on) {
        times = {};
        return calls(on, plan, all, times);
    };
    std::vector<double> whole;
    for (std::int64_t i = -plan.repetitions.warm_up; i < plan.repetitions.count; ++i) {
        co_await timed(comm, body, {0, 1}, whole, renew);
        if (i < 0) continue;
        sends.push_back(seconds(times.send));
        receives.push_back(seconds(times.receive));
    }
    co_await slowest(comm, sends);
    co_await slowest(comm, receives);
    const Bytes bytes = all.size() / row;
    add(rows, "send", bytes, sends, row);
    add(rows, "receive", bytes, receives, row);
}

Task run(Comm& comm, const OverheadPlan& plan, Rows* rows) {
    Memory memory(row * *std::ranges::max_element(plan.sizes), plan.payload);
    for (const Bytes bytes : plan.sizes) {
        const Buffer all = memory.first(row * bytes);
        const std::function<void()> renew = [&] { memory.touch(all.size()); };
        co_await measure_calls(comm, plan, all, renew, rows);
        std::vector<double> seconds;
        const Program body = [&](Comm& on) { return stream(on, all); };
        co_await timed(comm, body, plan.repetitions, seconds, renew);
        add(rows, "gap", bytes, seconds, long_row);
    }
}

Program make_overhead(const Settings& settings, Rank ranks, const Platform& /*platform*/,
                      Rows& rows) {
    if (ranks < 2) throw ConfigError(text("overhead: ranks = ", ranks, ", must be at least 2"));
    const OverheadPlan plan{read_sizes(settings), read_repetitions(settings),
                            given::payload.of(settings)};
    return
        [plan, &rows](Comm& comm) { return run(comm, plan, comm.rank() == 0 ? &rows : nullptr); };
}

}  // namespace

extern const MeasurementEntry overhead_entry;
constinit const MeasurementEntry overhead_entry = {
    .name = "overhead",
    .summary = "processor time of a send and of a receive, and the message rate",
    .settings = given::usual,
    .prepare = make_overhead,
};

}  // namespace tradewind::measure
