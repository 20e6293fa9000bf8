/// The reductions of GCR(k) as a program.
#include "tradewind/program/pattern.hpp"
#include "tradewind/skeleton/read_plan.hpp"

namespace tradewind::skeleton {

namespace {

constexpr auto flops =
    declare::real("flops", "operations of a rank per iteration", 0.0).within(0, 0x1p62);
constexpr auto memory =
    declare::size("memory", "bytes that a rank moves per iteration", 0).within(0, most_bytes);

constexpr const Declaration* settings_of_gcr[] = {&shared::repeat, &shared::iterations,
                                                  &shared::restart, &flops, &memory};

[[nodiscard]] std::vector<OperationUse> uses(const Gcr& plan, Rank ranks) {
    return {{"allreduce", ranks, longest_reduction(plan) * Bytes(sizeof(double)), "",
             (plan.is_pipelined ? 1 : 2) * plan.iterations * plan.repeat, ""}};
}

Task start(Comm& comm, const Gcr& plan) {
    return solve_gcr(comm, plan);
}

Gcr read(const Settings& settings, Rank ranks) {
    refuse_unknown("gcr", settings, {settings_of_gcr, algorithm_settings::any_transport});
    Gcr plan;
    read_iterations(settings, ranks, plan);
    plan.work.flops = flops.of(settings);
    plan.work.memory = double(memory.of(settings));
    plan.repeat = shared::repeat.of(settings);
    return plan;
}

}  // namespace

extern const ProgramEntry gcr_entry;
constinit const ProgramEntry gcr_entry = pattern_entry<read, start, uses>(
    "gcr", "the two allreduces per iteration of the solver GCR(k)", settings_of_gcr, "allreduce");

}  // namespace tradewind::skeleton
