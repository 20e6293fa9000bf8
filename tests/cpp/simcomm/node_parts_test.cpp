/// Nodes with several interfaces and NUMA domains: what ranks share, and what they do not.
#include <algorithm>
#include <cmath>
#include <string>

#include "support/machine.hpp"
#include "testing.hpp"
#include "tradewind/base/errors.hpp"
#include "tradewind/catalogue/programs.hpp"
#include "tradewind/simcomm/message_cost.hpp"

using namespace support;

namespace {

/// Returns a switch with two nodes of four ranks and two interfaces, with memory of 1000 ps per
/// byte.
Sections two_nodes(const std::string& model = "AMM1") {
    Sections sections = star_machine(2);
    sections["node"].set("model", model);
    sections["node"].set("ranks_per_node", std::int64_t{4});
    sections["nic"].set("per_node", std::int64_t{2});
    return sections;
}

/// A rank that sends, one that receives, and the number of messages.
struct Stream {
    Rank from;
    Rank to;
    int messages = 1;
};

Task run_streams(Comm& comm, std::vector<Stream> streams, Bytes bytes) {
    std::vector<Request> requests;
    for (const Stream& stream : streams) {
        for (int i = 0; i < stream.messages; ++i) {
            if (comm.rank() == stream.from)
                requests.push_back(comm.isend(stream.to, ConstBuffer(bytes), i));
            if (comm.rank() == stream.to)
                requests.push_back(comm.irecv(stream.from, Buffer(bytes), i));
        }
    }
    co_await comm.wait_all(requests);
}

/// Returns the time of streams of messages of 100 kB among 8 ranks, which fill node after node.
Picoseconds time_of(const Sections& sections, const std::vector<Stream>& streams) {
    constexpr Bytes bytes = 100'000;
    return simcomm::simulate(
               sections, [&](Comm& comm) { return run_streams(comm, streams, bytes); }, 8)
        .run.time;
}

/// Sends data from rank 0 to rank 5 and back. Throws an error if they are not the same then.
Task send_there_and_back(Comm& comm, std::size_t size) {
    const std::vector<std::byte> data = pattern(size, 1);
    std::vector<std::byte> received(size);
    if (comm.rank() == 0) {
        co_await comm.send(5, view(data));
        co_await comm.recv(5, view(received));
        if (received != data) throw Error("the data are not those that were sent");
    }
    if (comm.rank() == 5) {
        co_await comm.recv(0, view(received));
        co_await comm.send(0, view(received));
    }
}

constexpr Picoseconds one_body = 100'000 * Picoseconds{1000};

}  // namespace

TEST_CASE("ranks with the same interface share its rate, those with others do not") {
    Sections sections = two_nodes();
    const std::vector<Stream> neighbours{{0, 4}, {1, 5}};
    const std::vector<Stream> apart{{0, 4}, {2, 6}};
    CHECK(time_of(sections, neighbours) < one_body * 5 / 4);
    CHECK(time_of(sections, apart) > 2 * one_body);
    sections["nic"].set("affinity", std::string("block"));
    CHECK(time_of(sections, neighbours) > 2 * one_body);
    CHECK(time_of(sections, apart) < one_body * 5 / 4);
}

TEST_CASE("with rails the messages of one rank take all interfaces of its node") {
    Sections sections = two_nodes();
    const std::vector<Stream> four{{0, 4, 4}};
    CHECK(time_of(sections, four) > 4 * one_body);
    sections["nic"].set("affinity", std::string("message"));
    CHECK(time_of(sections, four) > 2 * one_body);
    CHECK(time_of(sections, four) < 5 * one_body / 2);
    // A single message has one rail.
    CHECK(time_of(sections, {{0, 4}}) > one_body);
}

TEST_CASE("messages on different rails are matched in the order in which they were sent") {
    Sections sections = two_nodes();
    sections["nic"].set("affinity", std::string("message"));
    sections["message"].set("eager_limit", std::int64_t{1 << 20});
    // A long message before a short one, which comes in first on the other rail.
    const auto program = [](Comm& comm) -> Task {
        const std::vector<std::byte> data = pattern(50'000, 1);
        std::vector<std::byte> received(data.size());
        if (comm.rank() == 0) {
            Request requests[] = {comm.isend(4, view(data)),
                                  comm.isend(4, ConstBuffer(data.data(), 8))};
            co_await comm.wait_all(requests);
        }
        if (comm.rank() == 4) {
            Request first = comm.irecv(0, view(received));
            co_await comm.wait(first);
            Request second = comm.irecv(0, Buffer(received.data(), 8));
            co_await comm.wait(second);
            if (received != data) throw Error("the messages came in another order");
        }
    };
    CHECK(simcomm::simulate(sections, program, 8).run.messages == 2);
    for (const std::string network : {"packet", "packet_unbounded", "analytic"}) {
        sections["simulation"].set("network", network);
        CAPTURE(network);
        CHECK(simcomm::simulate(sections, program, 8).run.messages == 2);
    }
}

TEST_CASE("a long message is striped over all interfaces of its node, a short one is not") {
    Sections sections = two_nodes();
    const Picoseconds whole = time_of(sections, {{0, 4}});
    sections["nic"].set("affinity", std::string("stripe"));
    const Picoseconds striped = time_of(sections, {{0, 4}});
    CHECK_EQ(whole - striped, one_body / 2);
    sections["message"].set("eager_limit", std::int64_t{1 << 20});
    CHECK(time_of(sections, {{0, 4}}) > one_body);
    // Both interfaces are busy: striping gains nothing.
    sections["message"].set("eager_limit", std::int64_t{1024});
    const std::vector<Stream> both{{0, 4}, {1, 5}};
    const Picoseconds apart = time_of(sections, both);
    sections["nic"].set("affinity", std::string("cyclic"));
    CHECK(std::abs(double(apart) / double(time_of(sections, both)) - 1.0) < 0.05);
}

TEST_CASE("the parts of a striped message are counted as one, and its data arrive") {
    for (const std::string network : {"packet", "packet_unbounded", "analytic"}) {
        for (const std::size_t size : {std::size_t{3}, std::size_t{2001}, std::size_t{100'000}}) {
            Sections sections = two_nodes("AMM2");
            sections["simulation"].set("network", network);
            sections["nic"].set("affinity", std::string("stripe"));
            sections["message"].set("eager_limit", std::int64_t{0});
            const auto program = [size](Comm& comm) { return send_there_and_back(comm, size); };
            CAPTURE(network, size);
            const auto run = simcomm::simulate(sections, program, 8).run;
            CHECK(run.messages == 2);
            CHECK(run.bytes == 2 * Bytes(size));
        }
    }
}

TEST_CASE("the parts of the time of a striped message add up") {
    Sections sections = two_nodes();
    sections["nic"].set("affinity", std::string("stripe"));
    const auto cost = message_cost(sections, simcomm::MessageEnds{0, 1, 100'000});
    for (const auto& item : cost.items) {
        CHECK(item.name != "waiting");
        if (item.name == "bytes") CHECK_EQ(item.time, one_body / 2);
    }
}

TEST_CASE("ranks of different NUMA domains do not share memory") {
    Sections sections = two_nodes("AMM2");
    sections["node"].set("memory_bandwidth", 2e9);
    const std::vector<Stream> pairs{{0, 1}, {2, 3}};
    // One domain: two copies at 500 ps per byte after each other. Two: at once at 1000.
    CHECK(time_of(sections, pairs) > one_body);
    const Picoseconds shared = time_of(sections, {{0, 1}});
    CHECK(shared < one_body * 3 / 4);
    sections["node"].set("numa_domains", std::int64_t{2});
    CHECK(time_of(sections, {{0, 1}}) > one_body);
    CHECK(time_of(sections, pairs) == time_of(sections, {{0, 1}}));
    CHECK(time_of(sections, {{0, 1}, {1, 0}}) > 2 * one_body);
}

TEST_CASE("a message between NUMA domains takes the memory of both and the latency between them") {
    Sections sections = two_nodes("AMM2");
    sections["node"].set("numa_domains", std::int64_t{2});
    const Picoseconds within = time_of(sections, {{0, 1}});
    const Picoseconds between = time_of(sections, {{0, 2}});
    CHECK_EQ(within, between);
    sections["node"].set("numa_latency", std::int64_t{70'000});
    CHECK_EQ(time_of(sections, {{0, 1}}), within);
    CHECK_EQ(time_of(sections, {{0, 2}}), between + 70'000);
    // The memory of domain 1 serves both.
    CHECK(time_of(sections, {{0, 2}, {3, 2}}) > time_of(sections, {{0, 2}}) + 1000);
}

TEST_CASE("the parts of a message in a node with NUMA domains add up to its time") {
    for (const std::int64_t ranks : {2, 4}) {
        for (const Bytes bytes : {Bytes{8}, Bytes{100'000}}) {
            Sections sections = two_nodes("AMM3");
            sections["node"].set("ranks_per_node", ranks);
            sections["node"].set("numa_domains", std::int64_t{2});
            sections["node"].set("numa_latency", std::int64_t{70'000});
            sections["node"].set("eager_limit", std::int64_t{4096});
            const auto cost = message_cost(sections, simcomm::MessageEnds{0, 0, bytes});
            const auto is_waiting = [](const auto& item) { return item.name == "waiting"; };
            CAPTURE(ranks, bytes);
            CHECK(std::ranges::none_of(cost.items, is_waiting));
            CHECK(std::ranges::any_of(cost.items, [](const auto& item) {
                      return item.name == "NUMA latency";
                  }) == (ranks == 2));
        }
    }
}

TEST_CASE("NUMA domains need a model of a node whose ranks share memory") {
    Sections sections = two_nodes("AMM1");
    sections["node"].set("numa_domains", std::int64_t{2});
    try {
        (void)time_of(sections, {{0, 1}});
        CHECK(false);
    } catch (const ConfigError& error) {
        CHECK(contains(error.what(), "node.numa_domains = 2"));
    }
}
