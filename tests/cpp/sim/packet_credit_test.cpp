/// Tests of finite buffers: credits bound the rate, are returned, and never deadlock the network.
#include <algorithm>
#include <string>
#include <vector>

#include "network_cases.hpp"
#include "support/post.hpp"
#include "testing.hpp"

using namespace support;

namespace {

constexpr Bytes packet = 256;
constexpr Picoseconds slot = packet * 1000;

/// Returns the bytes that all links between switches carried.
Bytes link_bytes(const Wire& wire) {
    Bytes sum = 0;
    const std::size_t classes = wire.topology().link_classes().size();
    for (std::size_t i = 0; i < classes; ++i) sum += wire.report.links[i].bytes;
    return sum;
}

/// Returns the sum of bytes times links of the shortest routes.
Bytes least_link_bytes(const Wire& wire, const std::vector<Mail>& mails) {
    Bytes sum = 0;
    const auto per_switch = std::uint32_t(wire.topology().nodes_per_switch());
    for (const Mail& mail : mails) {
        sum += mail.bytes * wire.topology().distance(SwitchId(mail.from / per_switch),
                                                     SwitchId(mail.to / per_switch));
    }
    return sum;
}

void check_conserved(const Wire& wire, const std::vector<Mail>& mails, bool shortest) {
    Bytes sent = 0;
    for (const Mail& mail : mails) {
        CHECK(mail.delivered > mail.time);
        CHECK(mail.injected > mail.time && mail.injected < mail.delivered);
        sent += mail.bytes;
    }
    const auto& links = wire.report.links;
    CHECK_EQ(links[links.size() - 2].name, std::string("ejection"));
    CHECK_EQ(links[links.size() - 2].bytes, sent);
    CHECK_EQ(links.back().bytes, sent);
    CHECK_EQ(wire.report.bytes, sent);
    CHECK_EQ(wire.report.messages, std::int64_t(mails.size()));
    CHECK_EQ(wire.held, 0);
    const Bytes least = least_link_bytes(wire, mails);
    if (shortest) CHECK_EQ(link_bytes(wire), least);
    CHECK(link_bytes(wire) >= least);
    Bytes detailed = 0;
    for (const LinkRecord& record : wire.report.link_records) detailed += record.bytes;
    CHECK_EQ(detailed, link_bytes(wire));
    for (const LinkClassReport& link : links) CHECK(link.utilisation_max <= 1.0 + 1e-9);
}

/// Runs a burst with buffers of `packets` packets on every topology with every rule that fits.
void check_bursts(Bytes packets, Arbitration arbitration) {
    for (const auto& entry : network_cases::all_cases()) {
        const auto topology = entry.make();
        for (const auto* const rule : routings()) {
            if (!rule->make(*topology, {})) continue;
            CAPTURE(entry.topology, entry.label, rule->name, packets);
            Wire wire(entry.make(), std::string(rule->name));
            wire.link_details = true;
            wire.parameters.switch_buffer = packets * packet;
            wire.parameters.nic_buffer = packets * packet;
            wire.parameters.arbitration = arbitration;
            auto mails = burst(wire, 4);
            wire.run(mails);
            const bool detours = rule->name == "valiant" || rule->name.starts_with("ugal");
            check_conserved(wire, mails, !detours && !entry.is_one_way);
        }
    }
}

/// Returns the arrival time of the last of `count` packets, the first of which arrives at `first`.
/// Packets are sent in groups of `window`, each group one round trip after the group before.
Picoseconds windowed(Picoseconds first, int count, int window, Picoseconds round_trip) {
    const int last = count - 1;
    return first + last / window * round_trip + last % window * slot;
}

}  // namespace

TEST_CASE(
    "a buffer smaller than bandwidth times round trip bounds the rate to buffer over round trip") {
    constexpr int packets = 60;
    const Picoseconds round_trip =
        2 * 1'000'000 + 20'000 + slot;  // there, through the switch, back
    for (const auto arbitration : every_arbitration) {
        for (const int window : {1, 2, 4, 8, 9, 20}) {
            CAPTURE(window, int(arbitration));
            Wire wire("torus", torus({3}));
            wire.parameters.links[0].latency = 1'000'000;
            wire.parameters.switch_buffer = window * packet;
            wire.parameters.nic_buffer = 0;
            wire.parameters.arbitration = arbitration;
            std::vector<Mail> mails{{0, 1, packets * packet, 0}};
            wire.run(mails);
            const Picoseconds first = 50'000 + 20'000 + 1'000'000 + 20'000 + slot + 30'000;
            const Picoseconds expected =
                windowed(first, packets, window, std::max(round_trip, window * slot));
            CHECK_EQ(mails[0].delivered, expected);
            CHECK_EQ(wire.held, 0);
        }
    }
}

TEST_CASE("a buffer behind the interface bounds its rate in the same way") {
    constexpr int packets = 40;
    const Picoseconds round_trip = 2 * 500'000 + 20'000 + slot;
    for (const int window : {1, 2, 3, 4, 5, 6, 12}) {
        CAPTURE(window);
        Wire wire("star", star(2));
        wire.parameters.injection.latency = 500'000;
        wire.parameters.switch_buffer = 100 * packet;
        wire.parameters.nic_buffer = window * packet;
        std::vector<Mail> mails{{0, 1, packets * packet, 0}};
        wire.run(mails);
        const Picoseconds first = 500'000 + 20'000 + slot + 30'000;
        CHECK_EQ(mails[0].delivered,
                 windowed(first, packets, window, std::max(round_trip, window * slot)));
    }
}

TEST_CASE("large buffers give the same times as unbounded ones") {
    for (const auto arbitration : every_arbitration) {
        Wire wire("torus", torus({4, 4}, 2));
        wire.parameters.arbitration = arbitration;
        auto unbounded = burst(wire, 5);
        auto bounded = unbounded;
        wire.run(unbounded);
        wire.parameters.switch_buffer = 10'000 * packet;
        wire.run(bounded);
        for (std::size_t i = 0; i < bounded.size(); ++i) {
            CHECK_EQ(bounded[i].delivered, unbounded[i].delivered);
        }
    }
}

TEST_CASE("a smaller buffer never makes a single flow faster") {
    Picoseconds before = INT64_MAX;
    for (const Bytes packets : {Bytes{1}, Bytes{2}, Bytes{3}, Bytes{5}, Bytes{50}}) {
        Wire wire("torus", torus({8}));
        wire.parameters.switch_buffer = packets * packet;
        std::vector<Mail> mails{{0, 4, 30 * packet, 0}};
        wire.run(mails);
        CHECK(mails[0].delivered <= before);
        before = mails[0].delivered;
    }
}

TEST_CASE("bursts through buffers of one packet arrive whole on every topology with every rule") {
    check_bursts(1, Arbitration::first_come);
}

TEST_CASE("bursts arrive whole under round robin on every topology with every rule") {
    check_bursts(2, Arbitration::round_robin);
}

TEST_CASE("bursts arrive whole without bounds on buffers") {
    check_bursts(0, Arbitration::first_come);
}

TEST_CASE("messages larger than a buffer, sent as one packet each, still arrive") {
    Wire wire("torus", torus({4, 3}, 2));
    wire.parameters.switch_buffer = 256;
    wire.parameters.nic_buffer = 256;
    auto mails = burst(wire, 3);
    PacketNetwork network(wire.setup());
    Post post(network, 100'000, 2, mails);
    network.run(post, {});
    for (const Mail& mail : mails) CHECK(mail.delivered > 0);
    CHECK_EQ(network.held_bytes(), 0);
}

TEST_CASE("several interfaces per node carry messages independently") {
    for (const std::int32_t nics : {1, 2, 4}) {
        CAPTURE(nics);
        Wire wire("torus", torus({3, 3}, 2));
        wire.parameters.nics_per_node = nics;
        wire.parameters.switch_buffer = 4 * packet;
        wire.parameters.nic_buffer = 4 * packet;
        auto mails = burst(wire, 4);
        wire.run(mails);
        CHECK_EQ(wire.held, 0);
        for (const Mail& mail : mails) CHECK(mail.delivered > mail.injected);
        Wire alone("star", star(4));
        alone.parameters.nics_per_node = nics;
        std::vector<Mail> parallel;
        for (std::uint32_t i = 0; i < std::uint32_t(nics); ++i) {
            parallel.push_back({i, std::uint32_t(nics) + i, 50 * packet, 0});
        }
        alone.run(parallel);
        for (const Mail& mail : parallel)
            CHECK_EQ(mail.delivered, 50'000 + 20'000 + 30'000 + 50 * slot);
    }
}
