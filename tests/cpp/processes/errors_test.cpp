/// Tests that a failure on one process is an error on all of them, and that they can continue.
#include <string>

#include "joint_runs.hpp"
#include "support/communication_patterns.hpp"
#include "testing.hpp"

using namespace support;

namespace {

template <class Exception>
std::string joint_message(const Sections& sections, const Program& program, Rank ranks) {
    return message_of<Exception>([&] { (void)run_jointly(sections, program, ranks); });
}

/// Throws on rank `failing` at the end of a chain of messages from rank 0 upwards.
Task fail_late(Comm& comm, Rank failing) {
    if (comm.rank() > 0) co_await comm.recv(comm.rank() - 1, Buffer(8), 0);
    if (comm.rank() == failing) throw Error(text("rank ", failing, " gives up"));
    if (comm.rank() + 1 < comm.size()) co_await comm.send(comm.rank() + 1, ConstBuffer(8), 0);
}

}  // namespace

TEST_CASE("a deadlock names the waiting ranks of all processes, on all of them") {
    const Program program = [](Comm& comm) -> Task {
        co_await comm.recv((comm.rank() + 1) % comm.size(), Buffer(8), 7);
    };
    const Sections sections = torus_machine({4, 3});
    const auto alone =
        message_of<DeadlockError>([&] { (void)simcomm::simulate(sections, program, 12); });
    CHECK(contains(alone, "12 of 12 ranks wait"));
    CHECK_EQ(joint_message<DeadlockError>(sections, program, 12), alone);
}

TEST_CASE("what a rank throws is thrown on all processes") {
    for (const std::int64_t threads : {1, 2}) {
        Sections sections = torus_machine({4, 3});
        sections["simulation"].set("threads", threads);
        for (const Rank failing : {0, 5, 11}) {
            CAPTURE(threads, failing);
            const Program program = [failing](Comm& comm) { return fail_late(comm, failing); };
            CHECK_EQ(joint_message<Error>(sections, program, 12),
                     text("rank ", failing, " gives up"));
        }
    }
}

TEST_CASE("wrong settings are refused on all processes") {
    Sections sections = torus_machine({4, 3});
    sections["switch"].set("buffer", std::int64_t{1});
    const Program program = make(patterns()[2], 12);
    CHECK(contains(joint_message<ConfigError>(sections, program, 12), "switch.buffer"));
}

TEST_CASE("any process can interrupt a run, and the first one hears how far all are") {
    Sections sections = torus_machine({4, 3});
    const Program program = [](Comm& comm) -> Task {
        for (int i = 0; i < 1'000'000; ++i)
            co_await comm.exchange((comm.rank() + 1) % comm.size(), ConstBuffer(64),
                                   (comm.rank() + comm.size() - 1) % comm.size(), Buffer(64));
    };
    for (const int stopping : {0, all_processes().processes() - 1}) {
        CAPTURE(stopping);
        std::int64_t work = 0;
        const auto progress = [&](std::int64_t /*finished*/, std::int64_t so_far, Picoseconds) {
            work = so_far;
            return all_processes().process() != stopping;
        };
        CHECK_THROWS_AS(run_jointly(sections, program, 12, progress), Interrupted);
        if (all_processes().process() == stopping) CHECK(work > 0);
    }
    const auto small = make(patterns()[2], 12);
    CHECK_EQ(run_jointly(sections, small, 12).hash,
             simcomm::simulate(sections, small, 12).run.hash);
}
