/// Packet: a piece of a message that travels from switch to switch; a typed view of its event.
#pragma once

#include <cstdint>

#include "tradewind/sim/network/network.hpp"
#include "tradewind/sim/routing/routing.hpp"

namespace tradewind::sim {

/// A port of a switch. Network interfaces have the ports behind those that join switches.
struct PortAddress {
    Location location = 0;
    std::uint16_t port = 0;
};

/// A packet at the switch that its head reaches. The channel byte of the event holds the virtual
/// channel in three bits, the mark of a message's last packet in one, and the pace in four.
class Packet {
public:
    Packet() = default;
    explicit Packet(const Event& event) noexcept : event_(event) {}
    /// Returns a packet whose head comes in from its network interface at `time`.
    [[nodiscard]] static Packet injected(const PortAddress& input, Picoseconds time,
                                         MessageId message, std::uint32_t bytes,
                                         std::uint32_t destination_nic) noexcept {
        Event event;
        event.kind = std::uint8_t(EventKind::packet);
        event.time = time;
        event.location = input.location;
        event.port = input.port;
        event.target = destination_nic;
        event.message = message;
        event.bytes = bytes;
        event.injected = time;
        return Packet(event);
    }

    /// Returns the time at which the packet's first byte comes in.
    [[nodiscard]] Picoseconds head() const noexcept { return event_.time; }
    /// Returns the time at which the packet's first byte entered the network.
    [[nodiscard]] Picoseconds injection_time() const noexcept { return event_.injected; }
    [[nodiscard]] Location location() const noexcept { return event_.location; }
    [[nodiscard]] std::uint32_t input_port() const noexcept { return event_.port; }
    [[nodiscard]] std::uint32_t destination_nic() const noexcept { return event_.target; }
    [[nodiscard]] MessageId message() const noexcept { return event_.message; }
    [[nodiscard]] std::uint32_t bytes() const noexcept { return event_.bytes; }
    [[nodiscard]] std::uint8_t channel() const noexcept { return event_.channel & channel_mask; }
    /// Returns the number of the pace at which the packet's bytes follow its head.
    [[nodiscard]] std::size_t pace() const noexcept { return event_.channel >> pace_shift; }
    /// Returns true for a packet that was marked as the last one of its message.
    [[nodiscard]] bool is_last() const noexcept { return (event_.channel & last_mark) != 0; }
    void mark_last() noexcept { event_.channel |= last_mark; }

    /// Returns the part of the packet that the routing rule reads.
    [[nodiscard]] Flight flight(SwitchId target) const noexcept {
        return {target, event_.note, channel()};
    }
    /// Returns true if the routing rule has left its note as it was.
    [[nodiscard]] bool has_note_of(const Flight& flight) const noexcept {
        return event_.note == flight.note;
    }
    /// Keeps the note that the routing rule has written.
    void keep_note(const Flight& flight) noexcept { event_.note = flight.note; }
    /// Keeps the note and the channel that the routing rule has chosen at the source.
    void launch(const Flight& flight) noexcept {
        event_.note = flight.note;
        event_.channel = flight.channel;
    }
    /// Returns the event of the packet's arrival at the next switch, on `channel` and at `pace`.
    [[nodiscard]] Event forwarded(const PortAddress& input, Picoseconds head, int channel,
                                  int pace) const noexcept {
        Event next = event_;
        next.time = head;
        next.location = input.location;
        next.port = input.port;
        next.channel = std::uint8_t((event_.channel & last_mark) | channel | pace << pace_shift);
        return next;
    }

private:
    static constexpr std::uint8_t channel_mask = 7;
    static constexpr std::uint8_t last_mark = 8;
    static constexpr unsigned pace_shift = 4;

    Event event_;
};

/// A packet in a switch, with the time at which its last byte comes in.
struct Arrival {
    Packet packet;
    Picoseconds tail = 0;
};

}  // namespace tradewind::sim
