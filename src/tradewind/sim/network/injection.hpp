/// Injection: the network interfaces, which cut messages into packets and send them.
#pragma once

#include <optional>

#include "tradewind/base/large_memory.hpp"
#include "tradewind/sim/kernel/per_worker.hpp"
#include "tradewind/sim/network/fabric.hpp"
#include "tradewind/sim/network/load_counter.hpp"
#include "tradewind/sim/network/nic.hpp"
#include "tradewind/sim/network/packet.hpp"
#include "tradewind/sim/network/switching/ports.hpp"

namespace tradewind::sim {

/// An interface sends the messages of its queue packet by packet, as fast as its rate, the gap
/// between messages, the memory of its node and the buffer behind it allow. PortAddress::port
/// counts the interfaces of a switch here.
class Injection {
public:
    Injection(Fabric& fabric, const Ports& ports);

    /// Takes a message to its interface, where it arrives one injection latency after `time`.
    void submit(Worker& worker, MessageId id, Picoseconds time);
    /// Puts the message of an event into the queue of its interface. Returns true if the interface
    /// was idle.
    [[nodiscard]] bool enqueue(const Event& event) noexcept;
    /// Returns the next packet of an interface; none if it may not send now, or has none.
    [[nodiscard]] std::optional<Arrival> next_packet(Worker& worker, PortAddress nic);
    /// Arranges for the packet after the one that `next_packet` has returned, when that one is in
    /// its switch.
    void schedule_next(Worker& worker, PortAddress nic);

    /// Gives back the buffer space of a packet that leaves its first switch, at `time`.
    void release(Worker& worker, const Packet& packet, Picoseconds time);
    /// Takes back the buffer space of a credit event. Returns true if the interface was waiting
    /// for it.
    [[nodiscard]] bool take_credit(const Event& event) noexcept;

    /// Asks for the memory that the handling of an event will touch: in stage 0 what the event
    /// names, then what that names.
    void prefetch(const Event& event, int stage) const noexcept;

    /// Returns the bytes that take up buffer space; zero when everything has been delivered.
    [[nodiscard]] Bytes held_bytes() const noexcept;
    /// Returns how many packets were sent.
    [[nodiscard]] std::int64_t packets() const noexcept;
    /// Returns what an interface has sent.
    [[nodiscard]] const LoadCounter& load(std::size_t nic) const noexcept { return loads_[nic]; }
    [[nodiscard]] std::size_t nics() const noexcept { return nics_.size(); }

private:
    struct alignas(64) Count {
        std::int64_t packets = 0;
    };

    [[nodiscard]] std::size_t index(const PortAddress& nic) const noexcept {
        return fabric_.layout.nic_index(nic.location, nic.port);
    }
    /// Returns true if buffers bound what an interface may have under way.
    [[nodiscard]] bool has_limit() const noexcept {
        return fabric_.parameters.switch_buffer > 0 && fabric_.parameters.nic_buffer > 0;
    }
    [[nodiscard]] bool may_send(Worker& worker, Nic& nic, const PortAddress& at);
    void schedule(Worker& worker, Nic& nic, const PortAddress& at, Picoseconds time) const;
    void begin_message(Worker& worker, const Nic& nic, std::size_t number);
    [[nodiscard]] Picoseconds send_time(std::size_t number, Picoseconds now, Bytes bytes);
    void launch(Packet& packet, std::size_t nic, std::uint32_t number, Picoseconds now) const;
    void finish_message(Worker& worker, Nic& nic, Picoseconds tail);
    void rotate(Nic& nic) noexcept;
    void prefetch_first_hop(const Message& message, Location here) const noexcept;

    Fabric& fabric_;
    const Ports& ports_;
    /// Rate of trains that the buffer behind an interface can sustain.
    TransferRate train_rate_;
    Bytes limit_;
    ZeroedArray<Nic> nics_;
    ZeroedArray<LoadCounter> loads_;
    PerWorker<Count> counts_;
};

}  // namespace tradewind::sim
