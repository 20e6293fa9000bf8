/// Tests of the packet network's times: single messages, sharing, arbitration, node models.
#include <algorithm>
#include <string>
#include <vector>

#include "network_cases.hpp"
#include "support/post.hpp"
#include "testing.hpp"

using namespace support;

namespace {

constexpr Bytes packet = 256;
/// The time of a byte on any link of plain_parameters.
constexpr Picoseconds byte_time = 1000;
/// The time of a packet on any link of plain_parameters.
constexpr Picoseconds slot = packet * byte_time;

TransferRate slower(TransferRate a, TransferRate b) {
    return a.ps_per_byte() > b.ps_per_byte() ? a : b;
}

/// Returns the time of a single message with cut-through: all latencies of its route, and all
/// packets on the slowest link.
Picoseconds time_alone(const Wire& wire, const Mail& mail) {
    const auto& parameters = wire.parameters;
    const auto& topology = wire.topology();
    const SwitchId target = SwitchId(mail.to) / topology.nodes_per_switch();
    SwitchId here = SwitchId(mail.from) / topology.nodes_per_switch();
    Picoseconds latency =
        parameters.injection.latency + parameters.switch_latency + parameters.ejection.latency;
    TransferRate rate = slower(parameters.injection.rate, parameters.ejection.rate);
    Flight flight{target, 0, 0};
    wire.routing().launch(flight, here, NodeId(mail.to), 0, NothingQueued());
    for (PortId in_port = -1; !wire.routing().arrived(flight, here);) {
        const Hop hop = wire.routing().next(flight, here, in_port, NothingQueued());
        const Link link = topology.neighbour(here, hop.port);
        const LinkSpeed& speed = parameters.links[std::size_t(link.link_class)];
        latency += speed.latency + parameters.switch_latency;
        rate = slower(rate, speed.rate);
        flight.channel = hop.channel;
        here = link.to;
        in_port = link.port;
    }
    return latency + mail.bytes / packet * rate.time(packet) + rate.time(mail.bytes % packet);
}

/// Returns messages of all sizes between some pairs of nodes, each long after the one before.
std::vector<Mail> lone_messages(const Wire& wire) {
    std::vector<Mail> mails;
    const auto nodes = std::uint32_t(wire.topology().nodes());
    for (std::uint64_t i = 0; i < 8; ++i) {
        for (const Bytes bytes : {Bytes{1}, packet, packet + 1, 10 * packet + 7}) {
            const Picoseconds time = 100'000'000 * Picoseconds(mails.size());
            mails.push_back({below(mix(i, 1), nodes), below(mix(i, 2), nodes), bytes, time});
        }
    }
    return mails;
}

void check_lone_messages(Wire& wire) {
    auto mails = lone_messages(wire);
    wire.run(mails);
    for (const Mail& mail : mails) {
        CAPTURE(mail.from, mail.to, mail.bytes);
        CHECK_EQ(mail.delivered - mail.time, time_alone(wire, mail));
    }
    CHECK_EQ(wire.report.delay.maximum(), 0);
    CHECK_EQ(wire.report.delay.minimum(), 0);
}

bool is_shortest(std::string_view rule) {
    return rule == "minimal" || rule == "dimension_order" || rule == "d_mod_k";
}

/// Runs `check` on every topology with every rule that always takes the same shortest route.
template <class Check>
void for_shortest_routes(const Check& check) {
    for (const auto& entry : network_cases::all_cases()) {
        for (const auto* const rule : routings()) {
            const auto topology = entry.make();
            if (!is_shortest(rule->name) || !rule->make(*topology, {})) continue;
            CAPTURE(entry.topology, entry.label, rule->name);
            Wire wire(entry.make(), std::string(rule->name));
            check(wire);
        }
    }
}

/// The rates of injection, links and ejection in bytes per second.
struct Rates {
    double injection, link, ejection;
};

Picoseconds last_delivery(const std::vector<Mail>& mails) {
    return std::ranges::max_element(mails, {}, &Mail::delivered)->delivered;
}

}  // namespace

TEST_CASE("a message alone takes exactly the contention-free time on every topology") {
    for_shortest_routes([](Wire& wire) {
        wire.parameters.switch_buffer = 64 * packet;
        wire.parameters.nic_buffer = 64 * packet;
        check_lone_messages(wire);
    });
}

TEST_CASE("a message alone takes the contention-free time where classes of links are unequal") {
    for_shortest_routes([](Wire& wire) {
        auto& links = wire.parameters.links;
        if (links.size() < 2) return;
        for (const bool local_is_slow : {false, true}) {
            CAPTURE(local_is_slow);
            for (std::size_t i = 0; i < links.size(); ++i) {
                const bool slow = (i == 0) == local_is_slow;
                links[i] = {TransferRate(slow ? 0.25e9 : 1e9), slow ? 700'000 : 100'000};
            }
            check_lone_messages(wire);
        }
    });
}

TEST_CASE(
    "a message alone takes the contention-free time with any rates of injection, links and "
    "ejection") {
    for (const Rates rates :
         {Rates{1e9, 1e9, 1e9}, Rates{2e9, 1e9, 2e9}, Rates{1e9, 2e9, 1e9}, Rates{1e9, 2e9, 2e9},
          Rates{1e9, 4e9, 2e9}, Rates{4e9, 2e9, 1e9}, Rates{2e9, 4e9, 1e9}}) {
        CAPTURE(rates.injection, rates.link, rates.ejection);
        Wire wire("torus", torus({4, 3}, 2));
        wire.parameters.injection.rate = TransferRate(rates.injection);
        wire.parameters.links[0].rate = TransferRate(rates.link);
        wire.parameters.ejection.rate = TransferRate(rates.ejection);
        check_lone_messages(wire);
    }
}

TEST_CASE("round robin and an idle crossbar cost a message alone nothing") {
    for (const auto arbitration : every_arbitration) {
        Wire wire("torus", torus({4, 3}, 2));
        wire.parameters.arbitration = arbitration;
        wire.parameters.node_model = NodeModel::amm3;
        wire.parameters.crossbar = TransferRate(1e9);
        wire.parameters.switch_buffer = 64 * packet;
        check_lone_messages(wire);
    }
}

TEST_CASE("a sender hears that its message is injected when the last byte has left") {
    Wire wire("torus", torus({3}));
    std::vector<Mail> mails{{0, 1, 10 * packet, 5000}};
    wire.run(mails);
    CHECK_EQ(mails[0].injected, 5000 + 10 * slot);
}

TEST_CASE("messages of one interface go one after the other, at least one gap apart") {
    for (const Picoseconds gap : {Picoseconds{0}, slot, 3 * slot}) {
        CAPTURE(gap);
        Wire wire("torus", torus({3}));
        wire.parameters.message_gap = gap;
        std::vector<Mail> mails;
        for (int i = 0; i < 5; ++i) mails.push_back({0, 1, packet, 0});
        wire.run(mails);
        for (int i = 0; i < 5; ++i)
            CHECK_EQ(mails[std::size_t(i)].injected, i * std::max(gap, slot) + slot);
    }
}

TEST_CASE("two flows through one link get half of it each") {
    for (const auto arbitration : every_arbitration) {
        for (const Bytes buffer : {Bytes{0}, 1000 * packet}) {
            CAPTURE(int(arbitration), buffer);
            Wire wire("torus", torus({3}, 2));
            wire.parameters.arbitration = arbitration;
            wire.parameters.switch_buffer = buffer;
            wire.parameters.nic_buffer = buffer;
            std::vector<Mail> mails{{0, 2, 100 * packet, 0}, {1, 3, 100 * packet, 0}};
            wire.run(mails);
            const auto latencies = 50'000 + 20'000 + 100'000 + 20'000 + 30'000;
            std::ranges::sort(mails, {}, &Mail::delivered);
            CHECK_EQ(mails[0].delivered, latencies + 199 * slot);
            CHECK_EQ(mails[1].delivered, latencies + 200 * slot);
        }
    }
}

TEST_CASE("flows on different links do not disturb each other") {
    Wire wire("torus", torus({4}, 2));
    std::vector<Mail> mails{{0, 2, 50 * packet, 0}, {1, 6, 50 * packet, 0}};
    wire.run(mails);
    CHECK_EQ(wire.report.delay.maximum(), 0);
    CHECK_EQ(mails[0].delivered, mails[1].delivered);
}

TEST_CASE(
    "the round robin port serves a newcomer at once, the first-come port after all that came "
    "before") {
    // Packets arrive four times faster than they can leave to node 2, so that after 64 of them 48
    // wait.
    constexpr Picoseconds leave = 4 * slot;
    const auto run = [](Arbitration arbitration) {
        Wire wire("star", star(3));
        wire.parameters.arbitration = arbitration;
        wire.parameters.ejection.rate = TransferRate(0.25e9);
        std::vector<Mail> mails{{0, 2, 128 * packet, 0}, {1, 2, 8 * packet, 64 * slot}};
        wire.run(mails);
        CHECK_EQ(last_delivery(mails), 50'000 + 20'000 + 30'000 + 136 * leave);
        return mails[1].delivered - mails[1].time;
    };
    const Picoseconds fair = run(Arbitration::round_robin);
    CHECK(fair >= 15 * leave);
    CHECK(fair <= 19 * leave);
    CHECK(run(Arbitration::first_come) >= 48 * leave);
}

TEST_CASE("round robin gives three input ports equal shares whatever has queued") {
    Wire wire("star", star(4));
    wire.parameters.arbitration = Arbitration::round_robin;
    std::vector<Mail> mails;
    for (std::uint32_t node = 0; node < 3; ++node) {
        mails.push_back({node, 3, 60 * packet, Picoseconds(2 - node) * 10 * slot});
    }
    wire.run(mails);
    // Node 2 starts first, node 0 last; from then on each gets a third until node 2 has finished.
    const Picoseconds start = 50'000 + 20'000 + 30'000;
    CHECK_EQ(last_delivery(mails), start + 180 * slot);
    CHECK(mails[2].delivered - start <= (10 + 2 * 5 + 3 * 45 + 4) * slot);
    CHECK(mails[0].delivered - mails[2].delivered <= 2 * 20 * slot);
}

TEST_CASE("packets wait for the port that others keep busy, and are counted once for each switch") {
    // Nodes 0 and 1 send to node 2 at the same time, later one of them to the other.
    Wire wire("star", star(3));
    std::vector<Mail> mails{{0, 2, packet, 0}, {1, 2, packet, 0}, {0, 1, packet, 10 * slot}};
    wire.run(mails);
    CHECK_EQ(wire.report.packet_wait.count(), 0);
    wire.packet_waits = true;
    wire.run(mails);
    CHECK_EQ(wire.report.packet_wait.count(), 3);
    CHECK_EQ(wire.report.packet_wait.minimum(), 0);
    CHECK_EQ(wire.report.packet_wait.maximum(), slot);
    CHECK_EQ(wire.report.packet_wait.mean(), double(slot) / 3);
    // Each packet of a message passes two switches here.
    Wire ring("torus", torus({4}));
    ring.packet_waits = true;
    std::vector<Mail> one{{0, 1, 5 * packet, 0}};
    ring.run(one);
    CHECK_EQ(ring.report.packet_wait.count(), 10);
    CHECK_EQ(ring.report.packet_wait.maximum(), 0);
}

TEST_CASE("two interfaces of a node share its memory in AMM2 but not in AMM1") {
    for (const auto model : {NodeModel::amm1, NodeModel::amm2}) {
        CAPTURE(int(model));
        Wire wire("star", star(3));
        wire.parameters.nics_per_node = 2;
        wire.parameters.node_model = model;
        wire.parameters.memory = TransferRate(1e9);
        std::vector<Mail> mails{{0, 2, 100 * packet, 0}, {1, 4, 100 * packet, 0}};
        wire.run(mails);
        const Picoseconds busy = model == NodeModel::amm1 ? 100 * slot : 200 * slot;
        CHECK(last_delivery(mails) >= busy);
        CHECK(last_delivery(mails) <= busy + 3 * slot);
    }
}

TEST_CASE("receiving takes memory bandwidth in AMM2") {
    Wire wire("star", star(3));
    wire.parameters.node_model = NodeModel::amm2;
    wire.parameters.memory = TransferRate(0.5e9);
    wire.parameters.injection.rate = TransferRate(0.25e9);
    std::vector<Mail> mails{{0, 2, 100 * packet, 0}, {1, 2, 100 * packet, 0}};
    wire.run(mails);
    CHECK(last_delivery(mails) >= 400 * slot);
    CHECK(last_delivery(mails) <= 406 * slot);
}

TEST_CASE("an AMM3 crossbar bounds what passes through a switch at once") {
    for (const double crossbar : {0.0, 1e9, 2e9, 0.5e9}) {
        CAPTURE(crossbar);
        Wire wire("star", star(4));
        wire.parameters.node_model = NodeModel::amm3;
        wire.parameters.crossbar = TransferRate(crossbar);
        std::vector<Mail> mails{{0, 1, 100 * packet, 0}, {2, 3, 100 * packet, 0}};
        wire.run(mails);
        const double rate = crossbar > 0.0 ? std::min(2e9, crossbar) : 2e9;
        const auto busy = TransferRate(rate).time(200 * packet);
        CHECK(last_delivery(mails) >= busy - slot);
        CHECK(last_delivery(mails) <= busy + 4 * slot);
    }
}
