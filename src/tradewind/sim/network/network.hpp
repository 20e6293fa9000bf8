/// Network: carries messages between network interfaces in simulated time, and tells its client of
/// their progress.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tradewind/sim/kernel/engine.hpp"
#include "tradewind/sim/network/message.hpp"
#include "tradewind/sim/network/parameters.hpp"
#include "tradewind/sim/observe/report.hpp"
#include "tradewind/sim/routing/routing.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

/// The kinds of events, in the order in which they are handled at equal times.
enum class EventKind : std::uint8_t {
    credit,      ///< buffer space has become free behind an output port
    nic_credit,  ///< buffer space has become free behind an interface
    packet,      ///< the head of a packet, or a whole message of the analytic model, has come in
    port_ready,  ///< an output port can take the next packet (not with first come)
    inject,      ///< an interface sends its next packet
    enqueue,     ///< a message joins its interface's queue
    arrive,      ///< a message is ready to be copied within its node
    client,      ///< the client's own
};

/// The user of the network. Calls come from the worker that owns the rank concerned. `time` may
/// differ from that of the event that is being handled: an effect may be known in advance.
class Client {
public:
    virtual ~Client() = default;
    /// Starts the client's work on a worker, before the first window.
    virtual void seed(Worker& worker) = 0;
    /// Hears that the last byte has left the source's memory, if the message asks for that.
    virtual void injected(Worker& worker, MessageId message, Picoseconds time) = 0;
    /// Hears that the last byte has arrived.
    virtual void delivered(Worker& worker, MessageId message, Picoseconds time) = 0;
    /// Asks for the memory that `delivered` will touch: in stage 1 for that which the message
    /// names, in stage 2 for that which this names in turn. The message may not be the
    /// destination's yet, so only its fixed fields may be read.
    virtual void prefetch(MessageId message, int stage) noexcept = 0;
    virtual void client_event(Worker& worker, const Event& event) = 0;
    /// Hears that message `id`, whose fields for the network are final, leaves for another process.
    /// From the next window on that process must know it, too.
    virtual void departs(Worker& worker, MessageId id) = 0;
    /// Takes the payload that the client of another process has put into a parcel for this one.
    virtual void receive(Worker& worker, std::span<const std::byte> payload) = 0;
};

/// A flag that the client sets in Message::flags to hear of the injection.
inline constexpr std::uint8_t notify_injected = 1;
inline constexpr std::uint8_t control_message = 2;
/// A message that goes ahead of all that its interface has queued, between two packets.
inline constexpr std::uint8_t urgent_message = 4;
/// A message that must not overtake another such message of the same two interfaces.
inline constexpr std::uint8_t ordered_message = 8;

/// Returns the event that takes a message to its interface, `nic` among those of the location. The
/// order of two at the same time depends on their source only.
[[nodiscard]] inline Event enqueue_event(MessageId id, const Message& message, Picoseconds time,
                                         Location location, std::uint32_t nic) noexcept {
    Event event;
    event.kind = std::uint8_t(EventKind::enqueue);
    event.time = time;
    event.location = location;
    event.port = std::uint16_t(nic);
    event.target = message.source_rank;
    event.bytes = message.sequence;
    event.message = id;
    return event;
}

class JourneyLog;

struct NetworkSetup {
    const Topology* topology = nullptr;
    const Routing* routing = nullptr;
    /// The shortest routes, for contention-free times.
    const Routing* shortest = nullptr;
    NetworkParameters parameters;
    Schedule schedule;
    ObserveParameters observe;
    /// Learns what holds messages up; null: nobody does. It needs a single worker.
    JourneyLog* journeys = nullptr;
};

class Network {
public:
    virtual ~Network() = default;

    /// Sends message `id`, whose network fields are set, at `time` from the location of its source.
    virtual void send(Worker& worker, MessageId id, Picoseconds time) = 0;
    /// Moves data through the memory of a NUMA domain, node * domains of a node + domain, from
    /// `time` on. Returns the time at which that is done.
    virtual Picoseconds use_memory(std::uint32_t domain, Picoseconds time, Bytes bytes) = 0;
    virtual void run(Client& client, const Progress& progress) = 0;
    [[nodiscard]] virtual MessagePool& messages() noexcept = 0;
    /// Returns the report of the locations of this process; `complete` makes a whole of the parts.
    [[nodiscard]] virtual NetworkReport report(Picoseconds end) const = 0;

    /// Returns the passages of packets through switches so far, or the messages that have arrived
    /// where packets are not simulated. It may be called while the network runs.
    [[nodiscard]] virtual std::int64_t work_done() const noexcept = 0;
    /// Returns true if messages between two nodes cannot overtake each other.
    [[nodiscard]] virtual bool keeps_order() const noexcept = 0;
};

[[nodiscard]] std::unique_ptr<Network> make_packet_network(NetworkSetup setup);
[[nodiscard]] std::unique_ptr<Network> make_analytic_network(NetworkSetup setup);

/// Returns a pool with a free list for each worker and each process to which it sends: a process
/// that keeps copies of the messages that come to it then finds them side by side.
[[nodiscard]] inline MessagePool make_message_pool(const Schedule& schedule) {
    return MessagePool(schedule.workers() * schedule.processes(), schedule.process(),
                       schedule.processes());
}

/// Returns the time before which no event reaches another location.
[[nodiscard]] Picoseconds lookahead(const NetworkParameters& parameters);

}  // namespace tradewind::sim
