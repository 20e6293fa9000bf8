/// Tests of arbiters: the packet that gets an output port, the effect on full rings, and interfaces
/// that serve messages in turn.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "support/post.hpp"
#include "testing.hpp"

using namespace support;

namespace {

constexpr Bytes packet = 256;
constexpr Picoseconds slot = packet * 1000;

struct NamedArbiter {
    std::string name;
    Arbitration rule;
    bool favours_transit;
};

const std::vector<NamedArbiter> arbiters{{"first_come", Arbitration::first_come, false},
                                         {"round_robin", Arbitration::round_robin, false},
                                         {"oldest_first", Arbitration::oldest_first, true},
                                         {"transit_first", Arbitration::transit_first, true},
                                         {"weighted", Arbitration::weighted, true}};

/// A row of full switches: `used` of the switches of a ring have `nodes` nodes each, and every node
/// sends `packets` packets to the corresponding node two switches further.
struct Row {
    std::int64_t switches;
    std::int64_t used;
    std::int64_t nodes;
    Bytes packets;

    [[nodiscard]] std::vector<Mail> mails() const {
        std::vector<Mail> result;
        for (std::int64_t from = 0; from < used; ++from) {
            for (std::int64_t i = 0; i < nodes; ++i) {
                result.push_back({std::uint32_t(from * nodes + i),
                                  std::uint32_t((from + 2) % switches * nodes + i),
                                  packets * packet, 0});
            }
        }
        return result;
    }
    [[nodiscard]] Picoseconds time(const NamedArbiter& arbiter) const {
        Wire wire("torus", torus({switches}, nodes));
        wire.parameters.switch_buffer = 16 * packet;
        wire.parameters.nic_buffer = 16 * packet;
        wire.parameters.arbitration = arbiter.rule;
        wire.parameters.transit_weight = std::int32_t(nodes);
        auto sent = mails();
        wire.run(sent);
        CHECK_EQ(wire.held, 0);
        return std::ranges::max_element(sent, {}, &Mail::delivered)->delivered;
    }
    /// Returns the lower bound: every link between two used switches carries the messages of two
    /// switches.
    [[nodiscard]] Picoseconds bound() const { return 2 * nodes * packets * slot; }
    /// Returns the time in which the switches send one after the other.
    [[nodiscard]] Picoseconds one_after_another() const { return used * nodes * packets * slot; }
};

}  // namespace

TEST_CASE("switches of a full row run one after another unless their arbiters favour transit") {
    for (const Row row : {Row{21, 16, 8, 64}, Row{13, 9, 5, 100}}) {
        for (const auto& arbiter : arbiters) {
            CAPTURE(arbiter.name, row.nodes);
            const auto time = double(row.time(arbiter));
            const auto expected =
                double(arbiter.favours_transit ? row.bound() : row.one_after_another());
            CHECK(time > 0.9 * expected);
            CHECK(time < 1.05 * expected);
        }
    }
}

TEST_CASE("every arbiter delivers everything, with one packet of room as with many") {
    for (const auto& arbiter : arbiters) {
        for (const Bytes packets : {1, 3, 16}) {
            CAPTURE(arbiter.name, packets);
            Wire wire("torus", torus({4, 3}, 2));
            wire.parameters.switch_buffer = packets * packet;
            wire.parameters.nic_buffer = packets * packet;
            wire.parameters.arbitration = arbiter.rule;
            wire.parameters.messages_in_turn = 2;
            auto mails = burst(wire, 6);
            wire.run(mails);
            CHECK_EQ(wire.held, 0);
            for (const Mail& mail : mails) CHECK(mail.delivered > mail.time);
        }
    }
}

TEST_CASE("an interface serves so many messages in turn, packet by packet") {
    constexpr Bytes packets = 10;
    for (const std::int32_t in_turn : {1, 2, 3, 5}) {
        CAPTURE(in_turn);
        Wire wire("star", star(5));
        wire.parameters.messages_in_turn = in_turn;
        std::vector<Mail> mails;
        for (std::uint32_t to = 1; to < 5; ++to) mails.push_back({0, to, packets * packet, 0});
        wire.run(mails);
        // The first message sends two packets before the others have joined the queue.
        const Picoseconds first = 50'000 + 20'000 + 30'000;
        const auto served = std::min<std::int64_t>(in_turn, 4);
        CHECK_EQ(mails[0].delivered, first + (served * (packets - 2) + 2) * slot);
        CHECK_EQ(mails[3].delivered, first + 4 * packets * slot);
    }
}

TEST_CASE("messages in turn use both directions of a ring, where one after another uses one") {
    for (const std::int32_t in_turn : {1, 2}) {
        CAPTURE(in_turn);
        Wire wire("torus", torus({5}));
        wire.parameters.links[0].rate = TransferRate(0.5e9);
        wire.parameters.switch_buffer = wire.parameters.nic_buffer = 4 * packet;
        wire.parameters.messages_in_turn = in_turn;
        std::vector<Mail> mails{{0, 1, 200 * packet, 0}, {0, 4, 200 * packet, 0}};
        wire.run(mails);
        const auto end = double(std::max(mails[0].delivered, mails[1].delivered));
        const double both = (in_turn == 1 ? 2.0 : 1.0) * 200.0 * 2.0 * double(slot);
        CHECK(end > 0.95 * both);
        CHECK(end < 1.05 * both);
    }
}

TEST_CASE("a fast link lets packets pass between each other's bytes, or is held") {
    constexpr int senders = 8;
    for (const auto sharing : {PortSharing::interleaved, PortSharing::exclusive}) {
        Wire wire("torus", torus({2}, senders));
        wire.parameters.links[0].rate = TransferRate(16e9);
        wire.parameters.port_sharing = sharing;
        // Nodes of the first switch send over the link in one direction only.
        std::vector<Mail> mails;
        for (std::uint32_t i = 0; i < senders; ++i) mails.push_back({i, senders + i, packet, 0});
        wire.run(mails);
        const Picoseconds alone = 50'000 + 2 * 20'000 + 100'000 + 30'000 + slot;
        const auto last = std::ranges::max_element(mails, {}, &Mail::delivered)->delivered;
        // The other messages have arrived by the time at which the first one releases a link that
        // it held.
        const bool is_held = sharing == PortSharing::exclusive;
        CHECK(last >= alone + (is_held ? slot / 2 : 0));
        CHECK(last <= alone + (is_held ? 2 * slot : slot));
    }
}

TEST_CASE("short messages take turns with the packets of trains, by every arbiter") {
    // A stream and three nodes that send single packets share a link. Buffers hold two trains.
    for (const auto& arbiter : arbiters) {
        for (const bool is_long : {false, true}) {
            std::array<Picoseconds, 2> ends{};
            for (const Bytes train : {1, 8}) {
                Wire wire("torus", torus({5}, 4));
                wire.parameters.switch_buffer = wire.parameters.nic_buffer = 16 * packet;
                wire.parameters.arbitration = arbiter.rule;
                wire.train_size = train * packet;
                wire.parameters.trains_per_message = train > 1 ? 32 : 0;
                const Bytes singles = is_long ? 400 : 100;
                std::vector<Mail> mails{{0, 4, (is_long ? 256 : 1024) * packet, 0}};
                for (Bytes i = 0; i < 3 * singles; ++i)
                    mails.push_back(
                        {std::uint32_t(1 + i % 3), std::uint32_t(5 + i % 3), packet, 0});
                wire.run(mails);
                CHECK_EQ(wire.held, 0);
                const auto last =
                    std::ranges::max_element(mails.begin() + 1, mails.end(), {}, &Mail::delivered);
                ends[train > 1 ? 1 : 0] = is_long ? mails[0].delivered : last->delivered;
            }
            CAPTURE(arbiter.name, is_long, ends[0], ends[1]);
            CHECK(std::abs(double(ends[1]) / double(ends[0]) - 1.0) < 0.05);
        }
    }
}

TEST_CASE(
    "an interface that holds the room of its trains sends as fast, if nothing is in its way") {
    for (const Picoseconds latency : {slot / 2, 3 * slot, 6 * slot}) {
        for (const Bytes train : {2, 3, 7, 8, 15, 16, 17, 32}) {
            std::array<Picoseconds, 2> ends{};
            for (const bool holds : {false, true}) {
                Wire wire("torus", torus({5}, 2));
                wire.parameters.switch_buffer = wire.parameters.nic_buffer = 16 * packet;
                wire.parameters.injection.latency = latency;
                wire.parameters.holds_train_room = holds;
                wire.parameters.trains_per_message = 32;
                wire.train_size = train * packet;
                std::vector<Mail> mails{{0, 4, 480 * packet, 0}};
                wire.run(mails);
                CHECK_EQ(wire.held, 0);
                ends[holds ? 1 : 0] = mails[0].delivered;
            }
            CAPTURE(latency / slot, train);
            CHECK_EQ(ends[0], ends[1]);
        }
    }
}

TEST_CASE("trains of a message grow from the first one on, also in messages of 4 GiB") {
    struct Growing {
        Bytes message;
        Bytes train;
        Bytes first;
        std::int64_t trains;
    };
    // Such as 8, 8, 16, 32, and then fifteen of 64 packets.
    for (const auto& [message, train, first, trains] :
         {Growing{1024 * packet, 64 * packet, 8 * packet, 19},
          Growing{1024 * packet, 64 * packet, 64 * packet, 16},
          Growing{Bytes{1} << 32, Bytes{1} << 24, Bytes{1} << 20, 260},
          Growing{100 * packet, 64 * packet, 8 * packet, 5},
          Growing{packet, 64 * packet, 8 * packet, 1}}) {
        CAPTURE(message, train, first);
        Wire wire("torus", torus({5}));
        wire.train_size = train;
        wire.parameters.trains_per_message = 32;
        wire.parameters.first_train = first;
        std::vector<Mail> mails{{0, 2, message, 0}};
        wire.run(mails);
        CHECK_EQ(wire.report.packets, trains);
    }
}

TEST_CASE("ports that single packets share with long trains ask for short ones, near and far") {
    // Trains are twice as long as buffers. Streams meet three sources at their own switch, or at
    // the next one.
    for (const auto& arbiter : arbiters) {
        for (const bool is_far : {false, true}) {
            for (const bool is_long : {false, true}) {
                std::array<Picoseconds, 2> ends{};
                for (const Bytes train : {1, 32}) {
                    Wire wire("torus", torus({7}, 5));
                    wire.parameters.switch_buffer = wire.parameters.nic_buffer = 16 * packet;
                    wire.parameters.arbitration = arbiter.rule;
                    wire.train_size = train * packet;
                    wire.parameters.trains_per_message = train > 1 ? 32 : 0;
                    wire.parameters.short_train = train > 1 ? 8 * packet : 0;
                    const Bytes length = (is_long ? 1024 : 4096) * packet;
                    std::vector<Mail> mails{{0, 10, length, 0}, {1, 11, length, 0}};
                    const std::uint32_t source = is_far ? 5 : 2;
                    const Bytes singles = is_long ? 2000 : 800;
                    for (Bytes i = 0; i < 3 * singles; ++i)
                        mails.push_back(
                            {std::uint32_t(source + i % 3), std::uint32_t(12 + i % 3), packet, 0});
                    wire.run(mails);
                    CHECK_EQ(wire.held, 0);
                    const auto sources = mails.begin() + 2;
                    ends[train > 1 ? 1 : 0] =
                        (is_long
                             ? std::ranges::max_element(mails.begin(), sources, {},
                                                        &Mail::delivered)
                             : std::ranges::max_element(sources, mails.end(), {}, &Mail::delivered))
                            ->delivered;
                }
                CAPTURE(arbiter.name, is_far, is_long, ends[0], ends[1]);
                CHECK(std::abs(double(ends[1]) / double(ends[0]) - 1.0) < 0.05);
            }
        }
    }
}

TEST_CASE("only single packets of some length make trains short") {
    // A stream beside a node that sends as many messages, of a byte or of a packet each.
    for (const auto& [bytes, are_short] : {std::pair<Bytes, bool>{1, false}, {packet, true}}) {
        CAPTURE(bytes);
        Wire wire("torus", torus({5}, 2));
        wire.parameters.switch_buffer = wire.parameters.nic_buffer = 16 * packet;
        wire.train_size = 32 * packet;
        wire.parameters.trains_per_message = 32;
        wire.parameters.short_train = 8 * packet;
        std::vector<Mail> mails{{0, 2, 1024 * packet, 0}};
        for (int i = 0; i < 500; ++i) mails.push_back({1, 3, bytes, 0});
        wire.run(mails);
        const std::int64_t trains = wire.report.packets - 500;
        CHECK_EQ(trains > 32, are_short);
        CHECK(trains >= 32);
    }
}

TEST_CASE(
    "interfaces make trains short for the port that these take, also where rules choose one") {
    // Nodes 0 and 1 of a leaf share an up port if their destinations have the same remainder by
    // four.
    for (const std::uint32_t stream : {4, 5, 6}) {
        for (const std::uint32_t single : {8, 9, 10}) {
            CAPTURE(stream, single);
            Wire wire(make_topology("fat_tree", Settings({{"arity", std::int64_t{4}},
                                                          {"levels", std::int64_t{2}}})),
                      "d_mod_k");
            wire.parameters.switch_buffer = wire.parameters.nic_buffer = 16 * packet;
            wire.train_size = 32 * packet;
            wire.parameters.trains_per_message = 32;
            wire.parameters.short_train = 8 * packet;
            std::vector<Mail> mails{{0, stream, 1024 * packet, 0}};
            for (int i = 0; i < 500; ++i) mails.push_back({1, single, packet, 0});
            wire.run(mails);
            const std::int64_t trains = wire.report.packets - 500;
            CHECK_EQ(trains > 32, stream % 4 == single % 4);
            CHECK(trains >= 32);
        }
    }
}

TEST_CASE("trains take and give back room as their packets would") {
    for (const Picoseconds latency : {100'000, 1'000'000, 10'000'000}) {
        for (const Bytes train : {1, 4, 32, 100}) {
            CAPTURE(latency, train);
            Wire wire("torus", torus({6}));
            wire.parameters.links[0].latency = latency;
            wire.parameters.switch_buffer = wire.parameters.nic_buffer = 16 * packet;
            wire.train_size = train * packet;
            wire.parameters.trains_per_message = 32;
            std::vector<Mail> mails{{0, 2, 400 * packet, 0}};
            wire.run(mails);
            const Picoseconds round_trip = 2 * latency + 20'000 + slot;
            // Sixteen packets are sent per round trip, or as many as the link carries.
            const Picoseconds group = std::max(16 * slot, round_trip);
            const auto expected = double(2 * latency + 24 * group + 16 * slot);
            CHECK(std::abs(double(mails[0].delivered) / expected - 1.0) < 0.05);
            CHECK_EQ(wire.held, 0);
        }
    }
}
