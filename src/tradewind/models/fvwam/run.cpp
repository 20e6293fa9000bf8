/// Steps, outputs, checkpoints, and the search for values that are not finite.
#include "tradewind/models/fvwam/run.hpp"

#include <cmath>
#include <limits>

#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/program/entry.hpp"

namespace tradewind::fvwam {

namespace {

/// Returns the first cell of the mesh that is not finite, negated; or minus infinity.
[[nodiscard]] double first_broken(const WaveCore& core) {
    for (std::int64_t n = 0; n < core.cells().own; ++n)
        if (!std::isfinite(core.energy(n).energy))
            return -double(core.cells().cells[std::size_t(n)]);
    return -std::numeric_limits<double>::infinity();
}

Task check_finite(Comm& comm, const WaveCore& core, std::int64_t step) {
    comm.begin_phase("check");
    double broken = first_broken(core);
    co_await allreduce_recursive_doubling(comm, {Buffer(std::span(&broken, 1)), maximum<double>()},
                                          {});
    if (std::isinf(broken)) co_return;
    const auto cell = std::size_t(-broken);
    throw Error(text("fvwam: cell ", core.plan().mesh->cell_in_file[cell] + 1, " of ",
                     core.plan().mesh->file, " is not finite after step ", step, " of ",
                     core.plan().steps, " (time_step = ", core.plan().time_step, " s)"));
}

Task observe(Comm& comm, const WaveCore& core, std::int64_t step, WaveObserver& observer) {
    co_await check_finite(comm, core, step);
    WaveSnapshot snapshot;
    co_await take_snapshot(comm, core, snapshot);
    if (comm.rank() == 0) observer.observed(step, snapshot);
}

}  // namespace

Task run_model(Comm& comm, const WavePlan& plan, WaveObserver& observer,
               const Checkpoints& checkpoints) {
    check_size("fvwam", comm, plan.ranks());
    if (!plan.mesh) throw ConfigError("fvwam: a run with data needs a plan of make_run_plan");
    const auto core = make_core(comm, plan, true);
    co_await core->begin(comm);
    std::int64_t step = 0;
    std::vector<double> numbers;
    if (checkpoints.restarts()) {
        co_await checkpoints.read(comm, plan.steps, step, numbers);
        core->restore(step, numbers);
    } else {
        co_await observe(comm, *core, 0, observer);
    }
    while (step < plan.steps) {
        co_await core->step(comm, step);
        ++step;
        if (comm.rank() == 0) observer.stepped(step);
        if (plan.is_output_step(step)) co_await observe(comm, *core, step, observer);
        if (!checkpoints.is_due(step)) continue;
        core->save(numbers);
        co_await checkpoints.write(comm, step, numbers);
    }
    co_await core->finish(comm);
}

Task run_skeleton(Comm& comm, const WavePlan& plan) {
    check_size("fvwam", comm, plan.ranks());
    const auto core = make_core(comm, plan, false);
    co_await core->begin(comm);
    for (std::int64_t step = 0; step < plan.steps; ++step) co_await core->step(comm, step);
    co_await core->finish(comm);
}

}  // namespace tradewind::fvwam
