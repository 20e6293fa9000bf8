/// A computation of every rank as a program, which becomes a phase of other programs.
#include "tradewind/program/pattern.hpp"
#include "tradewind/skeleton/read_plan.hpp"

namespace tradewind::skeleton {

namespace {

constexpr auto time =
    declare::duration("time", "time of the computation, beside that of its operations", 0)
        .within(0, 1e18);
constexpr auto flops = declare::real("flops", "operations of a rank", 0.0).within(0, 0x1p62);
constexpr auto memory = declare::size("memory", "bytes that a rank moves", 0).within(0, most_bytes);
constexpr auto total_time =
    declare::duration("total_time", "time that all ranks together compute: each takes its share", 0)
        .within(0, 1e18);
constexpr auto total_flops =
    declare::real("total_flops", "operations of all ranks together", 0.0).within(0, 0x1p62);
constexpr auto total_memory =
    declare::size("total_memory", "bytes that all ranks together move", 0).within(0, most_bytes);
constexpr const Declaration* settings_of_compute[] = {
    &shared::repeat, &time, &flops, &memory, &total_time, &total_flops, &total_memory};

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

Computation read(const Settings& settings, Rank ranks) {
    refuse_unknown("compute", settings, {settings_of_compute});
    return {time.of(settings) + total_time.of(settings) / ranks,
            {flops.of(settings) + total_flops.of(settings) / static_cast<double>(ranks),
             memory.of(settings) + total_memory.of(settings) / ranks},
            shared::repeat.of(settings)};
}

}  // namespace

extern const ProgramEntry compute_entry;
constinit const ProgramEntry compute_entry = pattern_entry<read, start>(
    "compute", "computation of every rank, without messages", settings_of_compute);

}  // namespace tradewind::skeleton
