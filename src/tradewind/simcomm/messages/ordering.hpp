/// Ordering: messages of equal envelopes between two ranks are matched in the order of sending,
/// also where routes let them overtake each other.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tradewind/base/random.hpp"
#include "tradewind/sim/network/message.hpp"

namespace tradewind::simcomm {

/// Memory only for messages in flight. Each has a ticket, and names that of its predecessor if that
/// was still in flight when it was sent:
///
///     source                                    destination
///     send m1: ticket 1                         m2 comes in: ticket 1 is open, m2 is held
///     send m2: ticket 2, after 1                m1 comes in: matched, closes 1; then m2: closes 2
///     receipt of 1: m2 comes after it, keep     each match sends a receipt back
///     receipt of 2: frees 1; newest: frees 2
class Ordering {
public:
    using Ticket = std::uint32_t;

    /// `process` of `processes` that share the simulation.
    explicit Ordering(int workers, int process = 0, int processes = 1)
        : tickets_(workers, process, processes), newest_(std::size_t(workers)) {}

    /// At the destination, if that is another process: its copy of a message's ticket, open and
    /// holding nothing.
    void announce(Ticket ticket) { tickets_.copy(ticket) = Record{}; }

    /// A message leaves its source.
    void sent(int worker, sim::Message& message) {
        const Ticket ticket = tickets_.take(worker);
        tickets_[ticket].lane = lane_of(message);
        Ticket& newest = newest_[std::size_t(worker)][tickets_[ticket].lane];
        message.after = newest;
        message.ticket = ticket;
        newest = ticket;
    }

    /// At the destination: true if the message may be matched now; else it is held until its
    /// predecessor has been.
    [[nodiscard]] bool is_next(sim::MessageId id, const sim::Message& message) {
        if (message.after == 0 || tickets_[message.after].is_closed) return true;
        tickets_[message.after].held = id;
        return false;
    }
    /// At the destination, when the message has been matched: the message that was held for it, or
    /// none.
    [[nodiscard]] sim::MessageId close(Ticket ticket) {
        tickets_[ticket].is_closed = true;
        return tickets_[ticket].held;
    }

    /// Back at the source: the message with this ticket has been matched.
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
    struct Record {
        Lane lane;
        sim::MessageId held = sim::no_message;
        bool is_closed = false;
    };

    [[nodiscard]] static Lane lane_of(const sim::Message& message) noexcept {
        return {message.source_rank, message.destination_rank, message.context, message.tag};
    }

    sim::RecordPool<Record> tickets_;
    /// For each worker, the newest message in flight of each lane that starts at its ranks.
    std::vector<std::unordered_map<Lane, Ticket, LaneHash>> newest_;
};

}  // namespace tradewind::simcomm
