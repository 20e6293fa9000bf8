/// Lines and files of a run.
#include "tradewind/models/pstswm/stream.hpp"

#include <algorithm>
#include <ostream>

namespace tradewind::pstswm {

namespace {

using models::JsonObject;

std::string object(const Diagnostics& diagnostics) {
    JsonObject entries;
    for (const auto& [name, value] : diagnostic_numbers())
        entries.add_value(name, diagnostics.*value);
    for (const auto& [name, norms] : diagnostic_norms())
        if (diagnostics.has_norms) entries.add(name, models::json_of_norms(diagnostics.*norms));
    return entries.text();
}

}  // namespace

Stream::Stream(const Plan& plan, std::filesystem::path folder, std::ostream& lines)
    : plan_(plan), folder_(std::move(folder)), lines_(lines), steps_(plan.steps, lines) {}

void Stream::stepped(std::int64_t step) {
    const Clock::time_point now = Clock::now();
    if (last_ != Clock::time_point{})
        seconds_.push_back(std::chrono::duration<double>(now - last_).count());
    last_ = now;
    steps_.stepped(step);
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
    std::vector<std::span<const double>> arrays;
    for (const auto& [field, values] : snapshot_fields()) arrays.emplace_back(snapshot.*values);
    if (!models::write_numbers(folder_ / name, arrays))
        throw Error(text("pstswm: the fields of step ", snapshot.step, " cannot be written to ",
                         (folder_ / name).string()));
    lines_ << text(R"({"observed": {"step": )", snapshot.step, R"(, "time_s": )",
                   models::json(snapshot.time), R"(, "file": ")", name, R"(", "diagnostics": )",
                   object(diagnose(plan_, snapshot, 0)), "}}")
           << std::endl;
}

}  // namespace tradewind::pstswm
