/// Times of the protocols of worley1998 between two ranks, calculated by hand with LogGOPS.
#include <string>
#include <vector>

#include "support/machine.hpp"
#include "testing.hpp"
#include "tradewind/comm/protocol/exchange.hpp"

using namespace support;

namespace {

constexpr Picoseconds o = 1'500'000;
constexpr Picoseconds L = 2'500'000;
constexpr Picoseconds G = 6000;
constexpr Bytes control = 64;
constexpr Bytes small = 1000;
constexpr Bytes large = 100'000;  // more than S

/// Returns the time from the start of a send to the end of its receive.
constexpr Picoseconds message(Bytes bytes) {
    return o + L + (bytes - 1) * G + o;
}
/// The same time for a go-ahead, which has no data and is sent as a control message.
constexpr Picoseconds go_ahead = message(control);
/// The time of announcement and answer of a rendezvous.
constexpr Picoseconds rendezvous = 2 * (L + (control - 1) * G);

Picoseconds swap_time(Protocol protocol, Bytes bytes) {
    const Program program = [=](Comm& comm) -> Task {
        co_await tradewind::swap(comm, 1 - comm.rank(), ConstBuffer(bytes), Buffer(bytes),
                                 protocol);
    };
    return simcomm::simulate(loggops_machine(), program, 2).run.time;
}

struct Known {
    Protocol protocol;
    Picoseconds small_time;
    Picoseconds large_time;
};

/// Returns the time of two ranks that exchange four pieces each, with 5 us of work on each piece
/// that has arrived.
Picoseconds overlapped_time(Protocol protocol, Bytes bytes) {
    const Program program = [=](Comm& comm) -> Task {
        MessagePairs pairs;
        pairs.count = 4;
        pairs.pair = [&](std::int64_t) {
            const Rank partner = 1 - comm.rank();
            return MessagePair{partner, ConstBuffer(bytes), partner, Buffer(bytes),
                               swaps_first(comm.rank(), partner)};
        };
        pairs.after_receive = [](Comm& on, std::int64_t) -> Task {
            co_await on.compute({5000.0, 0});
        };
        co_await exchange(comm, pairs, protocol);
    };
    Sections sections = loggops_machine();
    sections["node"].set("flops", 1e9);
    return simcomm::simulate(sections, program, 2).run.time;
}

/// The work of a swap, 20 us, that needs no data of the swap.
constexpr Picoseconds work = 20'000'000;
Picoseconds busy_swap_time(Protocol protocol) {
    const Program program = [=](Comm& comm) -> Task {
        MessagePairs pairs;
        pairs.count = 1;
        pairs.pair = [&](std::int64_t) {
            const Rank partner = 1 - comm.rank();
            return MessagePair{partner, ConstBuffer(small), partner, Buffer(small),
                               swaps_first(comm.rank(), partner)};
        };
        pairs.meanwhile = [](Comm& on) -> Task { co_await on.compute({20000.0, 0}); };
        co_await exchange(comm, pairs, protocol);
    };
    Sections sections = loggops_machine();
    sections["node"].set("flops", 1e9);
    return simcomm::simulate(sections, program, 2).run.time;
}

}  // namespace

TEST_CASE("work beside an exchange hides its messages under the protocols that overlap only") {
    for (const ProtocolEntry& entry : protocols()) {
        CAPTURE(entry.name);
        const Picoseconds alone = swap_time(entry.protocol, small);
        const Picoseconds both = busy_swap_time(entry.protocol);
        const bool may_hide = entry.protocol.overlaps() && entry.protocol.variant() != 6;
        if (may_hide) CHECK(both <= alone + work - L);
        if (!may_hide) CHECK_EQ(both, alone + work);
    }
}

TEST_CASE("a swap takes the time that its protocol implies") {
    const Picoseconds eager = message(small);
    const Picoseconds announced = message(large) + rendezvous;
    const Picoseconds ready = message(large);
    const Known all[] = {
        {Protocol(), eager, announced},
        {{0, 1}, eager, announced},
        {{0, 2}, eager, announced},
        {{0, 3}, eager, announced},
        {{0, 6}, eager, announced},
        // There is one go-ahead more; a ready send needs no rendezvous.
        {{0, 4}, go_ahead + eager, go_ahead + ready},
        {{0, 5}, go_ahead + eager, go_ahead + ready},
        // The messages are sent one after the other.
        {{1, 0}, 2 * eager, 2 * announced},
        {{1, 1}, 2 * eager, 2 * announced},
        {{1, 2}, 2 * eager, 2 * announced},
        {{1, 3}, 2 * eager, 2 * announced},
        // Rank 0's data tell rank 1 that it may answer.
        {{1, 4}, go_ahead + 2 * eager, go_ahead + 2 * ready},
        {{1, 5}, go_ahead + 2 * eager, go_ahead + 2 * ready},
        // The second go-ahead follows rank 0's data. Rank 1 has it when it has received the data,
        // or, if rank 0 first waits for its long message to leave, the length of a go-ahead later.
        {{1, 6}, go_ahead + 2 * eager + o, go_ahead + 2 * announced + (control - 1) * G + o},
    };
    for (const Known& known : all) {
        CAPTURE(known.protocol.order(), known.protocol.variant());
        CHECK_EQ(swap_time(known.protocol, small), known.small_time);
        CHECK_EQ(swap_time(known.protocol, large), known.large_time);
    }
}

TEST_CASE("a buffered send first copies its data: they are read and written once") {
    Sections sections = loggops_machine();
    sections["node"].set("memory_bandwidth", 1e9);
    const Program program = [](Comm& comm) -> Task {
        co_await tradewind::swap(comm, 1 - comm.rank(), ConstBuffer(small), Buffer(small),
                                 Protocol(0, 0));
    };
    CHECK_EQ(simcomm::simulate(sections, program, 2).run.time, 2 * small * 1000 + message(small));
}

TEST_CASE("with a single exchange the overlap forms take the time of the plain ones") {
    for (int variant = 1; variant <= 6; ++variant) {
        for (const Bytes bytes : {small, large}) {
            CAPTURE(variant, bytes);
            CHECK_EQ(swap_time({2, variant}, bytes), swap_time({0, variant}, bytes));
            CHECK_EQ(swap_time({3, variant}, bytes), swap_time({1, variant}, bytes));
        }
    }
}

TEST_CASE("in the overlap forms messages travel while the data of others are worked on") {
    constexpr Picoseconds work = 5'000'000;
    // The pieces follow one another: message, then work.
    CHECK_EQ(overlapped_time({0, 3}, 100), 4 * (message(100) + work));
    CHECK_EQ(overlapped_time({0, 6}, 100), 4 * (message(100) + work));
    CHECK_EQ(overlapped_time({2, 6}, 100), 4 * (message(100) + work));
    // The first message arrives during the four sends; afterwards each message only costs its
    // receive overhead.
    for (const int variant : {1, 2, 3}) {
        CAPTURE(variant);
        CHECK_EQ(overlapped_time({2, variant}, 100), 4 * o + 4 * (o + work));
    }
}

TEST_CASE("a ready send of a long message occupies its buffer until it has left") {
    const auto sender_time = [](Bytes bytes) {
        Picoseconds free = 0;
        const Program program = [&free, bytes](Comm& comm) -> Task {
            if (comm.rank() == 1) co_await comm.recv(0, Buffer(bytes));
            if (comm.rank() == 1) co_return;
            co_await comm.compute({1e6, 0});
            Request request = comm.isend(1, ConstBuffer(bytes), 0, SendMode::ready);
            co_await comm.wait(request);
            free = comm.now();
        };
        Sections sections = loggops_machine();
        sections["node"].set("flops", 1e9);
        (void)simcomm::simulate(sections, program, 2);
        return free - 1'000'000'000;
    };
    CHECK_EQ(sender_time(small), o);
    CHECK(sender_time(large) >= o + (large - 1) * G);
    CHECK(sender_time(large) < message(large));
}

TEST_CASE("long messages that both ranks send before they receive lock, unless they are buffered") {
    const Program blocking = [](Comm& comm) -> Task {
        co_await comm.send(1 - comm.rank(), ConstBuffer(large), 5);
        co_await comm.recv(1 - comm.rank(), Buffer(large), 5);
    };
    const auto what =
        message_of<DeadlockError>([&] { (void)simcomm::simulate(loggops_machine(), blocking, 2); });
    CHECK(contains(what, "rank 0 waits for its send to rank 1 (tag 5)"));
    CHECK(contains(what, "rank 1 waits for its send to rank 0 (tag 5)"));
    CHECK(swap_time({0, 0}, large) > 0);
}
