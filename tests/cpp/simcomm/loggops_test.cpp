/// Tests of message costs under LogGOPS, which are exact if no resource is shared (Hoefler,
/// Schneider, Lumsdaine 2010).
#include <algorithm>
#include <vector>

#include "support/machine.hpp"
#include "testing.hpp"
#include "tradewind/comm/simulated_calls.hpp"

using namespace support;

namespace {

constexpr Picoseconds o = 1'500'000;
constexpr Picoseconds L = 2'500'000;
constexpr Picoseconds g = 1'000'000;
constexpr Picoseconds G = 6000;
constexpr Bytes control = 64;

Picoseconds one_way(const Sections& sections, Bytes bytes) {
    const Program program = [bytes](Comm& comm) -> Task {
        if (comm.rank() == 0) co_await comm.send(1, ConstBuffer(bytes));
        if (comm.rank() == 1) co_await comm.recv(0, Buffer(bytes));
    };
    return simcomm::simulate(sections, program, 2).run.time;
}

}  // namespace

TEST_CASE("an eager message takes o + L + (s-1) G + o") {
    for (const Bytes s : {Bytes{1}, Bytes{8}, Bytes{4096}, Bytes{65535}}) {
        CAPTURE(s);
        CHECK_EQ(one_way(loggops_machine(), s), o + L + (s - 1) * G + o);
    }
}

TEST_CASE("a message of more than S bytes takes a round trip of control messages more") {
    const Bytes s = 65536;
    const Picoseconds handshake = 2 * (L + (control - 1) * G);
    CHECK_EQ(one_way(loggops_machine(), s), o + handshake + L + (s - 1) * G + o);
}

TEST_CASE("a message costs its sender O for each byte after the first") {
    Sections sections = loggops_machine();
    sections["message"].set("overhead_per_byte", 50.0);
    for (const Bytes s : {Bytes{1}, Bytes{1001}}) {
        CHECK_EQ(one_way(sections, s), o + (s - 1) * 50 + L + (s - 1) * G + o);
    }
}

TEST_CASE("a message without data travels as a control message") {
    CHECK_EQ(one_way(loggops_machine(), 0), o + L + (control - 1) * G + o);
}

TEST_CASE("a ping-pong takes twice the one-way time for each repetition") {
    constexpr Bytes s = 1000;
    const Program program = [](Comm& comm) -> Task {
        for (int i = 0; i < 10; ++i) {
            if (comm.rank() == 0) co_await comm.send(1, ConstBuffer(s));
            co_await comm.recv(1 - comm.rank(), Buffer(s));
            if (comm.rank() == 1) co_await comm.send(0, ConstBuffer(s));
        }
    };
    CHECK_EQ(simcomm::simulate(loggops_machine(), program, 2).run.time,
             20 * (o + L + (s - 1) * G + o));
}

TEST_CASE("a train of messages is bound by the slowest of o, g + (s-1) G and the receiver") {
    for (const Bytes s : {Bytes{1}, Bytes{100}, Bytes{5000}}) {
        CAPTURE(s);
        constexpr int count = 12;
        const Program program = [s](Comm& comm) -> Task {
            for (int i = 0; i < count; ++i) {
                if (comm.rank() == 0) co_await comm.send(1, ConstBuffer(s));
                if (comm.rank() == 1) co_await comm.recv(0, Buffer(s));
            }
        };
        const Picoseconds body = (s - 1) * G;
        Picoseconds sender_free = 0;
        Picoseconds receiver_free = 0;
        Picoseconds clock = 0;
        for (int i = 1; i <= count; ++i) {
            const Picoseconds start = std::max(i * o, sender_free);
            sender_free = start + g + body;
            const Picoseconds taken = std::max(start + L, receiver_free);
            receiver_free = taken + g + body;
            clock = std::max(clock, taken + body) + o;
        }
        CHECK_EQ(simcomm::simulate(loggops_machine(), program, 2).run.time, clock);
    }
}

TEST_CASE("the receive overhead can differ from the send overhead") {
    Sections sections = loggops_machine();
    sections["message"].set("overhead_receive", std::int64_t{700'000});
    CHECK_EQ(one_way(sections, 10), o + L + 9 * G + 700'000);
}

TEST_CASE("messages within a node pass through its memory also in the analytic model") {
    for (const std::string network : {"analytic", "packet", "packet_unbounded"}) {
        for (const Bytes bytes : {Bytes{1000}, Bytes{100'000}}) {
            CAPTURE(network, bytes);
            Sections sections = star_machine(2);
            sections["simulation"].set("network", network);
            sections["node"].set("ranks_per_node", std::int64_t{2});
            CHECK_EQ(one_way(sections, bytes), 200'000 + bytes * 100 + 30'000 + 300'000);
        }
    }
}

namespace {

/// Returns a machine whose nodes have four ranks and separate costs of messages within the node.
Sections one_node() {
    using Whole = std::int64_t;
    Sections sections = loggops_machine();
    sections["node"] = Settings({{"ranks_per_node", Whole{4}},
                                 {"memory_bandwidth", 1e9},
                                 {"memory_latency", Whole{300'000}},
                                 {"control_latency", Whole{100'000}},
                                 {"message_bandwidth", 5e9},
                                 {"eager_limit", Whole{1000}}});
    sections["message"].set("copy_per_byte_send", 20.0);
    sections["message"].set("copy_per_byte_receive", 30.0);
    sections["message"].set("overhead_rendezvous", Whole{11'000});
    sections["message"].set("overhead_synchronous", Whole{7000});
    sections["message"].set("overhead_ready", Whole{5000});
    sections["message"].set("overhead_put", Whole{3000});
    return sections;
}

Picoseconds sent_in_node(Bytes bytes, SendMode mode, const Sections& sections = one_node()) {
    const Program program = [=](Comm& comm) -> Task {
        Request request = comm.rank() == 0 ? comm.isend(1, ConstBuffer(bytes), 0, mode)
                                           : comm.irecv(0, Buffer(bytes));
        co_await comm.wait(request);
    };
    return simcomm::simulate(sections, program, 2).run.time;
}

}  // namespace

TEST_CASE("long ready sends shake hands where the library does") {
    Sections sections = one_node();
    for (const bool shakes_hands : {false, true}) {
        CAPTURE(shakes_hands);
        sections["message"].set("ready_rendezvous", shakes_hands);
        constexpr Picoseconds direct = 2 * 1'500'000 + 300'000 + 5000;
        CHECK_EQ(sent_in_node(1000, SendMode::ready, sections), direct + 1000 * (20 + 30));
        const Picoseconds handshake = shakes_hands ? 211'000 : 0;
        CHECK_EQ(sent_in_node(1001, SendMode::ready, sections), direct + handshake + 1001 * 200);
    }
}

TEST_CASE("within a node eager messages cost their copies, longer ones a handshake and one copy") {
    constexpr Picoseconds overheads = 2 * 1'500'000 + 300'000;
    CHECK_EQ(sent_in_node(1000, SendMode::standard), overheads + 1000 * (20 + 30));
    CHECK_EQ(sent_in_node(1001, SendMode::standard), overheads + 211'000 + 1001 * 200);
    CHECK_EQ(sent_in_node(1000, SendMode::ready), overheads + 5000 + 1000 * (20 + 30));
    CHECK_EQ(sent_in_node(1000, SendMode::synchronous), overheads + 207'000 + 1000 * 200);
}

TEST_CASE("long messages of a node are copied by their receiver, one after the other") {
    constexpr Bytes bytes = 100'000;
    const Program program = [](Comm& comm) -> Task {
        std::vector<Request> requests;
        for (int i = 0; i < 4; ++i) {
            requests.push_back(comm.rank() == 0 ? comm.isend(1, ConstBuffer(bytes))
                                                : comm.irecv(0, Buffer(bytes)));
        }
        co_await comm.wait_all(requests);
    };
    const Picoseconds time = simcomm::simulate(one_node(), program, 2).run.time;
    const Picoseconds first = 1'500'000 + 2 * 100'000 + 300'000;
    CHECK_EQ(time, first + 4 * (1'500'000 + 11'000 + bytes * 200));
}

TEST_CASE("two ranks of a node that exchange long messages copy at the same time") {
    constexpr Bytes bytes = 100'000;
    const auto time = [](bool receive_first) {
        const Program program = [receive_first](Comm& comm) -> Task {
            const Rank partner = 1 - comm.rank();
            std::vector<Request> requests(2);
            requests[receive_first ? 0 : 1] = comm.irecv(partner, Buffer(bytes));
            requests[receive_first ? 1 : 0] = comm.isend(partner, ConstBuffer(bytes));
            co_await comm.wait_all(requests);
        };
        return simcomm::simulate(one_node(), program, 2).run.time;
    };
    const Picoseconds copied = 1'500'000 + 2 * 100'000 + 300'000 + 1'500'000 + 11'000 + bytes * 200;
    CHECK_EQ(time(true), copied);
    CHECK_EQ(time(false), copied);
}

TEST_CASE("a put pays its own overhead, and no receive") {
    const Program program = [](Comm& comm) -> Task {
        const Window window = comm.expose(Buffer(Bytes{1000}));
        if (comm.rank() == 0) {
            Request put = comm.put(1, window, 0, ConstBuffer(Bytes{1000}));
            co_await comm.wait(put);
        } else {
            co_await comm.wait_signal(window, 1);
        }
    };
    const Picoseconds time = simcomm::simulate(one_node(), program, 2).run.time;
    CHECK_EQ(time, 1'500'000 + 3000 + 300'000 + 1000 * 200);
}

TEST_CASE("within a node the origin of puts copies them one after the other, at their own rate") {
    Sections sections = one_node();
    sections["node"].set("put_bandwidth", 2e9);
    for (const Bytes bytes : {Bytes{1000}, Bytes{100'000}}) {
        const Program program = [bytes](Comm& comm) -> Task {
            const Window window = comm.expose(Buffer(bytes));
            if (comm.rank() == 0) {
                std::vector<Request> puts;
                for (int i = 0; i < 3; ++i)
                    puts.push_back(comm.put(1, window, 0, ConstBuffer(bytes)));
                co_await comm.wait_all(puts);
            } else {
                co_await comm.wait_signal(window, 3);
            }
        };
        CAPTURE(bytes);
        const Picoseconds time = simcomm::simulate(sections, program, 2).run.time;
        CHECK_EQ(time, 3 * (1'500'000 + 3000 + bytes * 500) + 300'000);
    }
}

TEST_CASE("the rate of puts within a node leaves those between nodes as they are") {
    const auto time = [](bool has_rate) {
        Sections sections = one_node();
        sections["node"].set("ranks_per_node", std::int64_t{1});
        if (has_rate) sections["node"].set("put_bandwidth", 1e6);
        const Program program = [](Comm& comm) -> Task {
            const Window window = comm.expose(Buffer(Bytes{1000}));
            if (comm.rank() == 0) {
                Request put = comm.put(1, window, 0, ConstBuffer(Bytes{1000}));
                co_await comm.wait(put);
            } else {
                co_await comm.wait_signal(window, 1);
            }
        };
        return simcomm::simulate(sections, program, 2).run.time;
    };
    CHECK_EQ(time(true), time(false));
}

TEST_CASE("an access that writes into the memory of a node is copied by its origin, too") {
    const auto time = [](AccessKind kind, bool has_rate) {
        Sections sections = one_node();
        if (has_rate) sections["node"].set("put_bandwidth", 2e9);
        const Program program = [kind](Comm& comm) -> Task {
            if (comm.rank() > 0) co_return;
            RequestPair pair = comm.simulated()->access(kind, 1, Bytes{100'000}, true);
            co_await comm.wait(pair.send);
            co_await comm.wait(pair.receive);
        };
        return simcomm::simulate(sections, program, 2).run.time;
    };
    // 2 GB/s in place of 5 GB/s.
    constexpr Picoseconds longer = 100'000 * (500 - 200);
    CHECK_EQ(time(AccessKind::put, true), time(AccessKind::put, false) + longer);
    CHECK_EQ(time(AccessKind::get, true), time(AccessKind::get, false));
}
