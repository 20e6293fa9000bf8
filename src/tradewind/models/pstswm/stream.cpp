/// Lines and files of a run.
#include "tradewind/models/pstswm/stream.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <ostream>

namespace tradewind::pstswm {

namespace {

constexpr std::chrono::milliseconds between_steps{100};

/// The shortest text that is read back as the same number.
std::string number(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    return {digits, end};
}

std::string object(const Norms& norms) {
    return text(R"({"l1": )", number(norms.l1), R"(, "l2": )", number(norms.l2), R"(, "maximum": )",
                number(norms.maximum), "}");
}

std::string object(const Diagnostics& diagnostics) {
    std::string entries;
    const auto add = [&](std::string_view name, const std::string& value) {
        entries += text(entries.empty() ? "" : ", ", '"', name, "\": ", value);
    };
    for (const auto& [name, value] : diagnostic_numbers()) add(name, number(diagnostics.*value));
    for (const auto& [name, norms] : diagnostic_norms())
        if (diagnostics.has_norms) add(name, object(diagnostics.*norms));
    return "{" + entries + "}";
}

}  // namespace

Stream::Stream(const Plan& plan, std::filesystem::path folder, std::ostream& lines)
    : plan_(plan), folder_(std::move(folder)), lines_(lines) {}

void Stream::stepped(std::int64_t step) {
    const Clock::time_point now = Clock::now();
    if (last_ != Clock::time_point{})
        seconds_.push_back(std::chrono::duration<double>(now - last_).count());
    last_ = now;
    if (now - told_ < between_steps && step != plan_.steps) return;
    told_ = now;
    lines_ << text(R"({"stepped": )", step, "}") << std::endl;
}

double Stream::median_step() const {
    if (seconds_.empty()) return 0.0;
    std::vector<double> sorted = seconds_;
    const auto middle = sorted.begin() + std::ptrdiff_t(sorted.size() / 2);
    std::ranges::nth_element(sorted, middle);
    return *middle;
}

void Stream::observed(const Snapshot& snapshot) {
    const std::string name = text("step-", snapshot.step, ".bin");
    write_fields(snapshot, name);
    lines_ << text(R"({"observed": {"step": )", snapshot.step, R"(, "time_s": )",
                   number(snapshot.time), R"(, "file": ")", name, R"(", "diagnostics": )",
                   object(diagnose(plan_, snapshot, 0)), "}}")
           << std::endl;
}

void Stream::write_fields(const Snapshot& snapshot, const std::string& name) const {
    const auto unfinished = folder_ / (name + ".part");
    std::ofstream file(unfinished, std::ios::binary);
    for (const auto& [field, values] : snapshot_fields()) {
        const std::vector<double>& all = snapshot.*values;
        file.write(reinterpret_cast<const char*>(all.data()),
                   std::streamsize(all.size() * sizeof(double)));
    }
    file.close();
    std::error_code failed;
    if (file) std::filesystem::rename(unfinished, folder_ / name, failed);
    if (!file || failed)
        throw Error(text("pstswm: the fields of step ", snapshot.step, " cannot be written to ",
                         (folder_ / name).string()));
}

}  // namespace tradewind::pstswm
