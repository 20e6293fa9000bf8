/// Replay: the calls of a trace take as long as the same calls of a program.
#include "tradewind/trace/replay_plan.hpp"

#include "testing.hpp"
#include "tradewind/base/errors.hpp"
#include "tradewind/simcomm/virtual_ranks.hpp"
#include "tradewind/trace/builder.hpp"

using namespace tradewind;
using namespace tradewind::trace;

namespace {

constexpr Rank ranks = 12;
constexpr Rank columns = 4;

using simcomm::run_virtual;
using simcomm::Traffic;

/// Adds calls to the trace of one rank, without times.
class Recorder {
public:
    Recorder(TraceBuilder& builder, Rank rank) : builder_(builder), rank_(rank) {}

    void call(Call call, std::vector<std::int64_t> arguments, std::int64_t comm = world,
              std::int64_t flags = 0) {
        builder_.add(rank_, builder_.event({call, comm, flags, none, std::move(arguments)}), {});
    }
    void start(Call what, std::vector<std::int64_t> arguments, std::int64_t comm = world) {
        call(what, std::move(arguments), comm, flag::nonblocking);
    }

private:
    TraceBuilder& builder_;
    Rank rank_;
};

[[nodiscard]] Trace record(const std::function<void(TraceBuilder&, Recorder&, Rank)>& fill) {
    TraceBuilder builder(ranks);
    for (Rank r = 0; r < ranks; ++r) {
        Recorder recorder(builder, r);
        fill(builder, recorder, r);
    }
    return builder.finish();
}

Traffic replayed(const Trace& trace) {
    const ReplayPlan plan = plan_replay(view_of(trace));
    return run_virtual(ranks, [&](Comm& comm) { return replay(comm, plan); });
}

void check_equal(const Traffic& a, const Traffic& b) {
    CHECK(a.time == b.time);
    CHECK(a.messages == b.messages);
    CHECK(a.bytes == b.bytes);
}

Task ring(Comm& comm, Bytes bytes) {
    const Rank right = (comm.rank() + 1) % comm.size();
    const Rank left = (comm.rank() + comm.size() - 1) % comm.size();
    for (int turn = 0; turn < 7; ++turn) {
        co_await comm.exchange(right, ConstBuffer(bytes), left, Buffer(bytes), 5);
        std::vector<Request> requests{comm.irecv(left, Buffer(bytes / 2), 1),
                                      comm.irecv(right, Buffer(bytes / 2), 2),
                                      comm.isend(right, ConstBuffer(bytes / 2), 1),
                                      comm.isend(left, ConstBuffer(bytes / 2), 2)};
        co_await comm.wait_all(requests);
    }
}

void record_ring(Recorder& calls, Rank rank, Bytes bytes) {
    const Rank right = (rank + 1) % ranks - rank;
    const Rank left = (rank + ranks - 1) % ranks - rank;
    for (int turn = 0; turn < 7; ++turn) {
        calls.call(Call::sendrecv, {right, 5, bytes, left, 5, bytes});
        calls.start(Call::recv, {left, 1, bytes / 2, 0});
        calls.start(Call::recv, {right, 2, bytes / 2, 1});
        calls.start(Call::send, {right, 1, bytes / 2, 2});
        calls.start(Call::send, {left, 2, bytes / 2, 3});
        calls.call(Call::wait, {0, 1, 2, 3});
    }
}

Task collectives(Comm& comm) {
    SubComm row = row_of(comm, columns);
    SubComm column = column_of(comm, columns);
    const auto allreduce = choose(allreduce_algorithms(), "allreduce", "recursive_k");
    const auto alltoallv = choose(alltoallv_algorithms(), "alltoallv", "ring_k");
    for (int turn = 0; turn < 3; ++turn) {
        co_await allreduce.algorithm->run(row, {Buffer(80), sum<double>()}, allreduce.options);
        const UniformBlocks blocks(3000);
        const Alltoallv data{ConstBuffer(3000 * column.size()), Buffer(3000 * column.size()),
                             &blocks};
        co_await alltoallv.algorithm->run(column, data, alltoallv.options);
        co_await bcast_algorithm("binomial").run(comm, {Buffer(1000), 3}, {});
        co_await barrier_algorithm("dissemination").run(comm, {});
    }
}

}  // namespace

TEST_CASE("messages take as long as in the program, eager and by rendezvous") {
    for (const Bytes bytes : {Bytes{64}, Bytes{8192}, Bytes{1} << 20}) {
        CAPTURE(bytes);
        const Trace trace = record(
            [&](TraceBuilder&, Recorder& calls, Rank rank) { record_ring(calls, rank, bytes); });
        check_equal(replayed(trace),
                    run_virtual(ranks, [&](Comm& comm) { return ring(comm, bytes); }));
    }
}

TEST_CASE("equal ranks share a stream, and its length does not depend on the turns") {
    const Trace trace =
        record([&](TraceBuilder&, Recorder& calls, Rank rank) { record_ring(calls, rank, 64); });
    // The first and the last rank differ, because the ring closes there.
    CHECK(trace.stream_first.size() == 3 + 1);
    for (std::size_t s = 0; s + 1 < trace.stream_first.size(); ++s)
        CHECK(trace.stream_first[s + 1] - trace.stream_first[s] == 7);
}

TEST_CASE("collectives run by the tables of algorithms on the communicators of the program") {
    const Trace trace = record([](TraceBuilder& builder, Recorder& calls, Rank rank) {
        std::vector<Rank> row;
        std::vector<Rank> column;
        for (Rank i = 0; i < columns; ++i) row.push_back(rank / columns * columns + i);
        for (Rank i = 0; i < ranks / columns; ++i) column.push_back(rank % columns + i * columns);
        // Half of the ranks make the two communicators in the other order.
        std::int64_t rows = 0;
        std::int64_t cols = 0;
        if (rank % 2 == 0) {
            rows = builder.communicator(rank, row);
            cols = builder.communicator(rank, column);
        } else {
            cols = builder.communicator(rank, column);
            rows = builder.communicator(rank, row);
        }
        for (int turn = 0; turn < 3; ++turn) {
            calls.call(Call::allreduce, {80}, rows);
            calls.call(Call::alltoall, {3000}, cols);
            calls.call(Call::bcast, {3, 1000});
            calls.call(Call::barrier, {});
        }
    });
    check_equal(replayed(trace), run_virtual(ranks, collectives));
}

TEST_CASE("computation passes between calls, scaled and by either clock") {
    TraceBuilder builder(2);
    const std::int64_t barrier = builder.event({Call::barrier, world, 0, none, {}});
    for (Rank r = 0; r < 2; ++r) {
        for (int i = 0; i < 10; ++i) builder.add(r, barrier, {4'000'000, 1'000'000, 0});
    }
    const Trace trace = builder.finish();
    ReplayPlan plan = plan_replay(view_of(trace));
    const auto time = [&] {
        return run_virtual(2, [&](Comm& comm) { return replay(comm, plan); }).time;
    };
    plan.computation = ComputationTime::left_out;
    const Picoseconds alone = time();
    plan.computation = ComputationTime::processor;
    CHECK(time() == alone + 10'000'000);
    plan.slowdown = 2.5;
    CHECK(time() == alone + 25'000'000);
    plan.computation = ComputationTime::wall;
    CHECK(time() == alone + 100'000'000);
}

TEST_CASE("nonblocking collectives end in the call that completes them") {
    const Trace trace = record([](TraceBuilder&, Recorder& calls, Rank) {
        calls.start(Call::allreduce, {8, 0});
        calls.start(Call::alltoall, {512, 1});
        calls.start(Call::barrier, {2});
        calls.call(Call::wait, {1});
        calls.call(Call::wait, {2, 0});
    });
    const Trace in_turn = record([](TraceBuilder&, Recorder& calls, Rank) {
        calls.call(Call::allreduce, {8});
        calls.call(Call::alltoall, {512});
        calls.call(Call::barrier, {});
    });
    const Traffic traffic = replayed(trace);
    const Traffic blocking = replayed(in_turn);
    CHECK_EQ(traffic.messages, blocking.messages);
    CHECK_EQ(traffic.bytes, blocking.bytes);
    CHECK(traffic.messages > ranks * (ranks - 1));
    CHECK(traffic.time > 0);
}

TEST_CASE("a rank that is not there and a request that is still open are told with rank and call") {
    const auto message_of = [](const Trace& trace) {
        try {
            (void)replayed(trace);
        } catch (const TraceError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const Trace beyond = record([](TraceBuilder&, Recorder& calls, Rank rank) {
        calls.call(Call::barrier, {});
        if (rank == 7) calls.call(Call::send, {5, 0, 8});
    });
    CHECK(message_of(beyond).find("trace: rank 7, call 1") == 0);
    CHECK(message_of(beyond).find("rank 12") != std::string::npos);
    const Trace twice = record([](TraceBuilder&, Recorder& calls, Rank) {
        calls.start(Call::recv, {0, 0, 8, 3});
        calls.start(Call::recv, {0, 0, 8, 3});
    });
    CHECK(message_of(twice).find("request 3") != std::string::npos);
}

TEST_CASE("a call whose arguments do not have its shape is refused when it is added") {
    TraceBuilder builder(4);
    const auto refuses = [&](const TracedCall& event) {
        try {
            (void)builder.event(event);
        } catch (const TraceError&) {
            return true;
        }
        return false;
    };
    CHECK(refuses({Call::send, world, 0, none, {1, 0}}));
    CHECK(refuses({Call::send, world, 0, none, {1, 0, -8}}));
    CHECK(refuses({Call::send, world, flag::nonblocking, none, {1, 0, 8, -1}}));
    CHECK(refuses({Call::alltoallv, world, 0, none, {1, 2, 3}}));
    CHECK(refuses({Call::neighbor_alltoallv, world, 0, none, {2, 1, 8, 1}}));
    CHECK(refuses({Call::barrier, world, 64, none, {}}));
    CHECK(!refuses({Call::neighbor_alltoallv, world, 0, none, {1, 1, 8, 1, -1, 8}}));
    CHECK(!refuses({Call::send, world, flag::nonblocking, none, {no_peer, 0, 8, 0}}));
}
