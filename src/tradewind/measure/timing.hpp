/// What measurements share: sizes and repetitions from settings, and the loop that times an
/// operation.
#pragma once

#include "tradewind/measure/measurement.hpp"

namespace tradewind::measure {

struct Repetitions {
    std::int64_t warm_up = 10;
    std::int64_t count = 100;
};
[[nodiscard]] Repetitions read_repetitions(const Settings& settings);
/// At least one size, none negative; if none are set `otherwise`, or powers of two where that is
/// empty.
[[nodiscard]] std::vector<Bytes> read_sizes(const Settings& settings,
                                            std::vector<Bytes> otherwise = {});

/// Memory of one rank for the largest size; null without payload.
class Memory {
public:
    Memory(Bytes bytes, bool payload)
        : values_(payload ? std::size_t(bytes) : 0), bytes_(bytes), payload_(payload) {}
    [[nodiscard]] Buffer first(Bytes bytes) noexcept {
        return {payload_ ? values_.data() : nullptr, bytes};
    }
    [[nodiscard]] Bytes size() const noexcept { return bytes_; }
    /// Writes to every cache line of the first `bytes`, without a change: where the line is shared,
    /// the other copies are lost, as when a model has computed new values.
    void touch(Bytes bytes) noexcept;

private:
    std::vector<std::byte> values_;
    Bytes bytes_;
    bool payload_;
};

/// Runs `body` again and again, each time after a barrier. `seconds` gets one time for each
/// repetition, that of the slowest rank, on all ranks. A barrier lets ranks go up to a latency
/// apart: by so much a short operation can look longer than it is. `before`, where given, is called
/// ahead of each barrier.
Task timed(Comm& comm, const Program& body, Repetitions repetitions, std::vector<double>& seconds,
           std::function<void()> before = {});

/// The same for an operation of all ranks: `seconds` is the time from when the last of those ranks
/// has begun that the others wait for (all, or the root) until the last rank has finished, by the
/// clock of rank 0. How far apart the barrier lets the ranks go does not count.
Task timed_together(Comm& comm, const Program& body, Repetitions repetitions, bool is_waited_for,
                    std::vector<double>& seconds, std::function<void()> before = {});

/// The clock of rank 0 less that of this rank, by the fastest of some messages there and back:
/// right to half the difference between the two ways (cristian1989).
Task clock_offset(Comm& comm, Picoseconds& offset);

/// Replaces the times of this rank by those of the slowest one.
Task slowest(Comm& comm, std::vector<double>& seconds);

}  // namespace tradewind::measure
