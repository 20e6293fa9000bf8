/// Tests of the errors of runs whose program or settings are wrong.
#include <stdexcept>
#include <string>
#include <vector>

#include "support/machine.hpp"
#include "testing.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"

using namespace support;

namespace {

const Program nothing = [](Comm& comm) -> Task { co_await comm.compute({1.0, 0}); };

struct BadSetting {
    const char* section;
    const char* key;
    Settings::Value value;
};

std::string complaint(const Sections& sections, Rank ranks = 2) {
    return message_of<ConfigError>([&] { (void)simcomm::simulate(sections, nothing, ranks); });
}

/// Returns the error of a run in which rank 1 sends `sent` bytes to rank 0, which receives at most
/// `room`.
std::string truncation(Bytes sent, Bytes room) {
    const Program program = [=](Comm& comm) -> Task {
        if (comm.rank() == 1) co_await comm.send(0, ConstBuffer(sent), 4);
        if (comm.rank() == 0) co_await comm.recv(1, Buffer(room), 4);
    };
    return message_of<Error>([&] { (void)simcomm::simulate(torus_machine({3}), program, 2); });
}

}  // namespace

TEST_CASE("a message that does not fit its receive is an error that names ranks, tag and sizes") {
    for (const Bytes bytes : {Bytes{100}, Bytes{50'000}}) {
        CAPTURE(bytes);
        const auto what = truncation(bytes, bytes - 1);
        CHECK(contains(what, "rank 0"));
        CHECK(contains(what, "rank 1"));
        CHECK(contains(what, "tag 4"));
        CHECK(contains(what, std::to_string(bytes)));
        CHECK(contains(what, std::to_string(bytes - 1)));
        CHECK_EQ(truncation(bytes, bytes + 1), std::string());
    }
}

TEST_CASE("a deadlock is an error that names the waiting ranks and what each waits for") {
    for (const std::int64_t threads : {1, 2}) {
        const Program program = [](Comm& comm) -> Task {
            const Window window = comm.expose(Buffer(8), 1);
            if (comm.rank() == 0) co_await comm.recv(2, Buffer(8), 7);
            if (comm.rank() == 1) co_await comm.wait_signal(window, 3);
            if (comm.rank() == 3) co_await comm.send(1, ConstBuffer(10'000), 9);
        };
        Sections sections = torus_machine({5});
        sections["simulation"].set("threads", threads);
        const auto what =
            message_of<DeadlockError>([&] { (void)simcomm::simulate(sections, program, 4); });
        CHECK(contains(what, "3 of 4 ranks"));
        CHECK(contains(what, "rank 0 waits for a message from rank 2 (tag 7)"));
        CHECK(contains(what, "rank 1 waits for signal 0 of window 0 to reach 3"));
        CHECK(contains(what, "rank 3 waits for its send to rank 1 (tag 9)"));
        CHECK(!contains(what, "rank 2 waits"));
    }
}

TEST_CASE("a deadlock names up to 64 ranks, or some of more and how many the others are") {
    const Program program = [](Comm& comm) -> Task { co_await comm.recv(0, Buffer(8)); };
    const auto complaint = [&](Rank ranks) {
        return message_of<DeadlockError>(
            [&] { (void)simcomm::simulate(torus_machine({ranks}), program, ranks); });
    };
    const std::string all = complaint(64);
    CHECK(contains(all, "64 of 64 ranks"));
    for (int rank = 0; rank < 64; ++rank) CHECK(contains(all, text("rank ", rank, " waits for")));
    CHECK(!contains(all, "more"));
    const std::string some = complaint(65);
    CHECK(contains(some, "65 of 65 ranks"));
    CHECK(contains(some, "rank 7 waits"));
    CHECK(!contains(some, "rank 8 waits"));
    CHECK(contains(some, "; and 57 more. Of all, 65 wait for a message from another rank"));
}

TEST_CASE("a deadlock of many ranks says how many wait for the same, and which is the first") {
    for (const std::int64_t threads : {1, 2}) {
        const Program program = [](Comm& comm) -> Task {
            const Rank rank = comm.rank();
            if (rank == 99) co_return;
            if (rank < 70) co_await comm.recv((rank + 1) % 70, Buffer(8), rank);
            if (rank >= 70) co_await comm.send(rank - 70, ConstBuffer(1'000'000), 7);
        };
        Sections sections = torus_machine({100});
        sections["simulation"].set("threads", threads);
        const auto what =
            message_of<DeadlockError>([&] { (void)simcomm::simulate(sections, program, 100); });
        CHECK(contains(what, "99 of 100 ranks"));
        CHECK(contains(what, "; and 91 more. Of all, 70 wait for a message from another rank"));
        CHECK(contains(what, "(the first is rank 0), 29 wait for its send to another rank"));
        CHECK(contains(what, "(the first is rank 70)"));
    }
}

TEST_CASE("a rank that waits for any of many messages is named with some of them") {
    const Program program = [](Comm& comm) -> Task {
        if (comm.rank() != 0) co_return;
        std::vector<Request> requests;
        for (Tag tag = 0; tag < 6; ++tag) requests.push_back(comm.irecv(1, Buffer(8), tag));
        const auto index = co_await comm.wait_any(requests);
        CHECK(index >= 0);
    };
    const auto what =
        message_of<DeadlockError>([&] { (void)simcomm::simulate(torus_machine({3}), program, 2); });
    CHECK(contains(what, "1 of 2 ranks"));
    CHECK(contains(what, "(tag 2) and 3 more"));
}

TEST_CASE("what a rank throws stops the run and comes out of it") {
    for (const std::int64_t threads : {1, 2, 4}) {
        for (const Rank failing : {Rank{0}, Rank{7}}) {
            CAPTURE(threads, failing);
            const Program program = [=](Comm& comm) -> Task {
                for (int i = 0; i < 20; ++i) {
                    if (i == 10 && comm.rank() == failing) throw std::out_of_range("no such level");
                    co_await comm.exchange((comm.rank() + 1) % 8, ConstBuffer(900),
                                           (comm.rank() + 7) % 8, Buffer(900));
                }
            };
            Sections sections = torus_machine({8});
            sections["simulation"].set("threads", threads);
            const auto what = message_of<std::out_of_range>(
                [&] { (void)simcomm::simulate(sections, program, 8); });
            CHECK_EQ(what, std::string("no such level"));
        }
    }
}

TEST_CASE("a peer that does not exist and a negative size are configuration errors") {
    const Program far = [](Comm& comm) -> Task { co_await comm.send(2, ConstBuffer(1)); };
    CHECK_THROWS_AS(simcomm::simulate(torus_machine({3}), far, 2), ConfigError);
    const Program negative = [](Comm& comm) -> Task {
        co_await comm.send(1, ConstBuffer(Bytes{-1}));
    };
    CHECK_THROWS_AS(simcomm::simulate(torus_machine({3}), negative, 2), ConfigError);
}

TEST_CASE("simulated ranks have no collectives of an MPI library") {
    const UniformBlocks blocks(8);
    const Alltoallv data{ConstBuffer(Bytes{16}), Buffer(Bytes{16}), &blocks};
    const Allreduce vector{Buffer(Bytes{8}), sum<double>()};
    for (const Program& program :
         {Program([&](Comm& comm) { return alltoallv_algorithm("native").run(comm, data, {}); }),
          Program(
              [&](Comm& comm) { return allreduce_algorithm("native").run(comm, vector, {}); })}) {
        const std::string said = message_of<ConfigError>(
            [&] { (void)simcomm::simulate(torus_machine({3}), program, 2); });
        CHECK(said.find("native is the collective of an MPI library") != std::string::npos);
    }
}

TEST_CASE("a run is interrupted when its progress says so") {
    const Program endless = [](Comm& comm) -> Task {
        while (true)
            co_await comm.exchange(1 - comm.rank(), ConstBuffer(8), 1 - comm.rank(), Buffer(8));
    };
    for (const std::string network : {"packet", "analytic"}) {
        for (const std::int64_t threads : {1, 2}) {
            CAPTURE(network);
            Sections sections = torus_machine({3});
            sections["simulation"].set("network", network);
            sections["simulation"].set("threads", threads);
            Picoseconds reached = 0;
            const auto progress = [&](std::int64_t finished, std::int64_t work, Picoseconds time) {
                CHECK_EQ(finished, 0);
                CHECK(work > 0);
                reached = time;
                return false;
            };
            CHECK_THROWS_AS(simcomm::simulate(sections, endless, 2, progress), Interrupted);
            CHECK(reached > 0);
        }
    }
}

TEST_CASE("a setting that makes no sense is a configuration error that names it") {
    using Whole = std::int64_t;
    const std::vector<BadSetting> all{{"simulation", "network", std::string("carrier pigeon")},
                                      {"simulation", "packet_size", Whole{-1}},
                                      {"simulation", "packet_size", Whole{8192}},
                                      {"simulation", "threads", Whole{0}},
                                      {"simulation", "threads", std::string("two")},
                                      {"link", "latency", Whole{0}},
                                      {"link", "latency", Whole{-5}},
                                      {"link", "bandwidth", 0.0},
                                      {"link", "bandwidth", -1e9},
                                      {"link", "link_bandwidth", -1e9},
                                      {"nic", "injection_bandwidth", 0.0},
                                      {"nic", "injection_latency", Whole{-1}},
                                      {"nic", "ejection_bandwidth", -1.0},
                                      {"nic", "per_node", Whole{0}},
                                      {"nic", "gap", Whole{-1}},
                                      {"nic", "buffer", Whole{-1}},
                                      {"switch", "buffer", Whole{255}},
                                      {"switch", "buffer", Whole{-1}},
                                      {"switch", "latency", Whole{-1}},
                                      {"switch", "arbitration", std::string("lottery")},
                                      {"switch", "crossbar_bandwidth", 0.0},
                                      {"node", "model", std::string("AMM4")},
                                      {"node", "memory_bandwidth", 0.0},
                                      {"node", "memory_latency", Whole{-1}},
                                      {"node", "flops", -1.0},
                                      {"node", "ranks_per_node", Whole{0}},
                                      {"message", "eager_limit", Whole{-1}},
                                      {"message", "overhead_send", Whole{-1}},
                                      {"message", "overhead_receive", Whole{-1}},
                                      {"message", "overhead_per_byte", -1.0},
                                      {"message", "gap_per_byte", -1.0},
                                      {"message", "control_size", Whole{0}},
                                      {"message", "latency", Whole{-1}},
                                      {"simulation", "matrix_bins", Whole{-1}},
                                      {"placement", "rule", std::string("by colour")},
                                      {"routing", "name", std::string("by heart")},
                                      {"topology", "name", std::string("moebius")},
                                      {"topology", "extents", Integers{0}}};
    for (const BadSetting& bad : all) {
        CAPTURE(bad.section, bad.key);
        Sections sections = torus_machine({3});
        CHECK_EQ(complaint(sections), std::string());
        sections[bad.section].set(bad.key, bad.value);
        const auto what = complaint(sections);
        CHECK(!what.empty());
        const std::string key = bad.key;
        const bool names_it =
            contains(what, key) || key == "name" || key == "rule" || key == "packet_size";
        CHECK(names_it);
    }
}

TEST_CASE("a wrong name is answered with the names that are known") {
    Sections sections = torus_machine({3});
    sections["simulation"].set("network", std::string("carrier pigeon"));
    const auto what = complaint(sections);
    for (const char* known : {"carrier pigeon", "packet", "packet_unbounded", "analytic"}) {
        CHECK(contains(what, known));
    }
}

TEST_CASE("a buffer of exactly one packet is enough, and unbounded buffers need no size") {
    Sections sections = torus_machine({3});
    sections["switch"].set("buffer", std::int64_t{256});
    CHECK_EQ(complaint(sections), std::string());
    sections["switch"].set("buffer", std::int64_t{1});
    CHECK(contains(complaint(sections), "buffer"));
    sections["simulation"].set("network", std::string("packet_unbounded"));
    CHECK_EQ(complaint(sections), std::string());
}
