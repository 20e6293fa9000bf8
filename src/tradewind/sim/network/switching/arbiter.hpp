/// Arbiter: the choice of the next packet among those that wait for an output port.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tradewind/sim/network/parameters.hpp"
#include "tradewind/sim/network/switch_layout.hpp"
#include "tradewind/sim/network/switching/trains.hpp"
#include "tradewind/sim/network/switching/wait_queues.hpp"

namespace tradewind::sim {

/// The rules of arbitration. All but first come, first served choose among the packets that have
/// come in by the time at which a port is free: the first of each input port and channel, or the
/// oldest.
class Arbiter {
public:
    Arbiter(const NetworkParameters& parameters, const SwitchLayout& layout, std::size_t ports)
        : rule_(parameters.arbitration),
          transit_weight_(parameters.transit_weight),
          layout_(layout) {
        if (decides()) last_served_.resize(ports);
        if (rule_ == Arbitration::weighted) transit_turns_.resize(ports);
    }

    /// Returns what queues must keep for the rule, and for trains if there are any.
    [[nodiscard]] KeptOrder kept_order(bool are_trains_kept) const noexcept {
        if (rule_ == Arbitration::oldest_first) return KeptOrder::ages;
        return decides() || are_trains_kept ? KeptOrder::inputs : KeptOrder::channels;
    }
    /// Returns true if packets wait for decisions, and do not take ports as they come in.
    [[nodiscard]] bool decides() const noexcept { return rule_ != Arbitration::first_come; }

    /// Takes the packet whose turn it is from the queue of the port with this index. `allowed` are
    /// the channels with credit. Round robin among the input ports decides between equals, where
    /// packets that `had_turn` between those of trains come last.
    template <class HadTurn>
    [[nodiscard]] WaitingPacket take_turn(WaitQueues& queues, Port& port, std::size_t index,
                                          unsigned allowed, HadTurn had_turn) {
        const std::uint32_t ports = layout_.ports_per_switch();
        auto& last = last_served_[index];
        const bool own_first = rule_ == Arbitration::weighted &&
                               std::int32_t(transit_turns_[index]) >= transit_weight_;
        const auto rank_of = [&](const Contender& contender) {
            const std::uint32_t input = contender.input;
            TurnRank rank{0, input > last ? input - last - 1 : input + ports - last - 1};
            if (rule_ == Arbitration::oldest_first) rank.first = contender.oldest;
            if (is_by_class()) rank.first = is_own(input) != own_first ? 2 : 0;
            if (rule_ != Arbitration::oldest_first && had_turn(input)) ++rank.first;
            return rank;
        };
        const WaitingPacket result = queues.pop_lowest(port, allowed, rank_of);
        last = std::uint16_t(result.packet.input_port());
        if (rule_ == Arbitration::weighted) {
            auto& turns = transit_turns_[index];
            turns = is_own(last) ? 0 : std::uint16_t(std::min<int>(turns + 1, transit_weight_));
        }
        return result;
    }

    /// Returns true if a packet may pass between the packets of a train from input port `train`,
    /// as far as it depends on their classes and on those that wait for the port.
    [[nodiscard]] bool may_pass(const Rivals& rivals, const Packet& packet,
                                std::uint32_t train) const noexcept {
        if (rule_ == Arbitration::oldest_first) return packet.injection_time() <= rivals.oldest;
        if (rule_ == Arbitration::transit_first)
            return !is_own(packet.input_port()) || !layout_.joins_switches(train);
        return true;
    }

    /// Returns how often a packet and others like it may pass between those of a train from input
    /// port `train`, while trains from `trains` input ports want the port. The buffer of that port
    /// holds `held` times as much that waits as the packet's: by first come, first served inputs
    /// share a port in this proportion.
    [[nodiscard]] PassRate pass_rate(const Packet& packet, std::uint32_t train, int trains,
                                     double held) const noexcept {
        const double packets =
            rule_ == Arbitration::first_come ? double(trains) * held : double(trains);
        const bool is_own_train = !layout_.joins_switches(train);
        if (is_own(packet.input_port()) == is_own_train || !is_by_class())
            return {.passes = 1, .packets = packets, .by_input = true};
        if (rule_ != Arbitration::weighted) return {};
        return is_own_train ? PassRate{.passes = transit_weight_, .packets = 1}
                            : PassRate{.passes = 1, .packets = double(transit_weight_)};
    }

private:
    /// Returns true if packets in transit and those of the own nodes have other turns.
    [[nodiscard]] bool is_by_class() const noexcept {
        return rule_ == Arbitration::transit_first || rule_ == Arbitration::weighted;
    }
    /// Returns true for the input port of one of the switch's own nodes.
    [[nodiscard]] bool is_own(std::uint32_t input) const noexcept {
        return !layout_.joins_switches(input);
    }

    Arbitration rule_;
    std::int32_t transit_weight_;
    SwitchLayout layout_;
    /// The input port of the packet that each port sent last.
    std::vector<std::uint16_t> last_served_;
    /// The turns of packets in transit since the last one of the own nodes, for
    /// Arbitration::weighted.
    std::vector<std::uint16_t> transit_turns_;
};

}  // namespace tradewind::sim
