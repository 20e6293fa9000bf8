/// JourneyLog: what held up messages on their way, for the critical path of a run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tradewind/base/random.hpp"
#include "tradewind/sim/network/packet.hpp"

namespace tradewind::sim {

/// The wait of a packet at an output port: behind other packets, or for room behind the link.
struct PortWait {
    PortAddress port;
    Picoseconds queue = 0;
    Picoseconds credit = 0;
};

/// The way of a message, by the packet that arrived last.
struct Journey {
    /// The time at which the interface began to send.
    Picoseconds started = 0;
    /// The time for which the interface could not send although the message was the first.
    Picoseconds back_pressure = 0;
    std::vector<PortWait> waits;
    /// The wait for the memory of the destination.
    Picoseconds memory = 0;
    /// The time from its start without other messages.
    Picoseconds alone = 0;
};

/// The journeys of the messages under way. One thread writes it.
class JourneyLog {
public:
    void started(MessageId id, Picoseconds time) { messages_[id].started = time; }
    /// Begins the record of a packet. The packets of its message before it took `sending` at the
    /// rate of the interface; the message began to send at `started`, both at the switch.
    void injected(const Packet& packet, Picoseconds started, Picoseconds sending) {
        Journey& journey = packets_[key(packet)];
        journey = {};
        journey.back_pressure =
            std::max<Picoseconds>(packet.injection_time() - started - sending, 0);
    }
    /// Notes that a packet waits for credit.
    void lacks_credit(const Packet& packet) {
        Journey* const journey = find(packet);
        if (journey != nullptr) journey->waits.push_back({{packet.location(), no_port}, 0, 0});
    }
    /// Notes that a packet takes its port after a wait of `held` for its turn and one of `queued`
    /// behind others.
    void passed(const Packet& packet, const PortAddress& port, Picoseconds held,
                Picoseconds queued) {
        Journey* const journey = find(packet);
        if (journey == nullptr) return;
        std::vector<PortWait>& waits = journey->waits;
        const bool lacked = !waits.empty() && waits.back().port.port == no_port;
        if (lacked) waits.pop_back();
        if (held + queued <= 0) return;
        waits.push_back({port, lacked ? queued : held + queued, lacked ? held : 0});
    }
    /// Ends the record of a packet. If it is the last to arrive so far, it tells the journey of its
    /// message.
    void ejected(const Packet& packet, Picoseconds memory, bool is_last) {
        const auto found = packets_.find(key(packet));
        if (found == packets_.end()) return;
        if (is_last) {
            Journey& journey = messages_[packet.message()];
            found->second.started = journey.started;
            found->second.memory = memory;
            journey = std::move(found->second);
        }
        packets_.erase(found);
    }
    /// Returns the journey of a message, for the network to complete.
    [[nodiscard]] Journey& of(MessageId id) { return messages_[id]; }
    /// Returns the time at which an interface began to send a message that is under way.
    [[nodiscard]] Picoseconds start_of(MessageId id) const {
        const auto found = messages_.find(id);
        return found == messages_.end() ? 0 : found->second.started;
    }
    /// Takes out the journey of a message that has arrived.
    [[nodiscard]] Journey take(MessageId id) {
        const auto found = messages_.find(id);
        if (found == messages_.end()) return {};
        Journey journey = std::move(found->second);
        messages_.erase(found);
        return journey;
    }

private:
    static constexpr std::uint16_t no_port = UINT16_MAX;
    /// A packet is known by its message and the time at which it came into the network.
    using Key = std::pair<MessageId, Picoseconds>;
    struct KeyHash {
        [[nodiscard]] std::size_t operator()(const Key& key) const noexcept {
            return std::size_t(mix(std::uint64_t(key.second), key.first));
        }
    };

    [[nodiscard]] static Key key(const Packet& packet) noexcept {
        return {packet.message(), packet.injection_time()};
    }
    [[nodiscard]] Journey* find(const Packet& packet) {
        const auto found = packets_.find(key(packet));
        return found == packets_.end() ? nullptr : &found->second;
    }

    std::unordered_map<MessageId, Journey> messages_;
    std::unordered_map<Key, Journey, KeyHash> packets_;
};

}  // namespace tradewind::sim
