/// Endpoint: the sends, receives and puts of one simulated rank.
#pragma once

#include <memory>

#include "tradewind/comm/comm.hpp"
#include "tradewind/simcomm/rank/match_list.hpp"
#include "tradewind/simcomm/rank/rank_context.hpp"
#include "tradewind/simcomm/rank/windows.hpp"

namespace tradewind::simcomm {

/// Destination of a put.
struct PutPlace {
    Rank to = 0;
    Window window;
    Bytes offset = 0;
    std::int32_t signal = 0;
};

/// A request that has completed; `none` if there is none.
struct Completion {
    std::uint32_t request = none;
    Picoseconds time = 0;
};

/// Starting a message keeps the rank busy: its `clock` advances.
class Endpoint {
public:
    Request send(const RankContext& rank, Picoseconds& clock, Rank to, ConstBuffer data,
                 Envelope envelope, SendMode mode);
    Request put(const RankContext& rank, Picoseconds& clock, const PutPlace& place,
                ConstBuffer data);
    Request receive(const RankContext& rank, Picoseconds clock, Rank from, Buffer data,
                    Envelope envelope);
    /// Takes a message that looks for its receive. Returns the receive if that is complete now.
    [[nodiscard]] Completion message_arrived(const RankContext& rank, sim::MessageId id,
                                             Picoseconds time);
    /// Returns the windows of the rank, which takes memory for them at the first call.
    [[nodiscard]] Windows& windows() {
        if (!windows_) windows_ = std::make_unique<Windows>();
        return *windows_;
    }
    /// Returns the same, or null before that call.
    [[nodiscard]] Windows* windows_if_any() const noexcept { return windows_.get(); }
    /// Asks for the memory of the receive for `message`.
    void prefetch(RequestPool& requests, const sim::Message& message) noexcept {
        posted_.prefetch(requests, match_key(message));
    }

private:
    [[nodiscard]] sim::MessageId new_message(const RankContext& rank, Picoseconds& clock, Rank to,
                                             ConstBuffer data, Envelope envelope);
    [[nodiscard]] bool match(const RankContext& rank, std::uint32_t request, sim::MessageId id,
                             Picoseconds time) const;

    MatchList<RequestRecord> posted_;
    MatchList<sim::Message> unexpected_;
    std::unique_ptr<Windows> windows_;
    /// Number of messages that the rank has started.
    std::uint32_t sequence_ = 0;
};

}  // namespace tradewind::simcomm
