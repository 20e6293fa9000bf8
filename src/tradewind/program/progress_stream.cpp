/// Lines and files of a run.
#include "tradewind/program/progress_stream.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <ostream>

#include "tradewind/base/errors.hpp"

namespace tradewind {

namespace {

constexpr std::chrono::milliseconds between_reports{100};

/// Returns the shortest text that is read back as the same number.
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

std::string json(const std::vector<double>& values) {
    std::string list;
    for (const double value : values) list += (list.empty() ? "" : ", ") + json(value);
    return "[" + list + "]";
}

/// Writes arrays one after the other. The file gets its name when it is complete, so a run that is
/// killed leaves complete files only.
bool write_arrays(const std::filesystem::path& file,
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

}  // namespace

std::string json(std::span<const Number> numbers) {
    std::string entries;
    std::string group;
    for (const Number& number : numbers) {
        const auto dot = number.name.find('.');
        const std::string parent = dot == std::string::npos ? "" : number.name.substr(0, dot);
        if (!group.empty() && parent != group) entries += "}";
        const bool is_first = entries.empty() || (!parent.empty() && parent != group);
        if (!parent.empty() && parent != group)
            entries += text(entries.empty() ? "" : ", ", '"', parent, "\": {");
        group = parent;
        const std::string name =
            dot == std::string::npos ? number.name : number.name.substr(dot + 1);
        entries += text(is_first ? "" : ", ", '"', name, "\": ");
        entries += std::visit([](const auto& value) { return json(value); }, number.value);
    }
    if (!group.empty()) entries += "}";
    return "{" + entries + "}";
}

std::string json_about(std::span<const Number> numbers) {
    std::string entries;
    for (const Number& number : numbers) {
        entries += text(entries.empty() ? "" : ", ", R"({"name": ")", number.name,
                        R"(", "meaning": ")", number.meaning, R"(", "unit": ")", number.unit,
                        R"(", "is_headline": )", number.is_headline ? "true" : "false", "}");
    }
    return "[" + entries + "]";
}

ProgressStream::ProgressStream(const Outline& outline, std::filesystem::path folder,
                               std::ostream& lines)
    : outline_(outline), folder_(std::move(folder)), lines_(lines) {}

void ProgressStream::stepped(std::int64_t step) {
    const Clock::time_point now = Clock::now();
    if (last_step_ != Clock::time_point{})
        seconds_.push_back(std::chrono::duration<double>(now - last_step_).count());
    last_step_ = now;
    if (now - reported_ < between_reports && step != outline_.steps) return;
    reported_ = now;
    lines_ << text(R"({"stepped": )", step, "}") << std::endl;
}

double ProgressStream::median_step() const {
    if (seconds_.empty()) return 0.0;
    std::vector<double> sorted = seconds_;
    const auto middle = sorted.begin() + std::ptrdiff_t(sorted.size() / 2);
    std::ranges::nth_element(sorted, middle);
    return *middle;
}

void ProgressStream::observed(const ModelOutput& output) {
    const std::string name = text("step-", output.step, ".bin");
    auto arrays = output.fields;
    arrays.insert(arrays.end(), output.spectra.begin(), output.spectra.end());
    if (!write_arrays(folder_ / name, arrays))
        throw Error(text("the fields of step ", output.step, " cannot be written to ",
                         (folder_ / name).string()));
    lines_ << text(R"({"observed": {"step": )", output.step, R"(, "time_s": )", json(output.time_s),
                   R"(, "file": ")", name, R"(", "numbers": )",
                   json(std::span<const Number>(output.numbers)), R"(, "about_numbers": )",
                   json_about(output.numbers), "}}")
           << std::endl;
}

}  // namespace tradewind
