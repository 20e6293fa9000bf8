/// The properties of real MPI: its errors, its limits, its clock.
#include "tradewind/mpi/mpi_comm.hpp"

#include <time.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "real_ranks.hpp"
#include "support/messages.hpp"
#include "support/ranks.hpp"
#include "testing.hpp"
#include "tradewind/comm/barrier/barrier.hpp"
#include "tradewind/mpi/byte_type.hpp"
#include "tradewind/mpi/library.hpp"

using namespace tradewind;
using support::message_of;
using support::says;

namespace {

/// Sends more from rank 1 than rank 0 receives, by the only one or by the second of three requests.
Task truncate(Comm& comm, bool second, bool any) {
    std::vector<std::byte> data(200);
    if (comm.rank() == 1) co_await comm.send(0, ConstBuffer(data.data(), 100), 4);
    if (comm.rank() != 0) co_return;
    Request own = comm.isend(0, ConstBuffer(Bytes{0}), 9);
    co_await comm.recv(0, Buffer(Bytes{0}), 9);
    co_await comm.wait(own);
    std::vector<Request> requests;
    if (second) requests.push_back(comm.isend(0, ConstBuffer(Bytes{0}), 9));
    requests.push_back(comm.irecv(1, Buffer(data.data(), 99), 4));
    if (second) requests.push_back(comm.irecv(0, Buffer(Bytes{0}), 9));
    if (any) {
        for (std::int64_t index = 0; index >= 0;) {
            const auto complete = co_await comm.wait_any(requests);
            index = complete;
        }
    } else {
        co_await comm.wait_all(requests);
    }
}

/// Exchanges messages of which that of rank 1 is one byte longer than the receive of rank 0.
Task truncate_exchange(Comm& comm) {
    std::vector<std::byte> out(100);
    std::vector<std::byte> in(100);
    const Rank other = 1 - comm.rank();
    const Bytes size = comm.rank() == 0 ? 8 : 100;
    const Bytes room = comm.rank() == 0 ? 99 : 8;
    co_await comm.exchange(other, ConstBuffer(out.data(), size), other, Buffer(in.data(), room), 4);
}

/// Returns the time of the node's clock, which all processes share.
std::int64_t node_time() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

struct Passage {
    std::int64_t entered = 0;
    std::int64_t left = 0;
};

Task pass_barrier(Comm& comm, const BarrierAlgorithm& algorithm, Rank late, Passage& passage) {
    if (comm.rank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    passage.entered = node_time();
    co_await algorithm.run(comm, {.radix = 2});
    passage.left = node_time();
}

Task send_large(Comm& comm, Bytes size, bool& right) {
    std::vector<std::byte> data(static_cast<std::size_t>(size), std::byte(comm.rank() + 1));
    data.back() = std::byte(99);
    if (comm.rank() == 0) co_await comm.send(1, ConstBuffer(data.data(), size));
    if (comm.rank() != 1) co_return;
    co_await comm.recv(0, Buffer(data.data(), size));
    right = data.front() == std::byte(1) && data[data.size() - 2] == std::byte(1) &&
            data.back() == std::byte(99);
}

Task put_outside(Comm& comm, std::string& refusal) {
    const Window window = comm.expose(Buffer(Bytes{100}), 1);
    const Rank last = comm.size() - 1;
    refusal = message_of<Error>([&] { (void)comm.put(last, window, 60, ConstBuffer(Bytes{41})); });
    const std::string signal =
        message_of<Error>([&] { (void)comm.put(last, window, 0, ConstBuffer(Bytes{1}), 1); });
    CHECK(says(signal, "signal 1"));
    co_return;
}

Task wait_for_no_window(Comm& comm) {
    co_await comm.wait_signal(Window{1000}, 1);
}

}  // namespace

TEST_CASE("a message that does not fit its receive is an MpiError that names rank, size and tag") {
    for (const Rank ranks : runnable({2})) {
        for (const bool second : {false, true}) {
            for (const bool any : {false, true}) {
                CAPTURE(second, any);
                const auto what = message_of<MpiError>([&] {
                    run_ranks(ranks, [&](Comm& comm) { return truncate(comm, second, any); });
                });
                if (visible(ranks)[0] != 0) continue;
                CHECK(says(what, "rank 0: "));
                CHECK(says(what, "receive of at most 99 bytes from rank 1 (tag 4)"));
                CHECK(says(what, "runcat"));
            }
        }
    }
}

TEST_CASE("an exchange whose message does not fit names both of its messages") {
    for (const Rank ranks : runnable({2})) {
        const auto what = message_of<MpiError>([&] { run_ranks(ranks, truncate_exchange); });
        if (visible(ranks)[0] != 0) continue;
        CHECK(says(what, "rank 0: receive of at most 99 bytes from rank 1 (tag 4)"));
        CHECK(says(what, "send of 8 bytes to rank 1 (tag 4)"));
        CHECK(says(what, "runcat"));
    }
}

TEST_CASE("no process leaves a barrier before the last one has entered") {
    for (const BarrierAlgorithm& algorithm : barrier_algorithms()) {
        for (const Rank ranks : runnable({2, 3, 4, 8})) {
            for (Rank late = 0; late < ranks; ++late) {
                CAPTURE(algorithm.name, ranks, late);
                std::vector<Passage> passages(static_cast<std::size_t>(ranks));
                run_ranks(ranks, [&](Comm& comm) {
                    return pass_barrier(comm, algorithm, late, passages[std::size_t(comm.rank())]);
                });
                share_all(passages);
                for (const Passage& one : passages) {
                    for (const Passage& other : passages) CHECK(one.left >= other.entered);
                }
            }
        }
    }
}

TEST_CASE("wall time passes at the rate of the clock, and computation takes none") {
    const Rank ranks = some_ranks(1);
    Picoseconds slept = 0;
    run_ranks(ranks, [&](Comm& comm) -> Task {
        const Picoseconds start = comm.now();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        co_await comm.compute({1e18, 0});
        slept = comm.now() - start;
    });
    CHECK(slept >= 20'000'000'000);
    CHECK(slept < 10 * picoseconds_per_second);
}

TEST_CASE("local work that a program without data charges is done if it is asked for") {
    // No machine copies or adds up as much in a tenth of a millisecond.
    constexpr Bytes much = Bytes{32} << 20;
    constexpr Picoseconds least = 100'000'000;
    struct Case {
        LocalWork work;
        bool takes_long;
    };
    constexpr Case cases[] = {{{much, 1, 0}, true},   {{much, 1000, 0}, true}, {{0, 0, much}, true},
                              {{8, 100, 0}, false},   {{1001, 3, 13}, false},  {{0, 5, 0}, false},
                              {{much, 1, much}, true}};
    for (const auto& [work, takes_long] : cases) {
        CAPTURE(work.copied, work.blocks, work.summed);
        mpi::MpiComm comm(MPI_COMM_SELF);
        CHECK(!comm.times_local_work());
        comm.charge(work);
        mpi::do_charged_work(comm);
        CHECK(comm.times_local_work());
        const Picoseconds start = comm.now();
        comm.charge(work);
        CHECK(comm.now() - start >= (takes_long ? least : 0));
    }
}

TEST_CASE("a type for bytes beyond 2^31 has their number and no gaps") {
    for (const Bytes size : {Bytes{0}, Bytes{2'147'483'647}, Bytes{2'147'483'648},
                             Bytes{5'368'709'123}, Bytes{1} << 40}) {
        CAPTURE(size);
        const mpi::ByteType bytes(size);
        MPI_Count each = 0;
        MPI_Count low = 0;
        MPI_Count extent = 0;
        MPI_Type_size_x(bytes.type(), &each);
        MPI_Type_get_extent_x(bytes.type(), &low, &extent);
        CHECK_EQ(Bytes(each) * bytes.count(), size);
        CHECK_EQ(Bytes(extent), Bytes(each));
        CHECK_EQ(Bytes(low), 0);
    }
}

TEST_CASE("a message of more than 2^31 bytes arrives") {
    if (std::getenv("TRADEWIND_TEST_LARGE") == nullptr) return;  // takes 5 GB of memory
    for (const Rank ranks : runnable({2})) {
        bool right = false;
        run_ranks(ranks, [&](Comm& comm) { return send_large(comm, 2'200'000'001, right); });
        CHECK(right || visible(ranks)[0] != 1);
    }
}

TEST_CASE("a put outside the window of its target is refused where it starts") {
    const Rank ranks = some_ranks(2);
    std::string refusal;
    run_ranks(ranks, [&](Comm& comm) { return put_outside(comm, refusal); });
    CHECK(says(refusal, "bytes 60..101"));
    CHECK(says(refusal, "window of rank " + std::to_string(ranks - 1) + " (100 bytes, 1 signals)"));
}

TEST_CASE("waiting for a signal of a window that does not exist is refused") {
    const auto what =
        message_of<ConfigError>([&] { run_ranks(some_ranks(1), wait_for_no_window); });
    CHECK(says(what, "window"));
}

TEST_CASE("an unknown put backend is refused with the known ones, and each known one is found") {
    const auto what = message_of<ConfigError>([] { (void)mpi::put_backend("pigeons"); });
    CHECK(says(what, "pigeons"));
    for (const auto& way : mpi::put_backends()) {
        CHECK(says(what, way.name));
        CHECK(&mpi::put_backend(way.name) == &way);
    }
    CHECK(!mpi::put_backend("auto").name.empty());
}

TEST_CASE("two envelopes that need the same tag are refused") {
    mpi::SubTags tags(1);
    const auto what = message_of<MpiError>([&] {
        for (Tag tag = 0; tag < 10; ++tag) (void)tags({7, tag});
    });
    CHECK(says(what, "same MPI tag"));
    mpi::SubTags many((1 << 29) - 1);
    for (std::uint32_t context = 1; context < 40; ++context) {
        for (Tag tag = 32001; tag < 32006; ++tag) {
            CHECK_EQ(many({context, tag}), many({context, tag}));
        }
    }
}

TEST_CASE("the library's name is found in its description") {
    CHECK_EQ(mpi::short_version("MPICH Version:      5.0.2\nMPICH Release date: ..."),
             std::string("MPICH 5.0.2"));
    CHECK_EQ(mpi::short_version("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"),
             std::string("Open MPI v4.1.4"));
    CHECK(!mpi::library_version().empty());
}
