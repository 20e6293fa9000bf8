/// ProgressStream: reports a run of any model to another process, as lines of JSON and files of
/// numbers.
///
///     {"stepped": 12}                  at most ten times a second, and after the last step
///     {"observed": {"step": 12, "time_s": 14400, "file": "step-12.bin", "numbers": {...},
///                   "about_numbers": [...]}}
///
/// A file holds the fields of an output time one after the other, then the spectra of stations, as
/// doubles of this machine. It is complete before the line that names it. Numbers read back from
/// the lines have the same bits; those that are not finite are NaN, Infinity and -Infinity.
#pragma once

#include <chrono>
#include <filesystem>
#include <iosfwd>

#include "tradewind/program/model_run.hpp"

namespace tradewind {

class ProgressStream final : public RunObserver {
public:
    /// Writes files to `folder`, which must exist, and lines to `lines`, each flushed at once.
    ProgressStream(const Outline& outline, std::filesystem::path folder, std::ostream& lines);

    void stepped(std::int64_t step) override;
    /// Throws Error if the fields cannot be written.
    void observed(const ModelOutput& output) override;
    /// Returns the median time of the steps but the first, in seconds; 0 after less than two of
    /// them. A step before which fields were written counts with that.
    [[nodiscard]] double median_step() const;

private:
    using Clock = std::chrono::steady_clock;

    const Outline& outline_;
    std::filesystem::path folder_;
    std::ostream& lines_;
    Clock::time_point reported_{};
    Clock::time_point last_step_{};
    std::vector<double> seconds_;
};

/// Returns numbers as a JSON object, nested where their names have dots.
[[nodiscard]] std::string json(std::span<const Number> numbers);
/// Returns name, meaning, unit and is_headline of each number, a list of objects.
[[nodiscard]] std::string json_about(std::span<const Number> numbers);

}  // namespace tradewind
