/// TraceBuilder: puts together a trace from the calls of each rank, with repeated calls folded.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tradewind/base/units.hpp"
#include "tradewind/comm/types.hpp"
#include "tradewind/trace/call.hpp"
#include "tradewind/trace/trace.hpp"

namespace tradewind::trace {

/// A call with its arguments, without its times.
struct TracedCall {
    Call call = Call::other;
    /// The number of the communicator on this rank; window calls name that of the window.
    std::int64_t comm = world;
    std::int64_t flags = 0;
    /// The string of the call site; `none` if it is not known.
    std::int64_t site = none;
    /// See calls.def.
    std::vector<std::int64_t> arguments;
};

/// The times of one call.
struct CallTimes {
    /// The time since the end of the call before, by wall clock and by processor time.
    Picoseconds computed = 0;
    Picoseconds processor = 0;
    /// The wall-clock time in the call.
    Picoseconds inside = 0;
};

/// The variation of the processor times of a rank between the turns of loops, of which a trace has
/// the means.
struct Variation {
    /// The processor time of all calls.
    Picoseconds processor = 0;
    /// The differences of turns from the mean of those before, of all calls where they matter.
    Picoseconds deviation = 0;
    /// The call with most of that, and its mean and mean deviation; `none` if nothing varies.
    std::int64_t event = none;
    Picoseconds mean = 0;
    Picoseconds deviation_per_turn = 0;
};

/// The calls of each rank are added in their order; those of different ranks in any order.
///
/// Slots: a nonblocking call takes the lowest number from 0 that no open request of its rank has;
/// the call that completes the request frees the number. So the calls of a loop are equal in each
/// turn. Communicators and windows have numbers on each rank, in the order in which the rank got
/// them: 0 is that of all ranks, 1 that of the rank alone.
class TraceBuilder {
public:
    explicit TraceBuilder(Rank ranks);
    ~TraceBuilder();
    TraceBuilder(const TraceBuilder&) = delete;
    TraceBuilder& operator=(const TraceBuilder&) = delete;

    /// Returns the number of a text, such as a call site "solver.f90:212".
    [[nodiscard]] std::int64_t string(std::string_view text);
    /// Returns the number of an event, equal for equal events. Throws TraceError if its arguments
    /// do not have the shape of its call.
    [[nodiscard]] std::int64_t event(const TracedCall& event);
    /// Adds a communicator of `rank`, whose ranks in the world are `members`, in their order. Its
    /// number on that rank is returned.
    std::int64_t communicator(Rank rank, const std::vector<Rank>& members);
    /// Adds a call of a rank. Equal events are folded into a loop if `place` is equal as well: two
    /// calls of one source line share a call site, yet each has its own computation before it.
    void add(Rank rank, std::int64_t event, const CallTimes& times, std::int64_t place = 0);
    /// Returns how much the processor times of the calls of a rank vary from turn to turn.
    [[nodiscard]] Variation variation(Rank rank) const;
    /// Returns the trace; the builder is empty afterwards.
    [[nodiscard]] Trace finish();

private:
    struct Tables;
    std::unique_ptr<Tables> state_;
};

}  // namespace tradewind::trace
