/// Tests of WaitQueues: first in, first out for each channel, and round robin over input ports.
#include <algorithm>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "testing.hpp"
#include "tradewind/sim/network/switching/wait_queues.hpp"

using namespace tradewind;
using namespace tradewind::sim;

namespace {

WaitingPacket packet(std::uint32_t number, std::uint16_t input, std::uint32_t channel = 0,
                     Picoseconds injected = 0, bool is_train = false) {
    return {.packet = Packet::injected({0, input}, injected, number, 10 + number, 0),
            .tail = number,
            .channel = channel,
            .is_train = is_train};
}

/// Returns the function that ranks packets in round robin over `ports` input ports, after `last`.
auto in_turn(std::uint32_t last, std::uint32_t ports) {
    return [=](const Contender& contender) {
        return TurnRank{0, (contender.input + ports - last - 1) % ports};
    };
}

/// The same packets in one list, in which everything is found by looking at each of them.
class PlainQueue {
public:
    void push(const WaitingPacket& waiting) { packets_.push_back(waiting); }
    [[nodiscard]] bool empty() const { return packets_.empty(); }
    [[nodiscard]] bool holds_from(std::uint32_t input) const {
        return std::ranges::any_of(
            packets_, [&](const auto& each) { return each.packet.input_port() == input; });
    }
    [[nodiscard]] std::uint32_t pop_lowest(unsigned allowed, bool by_age, std::uint32_t last) {
        std::size_t best = packets_.size();
        const auto key = [&](std::size_t i) {
            const Packet& each = packets_[i].packet;
            return std::tuple(by_age ? each.injection_time() : 0,
                              (each.input_port() + 7 - last) % 8,
                              std::uint32_t{packets_[i].channel});
        };
        for (std::size_t i = 0; i < packets_.size(); ++i)
            if ((allowed >> packets_[i].channel & 1U) != 0)
                if (best == packets_.size() || key(i) < key(best)) best = i;
        return take(best);
    }
    template <class TurnOf>
    [[nodiscard]] std::uint32_t pop_first(int channel, Picoseconds end, TurnOf turn_of) {
        std::set<std::uint32_t> seen;
        std::size_t best = packets_.size();
        for (std::size_t i = 0; i < packets_.size(); ++i) {
            if (int(packets_[i].channel) != channel) continue;
            if (!seen.insert(packets_[i].packet.input_port()).second) continue;
            if (turn_of(packets_[i]) >= end) continue;
            end = turn_of(packets_[i]);
            best = i;
        }
        return best == packets_.size() ? UINT32_MAX : take(best);
    }
    [[nodiscard]] std::uint32_t pop(int channel) {
        for (std::size_t i = 0; i < packets_.size(); ++i)
            if (int(packets_[i].channel) == channel) return take(i);
        return UINT32_MAX;
    }
    [[nodiscard]] Picoseconds oldest() const {
        Picoseconds result = INT64_MAX;
        for (const auto& each : packets_) result = std::min(result, each.packet.injection_time());
        return result;
    }
    [[nodiscard]] bool holds_train_from(std::uint32_t input) const {
        return std::ranges::any_of(packets_, [&](const auto& each) {
            return each.is_train != 0 && each.packet.input_port() == input;
        });
    }

private:
    std::uint32_t take(std::size_t i) {
        const std::uint32_t number = packets_[i].packet.message();
        packets_.erase(packets_.begin() + std::ptrdiff_t(i));
        return number;
    }

    std::vector<WaitingPacket> packets_;
};

}  // namespace

TEST_CASE("packets leave each channel of a wait queue in the order in which they came") {
    WaitQueues queues(KeptOrder::channels);
    Port port{};
    for (std::uint32_t i = 0; i < 30; ++i) queues.push(port, packet(i, 0, i % 3));
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
    WaitQueues queues(KeptOrder::channels);
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
    WaitQueues queues(KeptOrder::inputs);
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
    WaitQueues queues(KeptOrder::inputs);
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

TEST_CASE("wait queues give out packets as a search of all of them does") {
    for (const KeptOrder kept : {KeptOrder::inputs, KeptOrder::ages}) {
        const bool by_age = kept == KeptOrder::ages;
        std::mt19937 random(7);
        const auto draw = [&](std::uint32_t end) { return std::uint32_t(random() % end); };
        WaitQueues queues(kept);
        Port port{};
        PlainQueue plain;
        std::uint32_t last = 0;
        for (std::uint32_t i = 0; i < 40'000; ++i) {
            if (draw(1000) < 490 + i % 2 * 20) {
                const WaitingPacket pushed =
                    packet(i, std::uint16_t(draw(8)), draw(3), Picoseconds(draw(50)), draw(4) == 0);
                queues.push(port, pushed);
                plain.push(pushed);
            } else if (!plain.empty()) {
                const int channel = int(draw(3));
                const auto youngest = by_age ? Picoseconds(draw(50)) : INT64_MAX;
                const auto turn_of = [&](const WaitingPacket& waiting) {
                    const bool passes =
                        waiting.is_train == 0 && waiting.packet.injection_time() <= youngest;
                    return passes ? Picoseconds(waiting.tail % 5) : INT64_MAX;
                };
                const auto way = draw(3);
                if (way == 0) {
                    const auto first = queues.pop_first(port, channel, 4, youngest, turn_of);
                    CHECK_EQ(first ? first->packet.message() : UINT32_MAX,
                             plain.pop_first(channel, 4, turn_of));
                } else if (way == 1) {
                    const bool holds = queues.holds(port, channel);
                    CHECK_EQ(holds ? queues.pop(port, channel).packet.message() : UINT32_MAX,
                             plain.pop(channel));
                } else {
                    unsigned held = 0;
                    for (int each = 0; each < 3; ++each)
                        held |= unsigned(queues.holds(port, each)) << each;
                    const unsigned wanted = draw(8);
                    const unsigned allowed = (held & wanted) != 0 ? held & wanted : held;
                    const auto rank_of = [&](const Contender& contender) {
                        return TurnRank{by_age ? contender.oldest : 0,
                                        (contender.input + 7 - last) % 8};
                    };
                    const WaitingPacket lowest = queues.pop_lowest(port, allowed, rank_of);
                    CHECK_EQ(lowest.packet.message(), plain.pop_lowest(allowed, by_age, last));
                    last = lowest.packet.input_port();
                }
            }
            const Rivals rivals = queues.rivals(port);
            if (by_age) CHECK_EQ(rivals.oldest, plain.oldest());
            for (std::uint32_t input = 0; input < 8; ++input) {
                CHECK_EQ(queues.holds_from(port, input), plain.holds_from(input));
                CHECK_EQ(rivals.trains.contains(input), plain.holds_train_from(input));
            }
        }
        CHECK_EQ(queues.waiting() == 0, plain.empty());
    }
}
