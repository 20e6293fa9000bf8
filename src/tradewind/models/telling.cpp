/// Lines and files of a run.
#include "tradewind/models/telling.hpp"

#include <charconv>
#include <cmath>
#include <fstream>
#include <ostream>

#include "tradewind/base/errors.hpp"

namespace tradewind::models {

namespace {

constexpr std::chrono::milliseconds between_steps{100};

}  // namespace

std::string json(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    return {digits, end};
}

std::string json(std::int64_t value) {
    return std::to_string(value);
}

std::string json(std::span<const double> values) {
    std::string list;
    for (const double value : values) list += (list.empty() ? "" : ", ") + json(value);
    return "[" + list + "]";
}

JsonObject& JsonObject::add(std::string_view name, std::string_view value) {
    entries_ += tradewind::text(entries_.empty() ? "" : ", ", '"', name, "\": ", value);
    return *this;
}

void StepLines::stepped(std::int64_t step) {
    const Clock::time_point now = Clock::now();
    if (now - told_ < between_steps && step != steps_) return;
    told_ = now;
    lines_ << tradewind::text(R"({"stepped": )", step, "}") << std::endl;
}

bool write_numbers(const std::filesystem::path& file,
                   std::span<const std::span<const double>> arrays) {
    auto unfinished = file;
    unfinished += ".part";
    std::ofstream out(unfinished, std::ios::binary);
    for (const auto values : arrays)
        out.write(reinterpret_cast<const char*>(values.data()),
                  std::streamsize(values.size_bytes()));
    out.close();
    std::error_code failed;
    if (out) std::filesystem::rename(unfinished, file, failed);
    return bool(out) && !failed;
}

}  // namespace tradewind::models
