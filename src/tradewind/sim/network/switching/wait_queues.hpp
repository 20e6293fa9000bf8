/// WaitQueues: the packets that wait for output ports, first in first out for each virtual channel,
/// in one worker's pool.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "tradewind/base/fetch_ahead.hpp"
#include "tradewind/base/large_memory.hpp"
#include "tradewind/sim/network/packet.hpp"
#include "tradewind/sim/network/switching/port.hpp"

namespace tradewind::sim {

/// A packet inside a switch that cannot leave yet.
struct alignas(64) WaitingPacket {
    Packet packet;
    /// The time at which its last byte comes in.
    Picoseconds tail = 0;
    std::uint32_t next = no_index;
    std::uint8_t channel = 0;
    bool is_train = false;
};

/// The place of a packet in the order of those that wait for a port.
struct TurnRank {
    Picoseconds first = INT64_MAX;
    std::uint32_t second = UINT32_MAX;

    [[nodiscard]] bool operator<(const TurnRank& other) const noexcept {
        return first != other.first ? first < other.first : second < other.second;
    }
};

/// A set of the input ports of a switch, which are numbered modulo 64.
class InputSet {
public:
    void add(std::uint32_t input) noexcept { ports_ |= std::uint64_t{1} << input % 64; }
    void add(const InputSet& other) noexcept { ports_ |= other.ports_; }
    [[nodiscard]] bool contains(std::uint32_t input) const noexcept {
        return (ports_ >> input % 64 & 1U) != 0;
    }
    [[nodiscard]] int size() const noexcept { return std::popcount(ports_); }

private:
    std::uint64_t ports_ = 0;
};

/// The input ports of the trains that wait for a port, and the time at which the oldest of all that
/// wait for it was injected.
struct Rivals {
    InputSet trains;
    Picoseconds oldest = INT64_MAX;
};

class WaitQueues {
public:
    void push(Port& port, const WaitingPacket& waiting) {
        if (port.queue == no_index) port.queue = queues_.take();
        Queue& queue = queues_[port.queue];
        const std::uint32_t index = packets_.take();
        packets_[index] = waiting;
        packets_[index].next = no_index;
        const std::size_t channel = waiting.channel;
        if (queue.head[channel] == no_index) {
            queue.head[channel] = index;
        } else {
            packets_[queue.tail[channel]].next = index;
        }
        queue.tail[channel] = index;
        ++queue.count;
        queue.trains += waiting.is_train ? 1 : 0;
        port.queued_bytes += waiting.packet.bytes();
    }

    [[nodiscard]] bool holds(const Port& port, int channel) const noexcept {
        return port.queue != no_index && queues_[port.queue].head[std::size_t(channel)] != no_index;
    }

    /// Takes the first packet of a channel that holds one.
    [[nodiscard]] WaitingPacket pop(Port& port, int channel) {
        return remove(port, channel, no_index);
    }

    /// Returns true if anything but trains waits for a port.
    [[nodiscard]] bool holds_packets(const Port& port) const noexcept {
        return port.queue != no_index && queues_[port.queue].count > queues_[port.queue].trains;
    }
    /// Returns true if a train waits for a port.
    [[nodiscard]] bool holds_trains(const Port& port) const noexcept {
        return port.queue != no_index && queues_[port.queue].trains > 0;
    }
    /// Returns what a packet that may pass a train must know of those that wait for the port.
    [[nodiscard]] Rivals rivals(const Port& port) const noexcept {
        Rivals result;
        if (port.queue == no_index) return result;
        for (const std::uint32_t head : queues_[port.queue].head) {
            for (std::uint32_t i = head; i != no_index; i = packets_[i].next) {
                const Packet& packet = packets_[i].packet;
                if (packets_[i].is_train) result.trains.add(packet.input_port());
                result.oldest = std::min(result.oldest, packet.injection_time());
            }
        }
        return result;
    }
    /// Returns true if a packet from an input port waits on any channel.
    [[nodiscard]] bool holds_from(const Port& port, std::uint32_t input) const noexcept {
        if (port.queue == no_index) return false;
        for (const std::uint32_t head : queues_[port.queue].head)
            for (std::uint32_t i = head; i != no_index; i = packets_[i].next)
                if (packets_[i].packet.input_port() == input) return true;
        return false;
    }
    /// Takes the packet of a channel whose turn comes first, if that is before `end`; none that has
    /// another one from the same input port before it.
    template <class TurnOf>
    [[nodiscard]] std::optional<WaitingPacket> pop_first(Port& port, int channel, Picoseconds end,
                                                         TurnOf turn_of) {
        if (port.queue == no_index) return std::nullopt;
        InputSet seen;
        std::uint32_t before = no_index;
        std::uint32_t best = no_index;
        Picoseconds first = end;
        for (std::uint32_t i = queues_[port.queue].head[std::size_t(channel)]; i != no_index;
             before = i, i = packets_[i].next) {
            const std::uint32_t input = packets_[i].packet.input_port();
            if (seen.contains(input)) continue;
            seen.add(input);
            const Picoseconds turn = turn_of(packets_[i]);
            if (turn >= first) continue;
            first = turn;
            best = before;
        }
        if (first == end) return std::nullopt;
        return remove(port, channel, best);
    }

    /// Takes the packet of any channel in `allowed` with the lowest rank, the first one among
    /// equals.
    template <class RankOf>
    [[nodiscard]] WaitingPacket pop_lowest(Port& port, unsigned allowed, RankOf rank_of) {
        TurnRank best;
        int best_channel = 0;
        std::uint32_t best_before = no_index;
        for (int channel = 0; channel < max_channels; ++channel) {
            if ((allowed >> channel & 1U) == 0) continue;
            std::uint32_t before = no_index;
            for (std::uint32_t i = queues_[port.queue].head[std::size_t(channel)]; i != no_index;
                 before = i, i = packets_[i].next) {
                const TurnRank rank = rank_of(packets_[i].packet);
                if (!(rank < best)) continue;
                best = rank;
                best_channel = channel;
                best_before = before;
            }
        }
        return remove(port, best_channel, best_before);
    }

    /// Asks for the memory that `pop` will touch, whose first record holds the address of the
    /// second.
    void prefetch(const Port& port, int channel, int stage) const noexcept {
        if (port.queue == no_index) return;
        const Queue& queue = queues_[port.queue];
        if (stage == 1) {
            fetch_ahead(&queue);
        } else {
            fetch_ahead(&packets_[queue.head[std::size_t(channel)]]);
        }
    }

    /// Returns the number of packets that have never left: not zero after a deadlock.
    [[nodiscard]] std::size_t waiting() const noexcept { return packets_.in_use(); }

private:
    struct alignas(64) Queue {
        std::array<std::uint32_t, max_channels> head{};
        std::array<std::uint32_t, max_channels> tail{};
        std::uint32_t count = 0;
        std::uint32_t trains = 0;
    };

    template <class Item>
    class Items {
    public:
        [[nodiscard]] std::uint32_t take() {
            if (free_.empty()) {
                items_.emplace_back();
                return std::uint32_t(items_.size() - 1);
            }
            const std::uint32_t index = free_.back();
            free_.pop_back();
            items_[index] = Item{};
            return index;
        }
        void give(std::uint32_t index) { free_.push_back(index); }
        [[nodiscard]] Item& operator[](std::uint32_t index) noexcept { return items_[index]; }
        [[nodiscard]] const Item& operator[](std::uint32_t index) const noexcept {
            return items_[index];
        }
        [[nodiscard]] std::size_t in_use() const noexcept {
            return items_.size() - 1 - free_.size();
        }

    private:
        /// The items; item 0 stands for none.
        LargeVector<Item> items_ = LargeVector<Item>(1);
        std::vector<std::uint32_t> free_;
    };

    /// Takes out the packet after `before` (the first one for no_index).
    [[nodiscard]] WaitingPacket remove(Port& port, int channel, std::uint32_t before) {
        Queue& queue = queues_[port.queue];
        auto& head = queue.head[std::size_t(channel)];
        const std::uint32_t index = before == no_index ? head : packets_[before].next;
        const WaitingPacket result = packets_[index];
        (before == no_index ? head : packets_[before].next) = result.next;
        if (result.next == no_index) queue.tail[std::size_t(channel)] = before;
        packets_.give(index);
        queue.trains -= result.is_train ? 1 : 0;
        port.queued_bytes -= result.packet.bytes();
        if (--queue.count == 0) {
            queues_.give(port.queue);
            port.queue = no_index;
        }
        return result;
    }

    Items<WaitingPacket> packets_;
    Items<Queue> queues_;
};

}  // namespace tradewind::sim
