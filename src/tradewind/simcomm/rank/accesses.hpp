/// Accesses: the accesses of other ranks to the memory of a simulated rank, the locks of its
/// windows, and the notices that it has got.
///
/// All of it happens where messages come in, at the interface and the memory of the rank. Its
/// processor takes no part, whatever its program does. An accumulate combines its data with those
/// in memory, one after the other, at the rate of sums of the machine.
#pragma once

#include <deque>
#include <map>
#include <utility>

#include "tradewind/comm/simulated_calls.hpp"
#include "tradewind/simcomm/rank/rank_context.hpp"

namespace tradewind::simcomm {

/// A counter of what has arrived.
struct Signal {
    std::int64_t count = 0;
    /// The time at which the last one arrived.
    Picoseconds last = 0;
};

class Accesses {
public:
    /// Takes an access, a request for a lock or its end, which has come at `time`.
    void take(const RankContext& rank, sim::MessageId id, Picoseconds time);
    /// Takes a notice. Returns its counter.
    const Signal& take_notice(const RankContext& rank, sim::MessageId id, Picoseconds time);
    /// Returns the notices of a kind about a window from one rank.
    [[nodiscard]] const Signal& notices(MessageKind kind, std::uint32_t window,
                                        std::uint32_t from) {
        return notices_[{kind, {window, from}}];
    }

private:
    /// The holders of a lock, and the requests that wait in the order of their arrival.
    struct Lock {
        std::int64_t shared = 0;
        bool is_exclusive = false;
        std::deque<sim::MessageId> queue;

        [[nodiscard]] bool is_free_for(const sim::Message& request) const noexcept {
            return !is_exclusive && (shared == 0 || request.tag == 0);
        }
        void grant(const sim::Message& request) noexcept {
            if (request.tag != 0) {
                is_exclusive = true;
            } else {
                ++shared;
            }
        }
    };

    void take_sum(const RankContext& rank, sim::MessageId id, Picoseconds time);
    void take_lock_request(const RankContext& rank, sim::MessageId id, Picoseconds time);
    void take_unlock(const RankContext& rank, sim::MessageId id, Picoseconds time);

    std::map<std::uint32_t, Lock> locks_;
    std::map<std::pair<MessageKind, std::pair<std::uint32_t, std::uint32_t>>, Signal> notices_;
    /// The time at which the memory has done with all sums so far.
    Picoseconds sums_over_ = 0;
};

}  // namespace tradewind::simcomm
