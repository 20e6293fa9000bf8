/// One-sided calls and nonblocking collectives of a replay: times under LogGOPS that can be
/// calculated by hand.
#include <functional>

#include "support/machine.hpp"
#include "testing.hpp"
#include "tradewind/base/errors.hpp"
#include "tradewind/trace/builder.hpp"
#include "tradewind/trace/replay_plan.hpp"

using namespace support;
using namespace tradewind::trace;

namespace {

constexpr Picoseconds o = 1'500'000;
constexpr Picoseconds L = 2'500'000;
constexpr Picoseconds G = 6000;
/// The time of a control message of 64 bytes in the network.
constexpr Picoseconds control = L + 63 * G;
constexpr Picoseconds X = 50'000'000;

[[nodiscard]] constexpr Picoseconds flight(Bytes bytes) {
    return L + (bytes - 1) * G;
}

/// The calls of all ranks of a trace.
class ReplayedCalls {
public:
    explicit ReplayedCalls(Rank ranks) : ranks_(ranks), builder_(ranks) {
        for (Rank rank = 0; rank < ranks; ++rank) add(rank, Call::win_create, {0, 1 << 20});
    }
    /// Adds a call after `computed` picoseconds.
    void add(Rank rank, Call call, std::vector<std::int64_t> arguments, std::int64_t flags = 0,
             Picoseconds computed = 0) {
        const std::int64_t event = builder_.event({call, world, flags, none, std::move(arguments)});
        builder_.add(rank, event, {computed, computed, 0});
    }
    /// Returns what the replay takes on a machine.
    [[nodiscard]] simcomm::RunResult run(const Sections& machine = loggops_machine()) {
        const Trace trace = builder_.finish();
        ReplayPlan plan = plan_replay(view_of(trace));
        // Each round exchanges the whole vector with one rank.
        plan.choices.all.allreduce =
            choose(allreduce_algorithms(), "allreduce", "recursive_k:radix=2");
        return simcomm::simulate(
                   machine, [&](Comm& comm) { return replay(comm, plan); }, ranks_)
            .run;
    }
    [[nodiscard]] std::string deadlock() {
        try {
            (void)run();
        } catch (const DeadlockError& error) {
            return error.what();
        }
        return "no deadlock";
    }

private:
    Rank ranks_;
    TraceBuilder builder_;
};

}  // namespace

TEST_CASE("a put is complete at its target after a flight and an acknowledgement") {
    for (const Bytes s : {Bytes{1}, Bytes{8}, Bytes{100'000}}) {
        CAPTURE(s);
        ReplayedCalls calls(2);
        calls.add(0, Call::put, {0, 1, s});
        calls.add(0, Call::flush, {0, 1});
        const auto result = calls.run();
        CHECK_EQ(result.time, o + flight(s) + control);
        CHECK_EQ(result.messages, 1);
        CHECK_EQ(result.bytes, s);
    }
}

TEST_CASE("a get takes a request and a flight back, and nothing of its target's processor") {
    for (const Bytes s : {Bytes{1}, Bytes{100'000}}) {
        CAPTURE(s);
        ReplayedCalls calls(2);
        calls.add(0, Call::get, {0, 1, s});
        calls.add(0, Call::flush, {0, 1});
        calls.add(1, Call::region, {0}, 0, 2 * X);
        const auto result = calls.run();
        CHECK_EQ(result.time, std::max(o + control + flight(s), 2 * X));
        CHECK_EQ(result.messages, 1);
    }
}

TEST_CASE("a flush of one target does not wait for accesses to another one") {
    ReplayedCalls calls(3);
    calls.add(0, Call::put, {0, 1, 100'000});
    calls.add(0, Call::put, {0, 2, 1});
    calls.add(0, Call::flush, {0, 1});
    const Picoseconds first = o + flight(100'000) + control;
    CHECK_EQ(calls.run().time, first);
}

TEST_CASE("sums at a target follow each other at the rate of its memory") {
    Sections machine = loggops_machine();
    machine["node"].set("sum_bandwidth", 1e9);
    constexpr Bytes s = 10'000;
    ReplayedCalls calls(3);
    for (const Rank rank : {Rank{1}, Rank{2}}) {
        calls.add(rank, Call::accumulate, {0, -rank, s});
        calls.add(rank, Call::flush, {0, -rank});
    }
    // The second one comes in behind the first one, whose sum takes longer than that.
    const Picoseconds sum = 1000 * s;
    const Picoseconds last = o + flight(s) + 2 * sum + control;
    const Picoseconds taken = o + flight(s) + 1'000'000 + (s - 1) * G + sum + control;
    CHECK_EQ(calls.run(machine).time, std::max(last, taken));
}

TEST_CASE("a fence completes the accesses, then it is a barrier") {
    constexpr Bytes s = 5000;
    ReplayedCalls calls(2);
    for (const Rank rank : {Rank{0}, Rank{1}}) {
        calls.add(rank, Call::fence, {0});
        if (rank == 0) calls.add(rank, Call::put, {0, 1, s});
        calls.add(rank, Call::fence, {0});
    }
    const Picoseconds barrier = 2 * o + control;
    const auto result = calls.run();
    CHECK_EQ(result.time, barrier + o + flight(s) + control + barrier);
    CHECK_EQ(result.messages, 1 + 2 * 2);
}

TEST_CASE("start waits for the post, and wait for the complete, whose notices are no messages") {
    constexpr Bytes s = 5000;
    ReplayedCalls calls(2);
    calls.add(0, Call::start, {0, 1});
    calls.add(0, Call::put, {0, 1, s});
    calls.add(0, Call::complete, {0});
    calls.add(1, Call::post, {0, -1}, 0, X);
    calls.add(1, Call::wait_posts, {0});
    const auto result = calls.run();
    CHECK_EQ(result.time, X + o + control + o + flight(s) + control + o + control);
    CHECK_EQ(result.messages, 1);
}

TEST_CASE("posts and starts without checks exchange no notices for them") {
    ReplayedCalls calls(2);
    calls.add(0, Call::start, {0, 1}, flag::unchecked);
    calls.add(0, Call::put, {0, 1, 8});
    calls.add(0, Call::complete, {0});
    calls.add(1, Call::post, {0, -1}, flag::unchecked);
    calls.add(1, Call::wait_posts, {0});
    CHECK_EQ(calls.run().time, o + flight(8) + control + o + control);
}

TEST_CASE("a lock takes a round trip, and unlock waits for the accesses") {
    constexpr Bytes s = 5000;
    for (const bool is_checked : {true, false}) {
        CAPTURE(is_checked);
        ReplayedCalls calls(2);
        calls.add(0, Call::lock, {0, 1}, is_checked ? 0 : flag::unchecked);
        calls.add(0, Call::put, {0, 1, s});
        calls.add(0, Call::unlock, {0, 1});
        const Picoseconds access = o + flight(s) + control;
        CHECK_EQ(calls.run().time, is_checked ? o + 2 * control + access + o : access);
    }
}

TEST_CASE("exclusive locks are held one after the other, shared ones at the same time") {
    for (const bool is_exclusive : {false, true}) {
        CAPTURE(is_exclusive);
        ReplayedCalls calls(3);
        for (const Rank rank : {Rank{1}, Rank{2}}) {
            calls.add(rank, Call::lock, {0, -rank}, is_exclusive ? flag::exclusive : 0);
            calls.add(rank, Call::unlock, {0, -rank}, 0, X);
        }
        const Picoseconds alone = o + 2 * control + X + o;
        const Picoseconds second = o + 2 * control + X + o + 2 * control + X + o;
        CHECK_EQ(calls.run().time, is_exclusive ? second : alone);
    }
}

TEST_CASE("the request of a get is complete with its data, that of a put when its buffer is free") {
    constexpr Bytes s = 100'000;
    for (const Call call : {Call::get, Call::put}) {
        for (const bool is_flushed : {false, true}) {
            CAPTURE(int(call), is_flushed);
            ReplayedCalls calls(2);
            calls.add(0, call, {0, 1, s, 0}, flag::nonblocking);
            if (is_flushed) calls.add(0, Call::flush, {0, 1});
            calls.add(0, Call::wait, {0});
            // The slot is free for another request, whichever call has completed it.
            calls.add(0, Call::barrier, {0}, flag::nonblocking);
            calls.add(0, Call::wait, {0});
            calls.add(1, Call::barrier, {0}, flag::nonblocking);
            calls.add(1, Call::wait, {0});
            const Picoseconds there = o + control + flight(s);
            const Picoseconds left = o + (s - 1) * G;
            const Picoseconds done = call == Call::get || is_flushed ? there : left;
            CHECK_EQ(calls.run().time, done + 2 * o + control);
        }
    }
}

TEST_CASE("puts with signals are one message each, and waits see what has come before") {
    ReplayedCalls calls(2);
    calls.add(0, Call::put_signal, {0, 1, 1000, 7, 0}, flag::nonblocking);
    calls.add(0, Call::put_signal, {0, 1, 1000, 7, 1}, flag::nonblocking);
    calls.add(0, Call::wait, {0, 1});
    calls.add(1, Call::wait_signal, {0, 7, 2});
    const auto result = calls.run();
    CHECK_EQ(result.messages, 2);
    CHECK_EQ(result.time, o + 1'000'000 + 2 * 999 * G + L);
}

TEST_CASE("a deadlock of one-sided calls names what each rank waits for") {
    ReplayedCalls no_post(2);
    no_post.add(0, Call::start, {0, 1});
    CHECK(no_post.deadlock().find("rank 0 waits for the post of a window by rank 1") !=
          std::string::npos);
    ReplayedCalls no_complete(2);
    no_complete.add(1, Call::post, {0, -1});
    no_complete.add(1, Call::wait_posts, {0});
    CHECK(no_complete.deadlock().find(
              "rank 1 waits for the end of the accesses of rank 0 to its window") !=
          std::string::npos);
    ReplayedCalls no_unlock(2);
    for (const Rank rank : {Rank{0}, Rank{1}})
        no_unlock.add(rank, Call::lock, {0, 1 - rank}, flag::exclusive, rank * X);
    no_unlock.add(1, Call::lock, {0, 0}, flag::exclusive);
    CHECK(no_unlock.deadlock().find("rank 1 waits for its lock of the window of rank 1") !=
          std::string::npos);
    ReplayedCalls alone(2);
    alone.add(0, Call::barrier, {0}, flag::nonblocking);
    alone.add(0, Call::wait, {0});
    CHECK(alone.deadlock().find("rank 0 waits for its nonblocking collective, and its nonblocking "
                                "collectives for a message from rank 1") != std::string::npos);
}

TEST_CASE("a window whose creation is not recorded is told") {
    ReplayedCalls calls(2);
    calls.add(0, Call::put, {5, 1, 8});
    std::string said;
    try {
        (void)calls.run();
    } catch (const TraceError& error) {
        said = error.what();
    }
    CHECK_EQ(said,
             "trace: rank 0, call 1 of its stream (put): uses window 5, whose creation is not "
             "recorded");
}

TEST_CASE("a nonblocking collective goes on while its ranks compute") {
    constexpr Rank ranks = 4;
    const Picoseconds round = 2 * o + flight(8);
    for (const Picoseconds computed : {Picoseconds{0}, round, X}) {
        CAPTURE(computed);
        ReplayedCalls calls(ranks);
        for (Rank rank = 0; rank < ranks; ++rank) {
            calls.add(rank, Call::allreduce, {8, 0}, flag::nonblocking);
            calls.add(rank, Call::wait, {0}, 0, computed);
        }
        const auto result = calls.run();
        CHECK_EQ(result.time, std::max(o + computed, 2 * round));
        CHECK_EQ(result.messages, 2 * ranks);
    }
}

TEST_CASE("with weak progress its stages wait for the calls of the program") {
    Sections machine = loggops_machine();
    machine["message"].set("progress", std::string("weak"));
    constexpr Rank ranks = 4;
    const Picoseconds round = 2 * o + flight(8);
    const auto time = [&](int calls_between) {
        ReplayedCalls calls(ranks);
        for (Rank rank = 0; rank < ranks; ++rank) {
            calls.add(rank, Call::allreduce, {8, 0}, flag::nonblocking);
            for (int i = 0; i < calls_between; ++i) calls.add(rank, Call::wait, {}, 0, X);
            calls.add(rank, Call::wait, {0}, 0, X);
        }
        return calls.run(machine).time;
    };
    // The first stage is noticed at the end of the first computation; the second one follows, in
    // the wait or during the next computation.
    CHECK_EQ(time(0), o + X + round);
    CHECK_EQ(time(1), o + 2 * X);
}

TEST_CASE("two collectives that are under way at the same time do not mix their messages") {
    constexpr Rank ranks = 4;
    ReplayedCalls calls(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) {
        calls.add(rank, Call::allreduce, {8, 0}, flag::nonblocking);
        calls.add(rank, Call::allreduce, {1 << 20, 1}, flag::nonblocking);
        calls.add(rank, Call::bcast, {2, 512, 2}, flag::nonblocking);
        calls.add(rank, Call::barrier, {});
        calls.add(rank, Call::wait, {2, 0, 1});
    }
    ReplayedCalls after(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) {
        after.add(rank, Call::allreduce, {8});
        after.add(rank, Call::allreduce, {1 << 20});
        after.add(rank, Call::bcast, {2, 512});
        after.add(rank, Call::barrier, {});
    }
    const auto beside = calls.run();
    const auto in_turn = after.run();
    CHECK_EQ(beside.messages, in_turn.messages);
    CHECK_EQ(beside.bytes, in_turn.bytes);
    CHECK(beside.time < in_turn.time);
}

namespace {

/// Runs a program with all kinds of calls, whose ranks are not alike.
[[nodiscard]] simcomm::RunResult run_mixture(Rank ranks, const Sections& machine) {
    ReplayedCalls calls(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) {
        const Rank right = (rank + 1) % ranks - rank;
        calls.add(rank, Call::fence, {0});
        calls.add(rank, Call::accumulate, {0, right, 1000 * (rank + 1)});
        calls.add(rank, Call::allreduce, {80'000, 0}, flag::nonblocking, rank * 1'000'000);
        calls.add(rank, Call::get, {0, right, 200'000});
        calls.add(rank, Call::fence, {0}, 0, X * rank / 10);
        calls.add(rank, Call::lock, {0, -rank}, flag::exclusive);
        calls.add(rank, Call::put, {0, -rank, 70'000});
        calls.add(rank, Call::unlock, {0, -rank});
        calls.add(rank, Call::wait, {0});
    }
    return calls.run(machine);
}

}  // namespace

TEST_CASE("the critical path of one-sided calls and nonblocking collectives adds up to the time") {
    Sections machine = loggops_machine();
    machine["simulation"].set("critical_path", true);
    machine["node"].set("sum_bandwidth", 1e9);
    for (const char* progress : {"strong", "weak"}) {
        CAPTURE(progress);
        machine["message"].set("progress", std::string(progress));
        const auto result = run_mixture(4, machine);
        Picoseconds end = 0;
        for (const auto& step : result.critical_path) {
            CHECK_EQ(step.begin, end);
            end = step.end;
        }
        CHECK_EQ(end, result.time);
    }
}

TEST_CASE("the times of one-sided calls do not depend on threads") {
    for (const char* network : {"analytic", "packet"}) {
        for (const char* progress : {"strong", "weak"}) {
            CAPTURE(network, progress);
            Sections machine = loggops_machine();
            machine["topology"].set("nodes_per_switch", std::int64_t{2});
            machine["simulation"].set("network", std::string(network));
            machine["message"].set("progress", std::string(progress));
            const auto alone = run_mixture(8, machine);
            machine["simulation"].set("threads", std::int64_t{3});
            const auto shared = run_mixture(8, machine);
            CHECK_EQ(alone.hash, shared.hash);
            CHECK_EQ(alone.time, shared.time);
            CHECK_EQ(alone.messages, shared.messages);
        }
    }
}
