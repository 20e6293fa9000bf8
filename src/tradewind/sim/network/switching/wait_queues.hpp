/// WaitQueues: the packets that wait for output ports, first in first out for each virtual channel,
/// and by input port where a choice is made, in one worker's pool.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
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
    std::uint32_t channel : 3 = 0;
    std::uint32_t is_train : 1 = 0;
    /// Its number among those that have come to wait for the port, which begins again at 0. Of
    /// fewer than 2^27 packets at one port, 8 GiB of memory, it tells which came first.
    std::uint32_t order : 28 = 0;
    /// Its neighbours on the channel, and the next one from the same input port there.
    std::uint32_t next = no_index;
    std::uint32_t previous = no_index;
    std::uint32_t next_from_input = no_index;

    [[nodiscard]] bool came_before(const WaitingPacket& other) const noexcept {
        return ((order - other.order) >> 27 & 1U) != 0;
    }
};
static_assert(sizeof(WaitingPacket) == 64 && max_channels <= 8);

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
/// wait for it was injected, where ages are kept.
struct Rivals {
    InputSet trains;
    Picoseconds oldest = INT64_MAX;
};

/// Packets from an input port on a channel, as a rule of arbitration sees them: that port, and the
/// time at which the oldest of them was injected, where ages are kept.
struct Contender {
    std::uint32_t input = 0;
    Picoseconds oldest = 0;
};

/// The order of waiting packets that is kept beside that on each channel.
enum class KeptOrder : std::uint8_t { channels, inputs, ages };

class WaitQueues {
public:
    explicit WaitQueues(KeptOrder kept) : kept_(kept) {}

    void push(Port& port, const WaitingPacket& waiting) {
        if (port.queue == no_index) port.queue = queues_.take();
        Queue& queue = queues_[port.queue];
        const std::uint32_t index = packets_.take();
        const std::size_t channel = waiting.channel;
        WaitingPacket& own = packets_[index];
        own = waiting;
        const std::uint32_t tail = queue.tail[channel];
        (tail == no_index ? queue.head[channel] : packets_[tail].next) = index;
        queue.tail[channel] = index;
        ++queue.count;
        queue.trains += waiting.is_train;
        port.queued_bytes += waiting.packet.bytes();
        if (kept_ == KeptOrder::channels) return;
        own.order = queue.pushed++;
        own.previous = tail;
        join(port.queue, index);
    }

    [[nodiscard]] bool holds(const Port& port, int channel) const noexcept {
        return port.queue != no_index && queues_[port.queue].head[std::size_t(channel)] != no_index;
    }

    /// Takes the first packet of a channel that holds one.
    [[nodiscard]] WaitingPacket pop(Port& port, int channel) {
        return remove(port, queues_[port.queue].head[std::size_t(channel)]);
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
        for (const FromInput& from : of_inputs(port)) {
            if (from.trains > 0) result.trains.add(from.input);
            if (kept_ == KeptOrder::ages) result.oldest = std::min(result.oldest, from.injected);
        }
        return result;
    }
    /// Returns true if a packet from an input port waits on any channel.
    [[nodiscard]] bool holds_from(const Port& port, std::uint32_t input) const noexcept {
        return std::ranges::any_of(of_inputs(port),
                                   [&](const FromInput& from) { return from.input == input; });
    }
    /// Takes the packet of a channel whose turn comes first, if that is before `end`, the first one
    /// among equals; no train, none that has another one from the same input port before it, and,
    /// where ages are kept, none that was injected after `youngest`.
    template <class TurnOf>
    [[nodiscard]] std::optional<WaitingPacket> pop_first(Port& port, int channel, Picoseconds end,
                                                         Picoseconds youngest, TurnOf turn_of) {
        std::uint32_t best = no_index;
        Picoseconds first = end;
        for (const FromInput& from : of_inputs(port)) {
            if (int(from.channel) != channel || from.packets == 0 || from.injected > youngest)
                continue;
            const std::uint32_t index = first_of(from);
            const WaitingPacket& waiting = packets_[index];
            const Picoseconds turn = turn_of(waiting);
            const bool is_first = turn < first || (turn == first && best != no_index &&
                                                   waiting.came_before(packets_[best]));
            if (!is_first) continue;
            first = turn;
            best = index;
        }
        if (best == no_index) return std::nullopt;
        return remove(port, best);
    }

    /// Takes the packet of any channel in `allowed` whose contender has the lowest rank: the first
    /// one from its input port, or the oldest one where ages are kept. Among equals, channels come
    /// in their order.
    template <class RankOf>
    [[nodiscard]] WaitingPacket pop_lowest(Port& port, unsigned allowed, RankOf rank_of) {
        const FromInput* best = nullptr;
        TurnRank lowest;
        for (const FromInput& from : of_inputs(port)) {
            if ((allowed >> from.channel & 1U) == 0) continue;
            const TurnRank rank = rank_of(Contender{from.input, from.injected});
            if (best != nullptr &&
                (lowest < rank || (!(rank < lowest) && best->channel < from.channel)))
                continue;
            lowest = rank;
            best = &from;
        }
        return remove(port, best->head);
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
        /// The number of packets that have come, for their order.
        std::uint32_t pushed = 0;
    };

    /// The packets from one input port that wait on one channel of a port: in the order in which
    /// they came, or from the oldest to the youngest where ages are kept.
    struct FromInput {
        std::uint32_t head = no_index;
        std::uint32_t tail = no_index;
        std::uint32_t trains = 0;
        /// The number of those that are no trains.
        std::uint32_t packets = 0;
        std::uint16_t input = 0;
        std::uint8_t channel = 0;
        /// The time at which the oldest was injected, where ages are kept.
        Picoseconds injected = 0;
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

    [[nodiscard]] std::span<const FromInput> of_inputs(const Port& port) const noexcept {
        if (port.queue >= inputs_.size()) return {};
        return inputs_[port.queue];
    }

    /// Adds a packet to those from its input port.
    void join(std::uint32_t queue, std::uint32_t index) {
        if (queue >= inputs_.size()) inputs_.resize(queue + 1);
        WaitingPacket& own = packets_[index];
        FromInput& from = find_or_add(inputs_[queue], own);
        ++(own.is_train != 0 ? from.trains : from.packets);
        std::uint32_t before = from.tail;
        if (before != no_index && is_older(index, before)) {
            before = no_index;
            for (std::uint32_t i = from.head; !is_older(index, i); i = packets_[i].next_from_input)
                before = i;
        }
        std::uint32_t& link = before == no_index ? from.head : packets_[before].next_from_input;
        own.next_from_input = link;
        if (link == no_index) from.tail = index;
        link = index;
        note_age(from);
    }

    /// Takes a packet out of those from its input port.
    void leave(std::vector<FromInput>& inputs, std::uint32_t index) {
        const WaitingPacket& own = packets_[index];
        FromInput& from = find_or_add(inputs, own);
        if (from.head == from.tail) {
            from = inputs.back();
            inputs.pop_back();
            return;
        }
        --(own.is_train != 0 ? from.trains : from.packets);
        std::uint32_t before = no_index;
        std::uint32_t at = from.head;
        while (at != index) {
            before = at;
            at = packets_[at].next_from_input;
        }
        (before == no_index ? from.head : packets_[before].next_from_input) = own.next_from_input;
        if (from.tail == index) from.tail = before;
        note_age(from);
    }

    [[nodiscard]] static FromInput& find_or_add(std::vector<FromInput>& inputs,
                                                const WaitingPacket& waiting) {
        const std::uint32_t input = waiting.packet.input_port();
        for (FromInput& from : inputs)
            if (from.input == input && from.channel == waiting.channel) return from;
        FromInput& added = inputs.emplace_back();
        added.input = std::uint16_t(input);
        added.channel = std::uint8_t(waiting.channel);
        return added;
    }

    /// Returns true if ages are kept and packet `a` was injected before `b`.
    [[nodiscard]] bool is_older(std::uint32_t a, std::uint32_t b) const noexcept {
        return kept_ == KeptOrder::ages &&
               packets_[a].packet.injection_time() < packets_[b].packet.injection_time();
    }
    void note_age(FromInput& from) const noexcept {
        if (kept_ == KeptOrder::ages) from.injected = packets_[from.head].packet.injection_time();
    }

    /// Returns the packet that came first from an input port.
    [[nodiscard]] std::uint32_t first_of(const FromInput& from) const noexcept {
        std::uint32_t first = from.head;
        if (kept_ == KeptOrder::ages)
            for (std::uint32_t i = from.head; i != no_index; i = packets_[i].next_from_input)
                if (packets_[i].came_before(packets_[first])) first = i;
        return first;
    }

    /// Takes a packet out of the queue of a port.
    [[nodiscard]] WaitingPacket remove(Port& port, std::uint32_t index) {
        const bool is_kept_by_input = kept_ != KeptOrder::channels;
        if (is_kept_by_input) leave(inputs_[port.queue], index);
        Queue& queue = queues_[port.queue];
        const WaitingPacket result = packets_[index];
        const std::size_t channel = result.channel;
        (result.previous == no_index ? queue.head[channel] : packets_[result.previous].next) =
            result.next;
        if (result.next == no_index) {
            queue.tail[channel] = result.previous;
        } else if (is_kept_by_input) {
            packets_[result.next].previous = result.previous;
        }
        packets_.give(index);
        queue.trains -= result.is_train;
        port.queued_bytes -= result.packet.bytes();
        if (--queue.count == 0) {
            queues_.give(port.queue);
            port.queue = no_index;
        }
        return result;
    }

    KeptOrder kept_;
    Items<WaitingPacket> packets_;
    Items<Queue> queues_;
    /// The packets of each queue, by input port; empty if only channels are kept.
    std::vector<std::vector<FromInput>> inputs_;
};

}  // namespace tradewind::sim
