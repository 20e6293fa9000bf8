/// The common part of the measurements: sizes and repetitions from settings, and the loop that
/// times an operation.
#pragma once

#include "tradewind/measure/measurement.hpp"

namespace tradewind::measure {

/// The settings of most measurements.
namespace given {
inline constexpr auto sizes =
    declare::whole_list("sizes", "bytes of a message, block or vector; default: 8 B to 1 MiB", 1,
                        1000)
        .within(0, 0x1p50);
inline constexpr auto repetitions =
    declare::whole("repetitions", "repetitions of every case", 100).within(1, 10'000'000);
inline constexpr auto warm_up =
    declare::whole("warm_up", "repetitions before them, which are not kept", 10)
        .within(0, 1'000'000);
inline constexpr auto payload =
    declare::truth("payload", "buffers have memory, which simulations do not need", true);
inline constexpr const Declaration* usual[] = {&sizes, &repetitions, &warm_up, &payload};
}  // namespace given

struct Repetitions {
    std::int64_t warm_up = 0;
    std::int64_t count = 1;
};
[[nodiscard]] Repetitions read_repetitions(const Settings& settings);
/// Reads the sizes, by default 8 bytes to 1 MiB in steps of four.
[[nodiscard]] std::vector<Bytes> read_sizes(const Settings& settings);

/// The memory of one rank for the largest size; null without payload.
class Memory {
public:
    Memory(Bytes bytes, bool payload)
        : values_(payload ? std::size_t(bytes) : 0), bytes_(bytes), payload_(payload) {}
    [[nodiscard]] Buffer first(Bytes bytes) noexcept {
        return {payload_ ? values_.data() : nullptr, bytes};
    }
    [[nodiscard]] Bytes size() const noexcept { return bytes_; }
    /// Writes to every cache line of the first `bytes` bytes without changing values. Copies of the
    /// line in other caches are invalidated, as they are when a model computes new values.
    void touch(Bytes bytes) noexcept;

private:
    std::vector<std::byte> values_;
    Bytes bytes_;
    bool payload_;
};

/// Runs `body` repeatedly, each time after a barrier. `seconds` gets one time per repetition, that
/// of the slowest rank, on all ranks. Ranks leave a barrier up to a latency apart, so a short
/// operation can appear longer by that much. `before`, if given, is called before each barrier.
Task timed(Comm& comm, const Program& body, Repetitions repetitions, std::vector<double>& seconds,
           std::function<void()> before = {});

/// Runs `body` like `timed`, for an operation of all ranks. A time ends when the last rank has
/// finished, and begins when the last of the ranks with `is_waited_for` has begun: those that the
/// others wait for (all, or the root). Both are taken by the clock of rank 0. Hence the skew of the
/// ranks after the barrier does not count.
Task time_collectively(Comm& comm, const Program& body, Repetitions repetitions, bool is_waited_for,
                       std::vector<double>& seconds, std::function<void()> before = {});

/// Finds the difference between the clock of rank 0 and that of this rank, by the fastest of
/// several round trips. The error is half of the difference between the two directions
/// (cristian1989).
Task clock_offset(Comm& comm, Picoseconds& offset);

/// Replaces each time by the largest one of all ranks.
Task slowest(Comm& comm, std::vector<double>& seconds);

}  // namespace tradewind::measure
