/// A computation of every rank as a program, which becomes a phase of other programs.
#include <algorithm>
#include <string>

#include "tradewind/program/pattern.hpp"
#include "tradewind/skeleton/read_plan.hpp"

namespace tradewind::skeleton {

namespace {

constexpr auto time =
    declare::duration("time",
                      "time of the computation, beside that of its operations; default: none")
        .within(0, 1e18);
constexpr auto flops =
    declare::real("flops", "operations of a rank; default: none").within(0, 0x1p62);
constexpr auto memory =
    declare::size("memory", "bytes that a rank moves; default: none").within(0, most_bytes);
constexpr auto total_time =
    declare::duration("total_time",
                      "time that all ranks together compute: each takes its share; default: none")
        .within(0, 1e18);
constexpr auto total_flops =
    declare::real("total_flops", "operations of all ranks together; default: none")
        .within(0, 0x1p62);
constexpr auto total_memory =
    declare::size("total_memory", "bytes that all ranks together move; default: none")
        .within(0, most_bytes);
constexpr const Declaration* settings_of_compute[] = {
    &shared::repeat, &time, &flops, &memory, &total_time, &total_flops, &total_memory};
constexpr Schema amounts = Schema(settings_of_compute).subspan(1);

/// A computation by its time, or by what the machine has to do.
struct Computation {
    Picoseconds time = 0;
    Work work;
    std::int64_t repeat = 1;
};

[[nodiscard]] Estimate estimate(const Computation& /*plan*/) {
    return {};
}

Task start(Comm& comm, const Computation& plan) {
    comm.begin_phase("compute");
    for (std::int64_t i = 0; i < plan.repeat; ++i) {
        if (plan.time > 0) co_await comm.elapse(plan.time);
        if (plan.work.flops > 0 || plan.work.memory > 0) co_await comm.compute(plan.work);
    }
}

/// Throws a ConfigError if nothing says how much is computed.
void require_amount(const Settings& settings) {
    if (std::ranges::any_of(amounts, [&](const auto* one) { return settings.has(one->name()); }))
        return;
    std::string others;
    for (const Declaration* one : amounts.subspan(1))
        others += text(others.empty() ? "" : ", ", one->key);
    throw ConfigError(text(time.key, ": is missing, and so are ", others));
}

Computation read(const Settings& settings, Rank ranks) {
    refuse_unknown("compute", settings, {settings_of_compute});
    require_amount(settings);
    return {time.of(settings, 0) + total_time.of(settings, 0) / ranks,
            {flops.of(settings, 0.0) + total_flops.of(settings, 0.0) / static_cast<double>(ranks),
             memory.of(settings, 0) + total_memory.of(settings, 0) / ranks},
            shared::repeat.of(settings)};
}

}  // namespace

extern const ProgramEntry compute_entry;
constinit const ProgramEntry compute_entry = pattern_entry<read, start>(
    "compute", "computation of every rank, without messages", settings_of_compute);

}  // namespace tradewind::skeleton
