/// Ordering: the matching of messages of equal envelopes between two ranks in the order of sending,
/// also where routes let them overtake each other.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tradewind/base/random.hpp"
#include "tradewind/sim/network/message.hpp"

namespace tradewind::simcomm {

/// The tickets of messages in flight; no other messages take memory. Each has a ticket, and names
/// that of its predecessor if that was still in flight when it was sent:
///
///     source                                    destination
///     send m1: ticket 1                         m2 comes in: ticket 1 is open, m2 is held
///     send m2: ticket 2, after 1                m1 comes in: matched, closes 1; then m2: closes 2
///     receipt of 1: m2 comes after it, keep     each match sends a receipt back
///     receipt of 2: frees 1; newest: frees 2
class Ordering {
public:
    using Ticket = std::uint32_t;

    /// Makes the tickets of `process` among `processes` that share the simulation.
    explicit Ordering(int workers, int process = 0, int processes = 1)
        : tickets_(workers, process, processes), newest_(std::size_t(workers)) {}

    /// Copies a message's ticket to the destination, if that is another process; the copy is open
    /// and holds nothing.
    void announce(Ticket ticket) { tickets_.copy(ticket) = TicketRecord{}; }

    /// Gives a ticket to a message that leaves its source.
    void sent(int worker, sim::Message& message) {
        const Ticket ticket = tickets_.take(worker);
        tickets_[ticket].lane = lane_of(message);
        Ticket& newest = newest_[std::size_t(worker)][tickets_[ticket].lane];
        message.after = newest;
        message.ticket = ticket;
        newest = ticket;
    }

    /// Returns true at the destination if the message may be matched now. Otherwise holds it until
    /// its predecessor has been matched.
    [[nodiscard]] bool is_next(sim::MessageId id, const sim::Message& message) {
        if (message.after == 0 || tickets_[message.after].is_closed) return true;
        tickets_[message.after].held = id;
        return false;
    }
    /// Closes the ticket at the destination, when the message has been matched. Returns the message
    /// that was held for it, or none.
    [[nodiscard]] sim::MessageId close(Ticket ticket) {
        tickets_[ticket].is_closed = true;
        return tickets_[ticket].held;
    }

    /// Hears at the source that the message with this ticket has been matched.
    void receipt(int worker, Ticket ticket, Ticket after) {
        if (after != 0) tickets_.give(worker, after);
        auto& lanes = newest_[std::size_t(worker)];
        const auto found = lanes.find(tickets_[ticket].lane);
        if (found == lanes.end() || found->second != ticket) return;
        lanes.erase(found);
        tickets_.give(worker, ticket);
    }

private:
    /// Messages that must not overtake each other.
    struct Lane {
        std::uint32_t source = 0;
        std::uint32_t destination = 0;
        std::uint32_t context = 0;
        std::int32_t tag = 0;
        friend bool operator==(const Lane&, const Lane&) = default;
    };
    struct LaneHash {
        std::size_t operator()(const Lane& lane) const noexcept {
            return mix(std::uint64_t{lane.source} << 32 | lane.destination,
                       std::uint64_t{lane.context} << 32 | std::uint32_t(lane.tag));
        }
    };
    struct TicketRecord {
        Lane lane;
        sim::MessageId held = sim::no_message;
        bool is_closed = false;
    };

    [[nodiscard]] static Lane lane_of(const sim::Message& message) noexcept {
        return {message.source_rank, message.destination_rank, message.context, message.tag};
    }

    sim::RecordPool<TicketRecord> tickets_;
    /// The newest message in flight of each lane that starts at the ranks of a worker, for each
    /// worker.
    std::vector<std::unordered_map<Lane, Ticket, LaneHash>> newest_;
};

}  // namespace tradewind::simcomm
