/// Tests of WaitQueues: first in, first out for each channel, and round robin over input ports.
#include <vector>

#include "testing.hpp"
#include "tradewind/sim/network/switching/wait_queues.hpp"

using namespace tradewind::sim;

namespace {

WaitingPacket packet(std::uint32_t number, std::uint16_t input, std::uint8_t channel = 0) {
    return {Packet::injected({0, input}, 0, number, 10 + number, 0), number, no_index, channel};
}

/// Returns the function that ranks packets in round robin over `ports` input ports, after `last`.
auto in_turn(std::uint32_t last, std::uint32_t ports) {
    return [=](const Packet& packet) {
        return TurnRank{0, (packet.input_port() + ports - last - 1) % ports};
    };
}

}  // namespace

TEST_CASE("packets leave each channel of a wait queue in the order in which they came") {
    WaitQueues queues;
    Port port{};
    for (std::uint32_t i = 0; i < 30; ++i) queues.push(port, packet(i, 0, std::uint8_t(i % 3)));
    for (int channel = 2; channel >= 0; --channel) {
        for (std::uint32_t i = std::uint32_t(channel); i < 30; i += 3) {
            CHECK(queues.holds(port, channel));
            CHECK_EQ(queues.pop(port, channel).packet.message(), i);
        }
        CHECK(!queues.holds(port, channel));
    }
    CHECK_EQ(port.queue, no_index);
    CHECK_EQ(port.queued_bytes, 0U);
    CHECK_EQ(queues.waiting(), std::size_t{0});
}

TEST_CASE("a port knows the bytes that wait for it, and queues count the packets of all ports") {
    WaitQueues queues;
    std::vector<Port> ports(3);
    for (std::uint32_t i = 0; i < 9; ++i) queues.push(ports[i % 3], packet(i, 0));
    CHECK_EQ(queues.waiting(), std::size_t{9});
    CHECK_EQ(ports[1].queued_bytes, 11U + 14U + 17U);
    (void)queues.pop(ports[1], 0);
    CHECK_EQ(ports[1].queued_bytes, 14U + 17U);
    CHECK_EQ(queues.waiting(), std::size_t{8});
    for (Port& port : ports) {
        while (queues.holds(port, 0)) (void)queues.pop(port, 0);
        CHECK_EQ(port.queue, no_index);
    }
    queues.push(ports[0], packet(99, 0));
    CHECK_EQ(queues.pop(ports[0], 0).packet.message(), 99U);
}

TEST_CASE("round robin takes one packet of each input port in turn") {
    WaitQueues queues;
    Port port{};
    const std::vector<std::uint16_t> inputs{2, 2, 2, 5, 5, 0, 7};
    for (std::uint32_t i = 0; i < inputs.size(); ++i) queues.push(port, packet(i, inputs[i]));
    std::vector<std::uint32_t> order;
    std::uint32_t last = 0;
    while (queues.holds(port, 0)) {
        const WaitingPacket served = queues.pop_lowest(port, 1, in_turn(last, 8));
        last = served.packet.input_port();
        order.push_back(served.packet.message());
    }
    CHECK(order == std::vector<std::uint32_t>({0, 3, 6, 5, 1, 4, 2}));
}

TEST_CASE("round robin passes over channels that may not send, and leaves their order alone") {
    WaitQueues queues;
    Port port{};
    queues.push(port, packet(0, 1, 0));
    queues.push(port, packet(1, 2, 1));
    queues.push(port, packet(2, 3, 0));
    queues.push(port, packet(3, 2, 1));
    CHECK_EQ(queues.pop_lowest(port, 0b10, in_turn(0, 8)).packet.message(), 1U);
    CHECK_EQ(queues.pop_lowest(port, 0b10, in_turn(2, 8)).packet.message(), 3U);
    CHECK_EQ(queues.pop_lowest(port, 0b01, in_turn(1, 8)).packet.message(), 2U);
    queues.push(port, packet(4, 6, 0));
    CHECK_EQ(queues.pop(port, 0).packet.message(), 0U);
    CHECK_EQ(queues.pop(port, 0).packet.message(), 4U);
    CHECK_EQ(queues.waiting(), std::size_t{0});
}
