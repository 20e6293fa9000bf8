/// Stream: tells a run to another process, as lines of JSON and files of numbers.
#pragma once

#include <chrono>
#include <filesystem>
#include <iosfwd>
#include <vector>

#include "tradewind/models/pstswm/run.hpp"
#include "tradewind/models/telling.hpp"

namespace tradewind::pstswm {

/// One line for each event, flushed at once:
///
///     {"stepped": 12}                  at most ten times a second
///     {"observed": {"step": 12, "time_s": 14400, "file": "step-12.bin", "diagnostics": {...}}}
///
/// The file holds the fields in the order of `snapshot_fields`, each [level][latitude][longitude],
/// as models::write_numbers writes them, before the line that tells of it. Numbers read back from
/// the lines have the same bits; those that are not finite are NaN, Infinity and -Infinity.
class Stream final : public Observer {
public:
    /// Files go to `folder`, which must exist. Errors of writing are `Error`.
    Stream(const Plan& plan, std::filesystem::path folder, std::ostream& lines);

    void stepped(std::int64_t step) override;
    void observed(const Snapshot& snapshot) override;
    /// Median time of the steps but the first, in seconds; 0 after less than two of them. A step
    /// before which fields were written counts with that.
    [[nodiscard]] double median_step() const;

private:
    const Plan& plan_;
    std::filesystem::path folder_;
    std::ostream& lines_;
    using Clock = std::chrono::steady_clock;

    models::StepLines steps_;
    Clock::time_point last_{};
    std::vector<double> seconds_;
};

}  // namespace tradewind::pstswm
