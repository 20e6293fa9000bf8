/// Tests of the guarantees to programs: matching, send modes, waits, puts, computation, phases.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "support/machine.hpp"
#include "testing.hpp"
#include "tradewind/comm/sub_comm.hpp"

using namespace support;

namespace {

simcomm::RunResult run(const Program& program, Rank ranks, const Sections& sections) {
    return simcomm::simulate(sections, program, ranks).run;
}

simcomm::RunResult run(const Program& program, Rank ranks) {
    return run(program, ranks, torus_machine({ranks + 1}));
}

/// Returns a machine on which two ranks have a node each, or share one.
Sections pair_machine(bool same_node) {
    Sections sections = star_machine(2);
    sections["node"].set("ranks_per_node", std::int64_t{same_node ? 2 : 1});
    return sections;
}

constexpr Work milliseconds(double count) {
    return {count * 1e6, 0};
}
constexpr Picoseconds millisecond = 1'000'000'000;

}  // namespace

TEST_CASE(
    "an eager send is over after its overhead, a long or synchronous one after its receive is "
    "posted") {
    for (const bool same_node : {false, true}) {
        for (const auto& [bytes, mode] :
             std::vector<std::pair<Bytes, SendMode>>{{1024, SendMode::standard},
                                                     {1025, SendMode::standard},
                                                     {8, SendMode::synchronous},
                                                     {5000, SendMode::synchronous}}) {
            CAPTURE(same_node, bytes, int(mode));
            Picoseconds sent = 0;
            const Program program = [&, bytes = bytes, mode = mode](Comm& comm) -> Task {
                if (comm.rank() == 0) {
                    Request request = comm.isend(1, ConstBuffer(bytes), 0, mode);
                    co_await comm.wait(request);
                    CHECK(request.is_null());
                    sent = comm.now();
                } else {
                    co_await comm.compute(milliseconds(5));
                    co_await comm.recv(0, Buffer(bytes));
                }
            };
            run(program, 2, pair_machine(same_node));
            const bool eager = mode == SendMode::standard && (bytes <= 1024 || same_node);
            if (eager) CHECK_EQ(sent, 200'000);
            if (!eager) CHECK(sent > 5 * millisecond);
        }
    }
}

TEST_CASE("a ready send arrives where its receive is posted, and is an error where it is not") {
    for (const bool same_node : {false, true}) {
        for (const bool posted : {true, false}) {
            CAPTURE(same_node, posted);
            const Program program = [posted](Comm& comm) -> Task {
                if (comm.rank() == 0) {
                    co_await comm.compute(milliseconds(5));
                    Request request = comm.isend(1, ConstBuffer(100), 3, SendMode::ready);
                    co_await comm.wait(request);
                } else {
                    co_await comm.compute(milliseconds(6 - 2 * int(posted)));
                    co_await comm.recv(0, Buffer(100), 3);
                }
            };
            const auto what = message_of<Error>([&] { run(program, 2, pair_machine(same_node)); });
            CHECK_EQ(what.empty(), posted);
            if (!posted)
                CHECK(contains(what, "ready") && contains(what, "rank 0") &&
                      contains(what, "rank 1"));
        }
    }
}

TEST_CASE("wait_any gives requests in the order of their completion in time") {
    std::vector<std::int64_t> order;
    std::vector<Picoseconds> times;
    const std::vector<double> delays{0.0, 4.0, 1.0, 3.0, 2.0};
    const Program program = [&](Comm& comm) -> Task {
        if (comm.rank() > 0) {
            co_await comm.compute(milliseconds(delays[std::size_t(comm.rank())]));
            co_await comm.send(0, ConstBuffer(64));
            co_return;
        }
        std::vector<Request> requests;
        for (Rank r = 1; r < comm.size(); ++r) requests.push_back(comm.irecv(r, Buffer(64)));
        for (Rank r = 1; r < comm.size(); ++r) {
            const auto index = co_await comm.wait_any(requests);
            order.push_back(index);
            times.push_back(comm.now());
        }
        const auto none_left = co_await comm.wait_any(requests);
        CHECK_EQ(none_left, -1);
    };
    run(program, 5);
    CHECK(order == std::vector<std::int64_t>({1, 3, 2, 0}));
    for (std::size_t i = 0; i < times.size(); ++i) {
        CHECK(times[i] > Picoseconds(i + 1) * millisecond &&
              times[i] < Picoseconds(i + 2) * millisecond);
    }
}

TEST_CASE("wait_any after the fact gives the earliest request first") {
    std::vector<std::int64_t> order;
    const Program program = [&](Comm& comm) -> Task {
        if (comm.rank() > 0) {
            co_await comm.compute(milliseconds(double(4 - comm.rank())));
            co_await comm.send(0, ConstBuffer(64));
            co_return;
        }
        std::vector<Request> requests;
        for (Rank r = 1; r < comm.size(); ++r) requests.push_back(comm.irecv(r, Buffer(64)));
        // This rank suspends until the messages of all other ranks have arrived.
        co_await comm.compute(milliseconds(10));
        Request last = comm.irecv(1, Buffer(64), 9);
        Request own = comm.isend(0, ConstBuffer(64), 1);
        co_await comm.wait(own);
        Request probe = comm.irecv(0, Buffer(64), 1);
        co_await comm.wait(probe);
        for (int i = 0; i < 3; ++i) {
            const auto index = co_await comm.wait_any(requests);
            order.push_back(index);
        }
        Request answer = comm.isend(0, ConstBuffer(8), 5);
        co_await comm.wait(answer);
        co_await comm.recv(0, Buffer(8), 5);
        CHECK(!last.is_null());
    };
    run(program, 4);
    CHECK(order == std::vector<std::int64_t>({2, 1, 0}));
}

TEST_CASE("test says no before a message has come in and yes after, and takes time") {
    int refusals = 0;
    const Program program = [&](Comm& comm) -> Task {
        if (comm.rank() == 1) {
            co_await comm.compute(milliseconds(1));
            co_await comm.send(0, ConstBuffer(64));
            co_return;
        }
        Request request = comm.irecv(1, Buffer(64));
        for (bool found = false; !found; ++refusals) {
            const Picoseconds before = comm.now();
            const bool complete = co_await comm.test(request);
            found = complete;
            CHECK(comm.now() > before);
        }
        CHECK(request.is_null());
        const bool still_complete = co_await comm.test(request);
        CHECK(still_complete);
        CHECK(comm.now() > millisecond && comm.now() < millisecond + 2'000'000);
    };
    run(program, 2);
    CHECK(refusals > 1000);
}

TEST_CASE("test_any finds the one request that is complete") {
    const Program program = [&](Comm& comm) -> Task {
        if (comm.rank() == 1) co_await comm.send(0, ConstBuffer(64), 1);
        if (comm.rank() > 0) co_return;
        std::vector<Request> requests{comm.irecv(1, Buffer(64), 0), comm.irecv(1, Buffer(64), 1)};
        co_await comm.compute(milliseconds(1));
        const auto first = co_await comm.test_any(requests);
        CHECK_EQ(first, 1);
        const auto second = co_await comm.test_any(requests);
        CHECK_EQ(second, -1);
        CHECK(requests[1].is_null() && !requests[0].is_null());
    };
    run(program, 2);
}

TEST_CASE("puts arrive in the window and raise its signal, also before it is exposed") {
    for (const bool same_node : {false, true}) {
        for (const double late : {0.0, 5.0}) {
            for (const std::size_t bytes : {std::size_t{0}, std::size_t{100}, std::size_t{5000}}) {
                CAPTURE(same_node, late, bytes);
                std::vector<std::byte> memory(bytes + 10);
                const auto data = pattern(bytes, 3);
                Picoseconds waited = 0;
                const Program program = [&](Comm& comm) -> Task {
                    if (comm.rank() == 1) co_await comm.compute(milliseconds(late));
                    const Window window =
                        comm.expose(comm.rank() == 1 ? view(memory) : Buffer(), 2);
                    if (comm.rank() == 0) {
                        for (int i = 0; i < 3; ++i) {
                            Request request = comm.put(1, window, 10, view(data), 1);
                            co_await comm.wait(request);
                        }
                    } else {
                        co_await comm.wait_signal(window, 3, 1);
                        waited = comm.now();
                    }
                };
                run(program, 2, pair_machine(same_node));
                CHECK(std::equal(data.begin(), data.end(), memory.begin() + 10));
                CHECK(waited >= 3 * 200'000);
                CHECK(late == 0.0 || waited == 5 * millisecond);
            }
        }
    }
}

TEST_CASE("a put outside the window is an error that names window and ranks") {
    const Program program = [](Comm& comm) -> Task {
        const Window window = comm.expose(Buffer(100), 1);
        if (comm.rank() == 0) {
            Request request = comm.put(1, window, 60, ConstBuffer(41));
            co_await comm.wait(request);
        }
    };
    const auto what = message_of<Error>([&] { run(program, 2); });
    CHECK(contains(what, "rank 0") && contains(what, "rank 1") && contains(what, "60..101"));
}

TEST_CASE("tags and communicators keep messages apart, whatever the order of the receives") {
    const Program program = [](Comm& comm) -> Task {
        SubComm even = comm.strided(0, 1, comm.size());
        SubComm odd = comm.strided(0, 1, comm.size());
        const auto a = pattern(100, 1);
        const auto b = pattern(100, 2);
        const auto c = pattern(2000, 3);
        const auto d = pattern(2000, 4);
        if (comm.rank() == 0) {
            std::vector<Request> sends{comm.isend(1, view(a), 1), even.isend(1, view(b), 1),
                                       odd.isend(1, view(c), 1), comm.isend(1, view(d), 2)};
            co_await comm.wait_all(sends);
            co_return;
        }
        std::vector<std::vector<std::byte>> got{
            std::vector<std::byte>(100), std::vector<std::byte>(100), std::vector<std::byte>(2000),
            std::vector<std::byte>(2000)};
        co_await comm.recv(0, view(got[3]), 2);
        co_await odd.recv(0, view(got[2]), 1);
        co_await even.recv(0, view(got[1]), 1);
        co_await comm.recv(0, view(got[0]), 1);
        CHECK(got[0] == a && got[1] == b && got[2] == c && got[3] == d);
    };
    run(program, 2);
}

TEST_CASE("a rank may send to itself, and messages may be empty") {
    for (const Bytes bytes : {Bytes{0}, Bytes{10}, Bytes{100'000}}) {
        CAPTURE(bytes);
        int received = 0;
        const Program program = [&](Comm& comm) -> Task {
            const auto data = pattern(std::size_t(bytes), 5);
            std::vector<std::byte> in(std::size_t(bytes), std::byte{0xff});
            const Rank next = (comm.rank() + 1) % comm.size();
            const Rank before = (comm.rank() + comm.size() - 1) % comm.size();
            co_await comm.exchange(comm.rank(), view(data), comm.rank(), view(in));
            CHECK(in == data);
            co_await comm.exchange(next, view(data), before, view(in));
            ++received;
        };
        run(program, 3);
        CHECK_EQ(received, 3);
    }
}

TEST_CASE("computation takes the longer of its operations and its memory traffic") {
    for (const std::string model : {"AMM1", "AMM2", "AMM3"}) {
        for (const bool shared : {false, true}) {
            CAPTURE(model, shared);
            const Program program = [](Comm& comm) -> Task {
                co_await comm.compute({1e6, 20'000'000});
            };
            Sections sections = star_machine(2);
            sections["node"].set("model", model);
            sections["node"].set("ranks_per_node", std::int64_t{shared ? 2 : 1});
            const bool halved = shared && model != "AMM1";
            CHECK_EQ(run(program, 2, sections).time, (halved ? 4 : 2) * millisecond);
        }
    }
    const Program counting = [](Comm& comm) -> Task { co_await comm.compute({7e6, 20'000'000}); };
    CHECK_EQ(run(counting, 1).time, 7 * millisecond);
}

TEST_CASE("computation neither waits for messages of its node nor delays them") {
    for (const std::string model : {"AMM1", "AMM2"}) {
        CAPTURE(model);
        const auto time = [&](double work) {
            const Program program = [work](Comm& comm) -> Task {
                if (comm.rank() == 0) {
                    Request request = comm.isend(2, ConstBuffer(1'000'000), 0);
                    co_await comm.wait(request);
                } else if (comm.rank() == 1) {
                    co_await comm.compute({0.0, Bytes(work)});
                } else if (comm.rank() == 2) {
                    co_await comm.recv(0, Buffer(1'000'000));
                }
            };
            Sections sections = star_machine(2);
            sections["node"].set("ranks_per_node", std::int64_t{2});
            sections["node"].set("model", model);
            sections["node"].set("memory_bandwidth", 2e9);
            return run(program, 3, sections).time;
        };
        const double bytes = 20e6;
        CHECK_EQ(time(bytes), (model == "AMM1" ? 10 : 20) * millisecond);
        CHECK(time(1e3) == time(0.0));
    }
}

TEST_CASE("with weak progress a rendezvous between nodes waits for calls") {
    // Rank 0 computes between its send and its wait, rank 1 before its receive.
    const auto time = [](const std::string& progress, double before, bool same_node) {
        Picoseconds received = 0;
        const Program program = [&received, before](Comm& comm) -> Task {
            if (comm.rank() == 0) {
                Request request = comm.isend(1, ConstBuffer(100'000), 0);
                co_await comm.compute(milliseconds(7));
                co_await comm.compute(milliseconds(3));
                co_await comm.wait(request);
            } else {
                co_await comm.compute(milliseconds(before));
                co_await comm.recv(0, Buffer(100'000));
                received = comm.now();
            }
        };
        Sections sections = pair_machine(same_node);
        sections["message"].set("progress", progress);
        run(program, 2, sections);
        return received;
    };
    for (const std::string progress : {"strong", "weak"}) {
        CAPTURE(progress);
        // The answer meets the computation of the sender, and later none.
        CHECK((time(progress, 2, false) > 10 * millisecond) == (progress == "weak"));
        CHECK(time(progress, 2, true) < 3 * millisecond);
        CHECK(time(progress, 11, false) < 12 * millisecond);
    }
    const Picoseconds late = time("weak", 2, false);
    CHECK(late < 10 * millisecond + millisecond);
    CHECK(time("strong", 2, false) < 3 * millisecond);
}

TEST_CASE("with weak progress a posted receive answers when its rank calls again") {
    const auto time = [](const std::string& progress) {
        Picoseconds sent = 0;
        const bool is_strong = progress == "strong";
        const Program program = [&sent, is_strong](Comm& comm) -> Task {
            if (comm.rank() == 0) {
                co_await comm.compute(milliseconds(1));
                Request request = comm.isend(1, ConstBuffer(100'000), 0);
                co_await comm.wait(request);
                sent = comm.now();
            } else {
                Request request = comm.irecv(0, Buffer(100'000));
                co_await comm.compute(milliseconds(4));
                // A test is a call: the answer leaves, and the data come during the next
                // computation.
                const bool is_over = co_await comm.test(request);
                CHECK(is_over == is_strong);
                co_await comm.compute(milliseconds(9));
                co_await comm.wait(request);
            }
        };
        Sections sections = pair_machine(false);
        sections["message"].set("progress", progress);
        run(program, 2, sections);
        return sent;
    };
    CHECK(time("strong") < 2 * millisecond);
    CHECK(time("weak") > 4 * millisecond);
    CHECK(time("weak") < 5 * millisecond);
}

TEST_CASE("computations vary by their spread, the same for any number of threads") {
    const auto run_with = [](double spread, std::int64_t seed, std::int64_t threads) {
        const Program program = [](Comm& comm) -> Task {
            comm.begin_phase("work");
            for (int n = 0; n < 500; ++n) co_await comm.compute(milliseconds(1));
        };
        Sections sections = torus_machine({5});
        sections["node"].set("compute_spread", spread);
        sections["node"].set("compute_seed", seed);
        sections["simulation"].set("threads", threads);
        return run(program, 4, sections);
    };
    CHECK_EQ(run_with(0.0, 1, 1).time, 500 * millisecond);
    const auto first = run_with(0.2, 1, 1);
    // The sum of 500 has a relative standard deviation of 0.2 / sqrt(500) = 0.009.
    CHECK(std::abs(first.phases[0].mean() / double(500 * millisecond) - 1.0) < 0.02);
    CHECK(first.time != 500 * millisecond);
    CHECK_EQ(run_with(0.2, 1, 3).time, first.time);
    CHECK(run_with(0.2, 2, 1).time != first.time);
}

TEST_CASE("phases count the ranks that were in them and their mean time") {
    const Program program = [](Comm& comm) -> Task {
        comm.begin_phase("first");
        co_await comm.compute(milliseconds(double(1 + comm.rank())));
        comm.begin_phase("second");
        co_await comm.compute(milliseconds(5));
    };
    for (const std::int64_t threads : {1, 3}) {
        Sections sections = torus_machine({5});
        sections["simulation"].set("threads", threads);
        const auto phases = run(program, 4, sections).phases;
        CHECK_EQ(phases.size(), std::size_t{2});
        if (phases.size() != 2) continue;
        CHECK_EQ(phases[0].name, std::string("first"));
        CHECK_EQ(phases[0].count, 4);
        CHECK_EQ(phases[0].mean(), 2.5 * double(millisecond));
        CHECK_EQ(phases[1].mean(), 5.0 * double(millisecond));
        CHECK_EQ(phases[1].last, 9 * millisecond);
    }
}
