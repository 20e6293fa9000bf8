/// What programs that run a model tell another process: lines of JSON and files of numbers.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

namespace tradewind::models {

/// The shortest text that is read back as the same number; NaN, Infinity or -Infinity.
[[nodiscard]] std::string json(double value);
[[nodiscard]] std::string json(std::int64_t value);
[[nodiscard]] std::string json(std::span<const double> values);

/// A JSON object; names are plain words.
class JsonObject {
public:
    /// `value` is JSON.
    JsonObject& add(std::string_view name, std::string_view value);
    template <class Value>
    JsonObject& add_value(std::string_view name, const Value& value) {
        return add(name, json(value));
    }
    /// In braces.
    [[nodiscard]] std::string text() const { return "{" + entries_ + "}"; }

private:
    std::string entries_;
};

/// l1, l2 and maximum as an object.
template <class Norms>
[[nodiscard]] std::string json_of_norms(const Norms& norms) {
    return JsonObject()
        .add_value("l1", norms.l1)
        .add_value("l2", norms.l2)
        .add_value("maximum", norms.maximum)
        .text();
}

/// Lines {"stepped": 12}, at most ten times a second and at the last step, flushed at once.
class StepLines {
public:
    StepLines(std::int64_t steps, std::ostream& lines) : steps_(steps), lines_(lines) {}
    void stepped(std::int64_t step);

private:
    using Clock = std::chrono::steady_clock;

    std::int64_t steps_;
    std::ostream& lines_;
    Clock::time_point told_{};
};

/// Writes arrays one after the other, as doubles of this machine. The file gets its name when it is
/// complete: a run that is killed leaves complete files only. False if it cannot be written.
[[nodiscard]] bool write_numbers(const std::filesystem::path& file,
                                 std::span<const std::span<const double>> arrays);

}  // namespace tradewind::models
