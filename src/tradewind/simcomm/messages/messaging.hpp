/// Messaging: the transport of messages between ranks, through the network or through the memory of
/// a node.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "tradewind/sim/kernel/per_worker.hpp"
#include "tradewind/simcomm/messages/message_kind.hpp"
#include "tradewind/simcomm/messages/ordering.hpp"
#include "tradewind/simcomm/messages/remote_messages.hpp"
#include "tradewind/simcomm/records.hpp"
#include "tradewind/simcomm/run_result.hpp"
#include "tradewind/simcomm/simulation_setup.hpp"

namespace tradewind::simcomm {

/// The ends of a copy within a node: the times at which the buffer of the send is free, and at
/// which the message is there.
struct NodeCopy {
    Picoseconds sent = 0;
    Picoseconds arrived = 0;
};

/// Copies the data of a message to `to`. Does nothing if one of them has no memory.
inline void copy_payload(const sim::Message& message, std::byte* to) {
    if (message.payload && to != nullptr)
        std::memcpy(to, message.payload.get(), std::size_t(message.size));
}

class Messaging {
public:
    explicit Messaging(const SimulationSetup& setup);
    Messaging(const Messaging&) = delete;
    Messaging& operator=(const Messaging&) = delete;

    [[nodiscard]] const RankParameters& costs() const noexcept { return setup_.ranks; }
    [[nodiscard]] const sim::NetworkParameters& parameters() const noexcept {
        return setup_.parameters;
    }
    [[nodiscard]] sim::MessagePool& messages() noexcept { return messages_; }
    [[nodiscard]] RequestPool& requests() noexcept { return requests_; }
    [[nodiscard]] const RequestPool& requests() const noexcept { return requests_; }

    /// Returns the record of the critical path; null where there is none.
    [[nodiscard]] CriticalPath* path() const noexcept { return setup_.path; }

    [[nodiscard]] std::uint32_t nic_of(Rank rank) const { return setup_.placement->nic(rank); }
    /// Gives a message of a rank its interfaces: of the two ranks, or the next ones in turn. Then
    /// both have the same number in their nodes.
    void assign_interfaces(sim::Message& message, std::uint32_t from, std::uint32_t to) const {
        const auto nics = std::uint32_t(setup_.parameters.nics_per_node);
        message.source_nic = from;
        message.destination_nic = to;
        if (!setup_.has_rails) return;
        const std::uint32_t rail = (from + message.sequence) % nics;
        message.source_nic = from / nics * nics + rail;
        message.destination_nic = to / nics * nics + rail;
    }
    [[nodiscard]] sim::Location location_of(std::uint32_t nic) const noexcept {
        return nic / setup_.nics_per_switch;
    }
    [[nodiscard]] bool same_node(const sim::Message& message) const noexcept {
        const auto nics = std::uint32_t(setup_.parameters.nics_per_node);
        return nics == 1 ? message.source_nic == message.destination_nic
                         : message.source_nic / nics == message.destination_nic / nics;
    }
    /// Returns true if the message is short enough to be sent at once.
    [[nodiscard]] bool is_eager(const sim::Message& message) const noexcept {
        return message.size <=
               (same_node(message) ? costs().node_eager_limit : costs().eager_limit);
    }

    /// Returns the number of parts into which the data of a rendezvous are cut.
    [[nodiscard]] std::uint32_t parts_of(const sim::Message& message) const noexcept {
        const bool is_cut = setup_.stripes > 1 && message.size > costs().eager_limit &&
                            message.size >= Bytes(setup_.stripes) && !same_node(message);
        return is_cut ? setup_.stripes : 1;
    }
    /// Returns a new message of `bytes` to the owner of an interface, and counts it, if it is one
    /// of the program.
    [[nodiscard]] sim::MessageId take(const sim::Worker& worker, std::uint32_t to, Bytes bytes,
                                      bool is_counted = true) {
        Count& own = counts_[worker];
        own.messages += is_counted ? 1 : 0;
        own.bytes += bytes;
        return messages_.take(remote_ ? remote_->list(worker, to) : worker.index());
    }
    /// Frees a message that its destination has done with.
    void give(sim::Worker& worker, sim::MessageId id) {
        if (remote_ && remote_->is_foreign(id)) return remote_->give_back(worker, id);
        messages_.give(worker.index(), id);
    }
    /// Puts the data of a rendezvous on their way, in parts if they are striped.
    void launch_data(sim::Worker& worker, sim::MessageId id, Picoseconds time);
    /// Puts a message on its way.
    void launch(sim::Worker& worker, sim::MessageId id, MessageKind kind, Picoseconds time);
    /// Returns the times at which a message within a node has been copied.
    [[nodiscard]] NodeCopy copy_in_node(const sim::Message& message);

    /// Returns true if a message that has come in at `time` may be matched. Otherwise the message
    /// is held until its predecessor has been matched.
    [[nodiscard]] bool is_next(sim::MessageId id, Picoseconds time) {
        sim::Message& message = messages_[id];
        if (message.ticket == 0 || ordering_->is_next(id, message)) return true;
        message.arrival = time;
        return false;
    }
    /// Tells the source that a message is being matched. Returns the message that was held for it,
    /// or none.
    [[nodiscard]] sim::MessageId matched(sim::Worker& worker, const sim::Message& message,
                                         Picoseconds time) const {
        if (message.ticket == 0) return sim::no_message;
        const sim::MessageId held = ordering_->close(message.ticket);
        send_receipt(worker, message, time);
        return held;
    }
    /// Takes a client event if it is the receipt of a message. Returns false for others.
    [[nodiscard]] bool take_receipt(const sim::Worker& worker, const sim::Event& event);

    /// Returns the exchange with other processes; null where there is one process.
    [[nodiscard]] RemoteMessages* remote() noexcept { return remote_.get(); }
    /// Adds the messages and bytes that the ranks of this process have sent.
    void add_to(RunTotals& totals) const;

private:
    struct alignas(64) Count {
        std::int64_t messages = 0;
        Bytes bytes = 0;
    };

    void send_in_node(sim::Worker& worker, sim::MessageId id, Picoseconds time);
    void send_receipt(sim::Worker& worker, const sim::Message& message, Picoseconds time) const;

    const SimulationSetup setup_;
    sim::MessagePool& messages_;
    RequestPool requests_;
    /// The order of messages; null where routes keep it.
    std::unique_ptr<Ordering> ordering_;
    /// The exchange with other processes; null where there is one process.
    std::unique_ptr<RemoteMessages> remote_;
    sim::PerWorker<Count> counts_;
};

/// Returns whether the origin of a put copies the data itself, into memory of its node.
[[nodiscard]] inline bool is_copied_by_origin(const Messaging& messaging,
                                              const sim::Message& put) noexcept {
    return messaging.costs().put_copy_ps > 0.0 && messaging.same_node(put);
}

/// Sends a message back from its destination, which has done with it at `time`.
inline void send_back(Messaging& messaging, sim::Worker& worker, sim::MessageId id,
                      MessageKind kind, Picoseconds time) {
    sim::Message& message = messaging.messages()[id];
    std::swap(message.source_nic, message.destination_nic);
    messaging.launch(worker, id, kind, time);
}
/// Frees a message that has come back to its source.
inline void give_answer(Messaging& messaging, const sim::Worker& worker, sim::MessageId id) {
    if (RemoteMessages* const remote = messaging.remote(); remote != nullptr) {
        remote->reuse(id);
    } else {
        messaging.messages().give(worker.index(), id);
    }
}

}  // namespace tradewind::simcomm
