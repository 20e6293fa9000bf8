/// Steps, outputs, checkpoints, and the search for values that are not finite.
#include "tradewind/models/homme/run.hpp"

#include <cmath>
#include <limits>

#include "tradewind/comm/allreduce/algorithms.hpp"

namespace tradewind::homme {

namespace {

/// Steps between searches for values that are not finite.
constexpr std::int64_t steps_between_checks = 10;

/// Returns the first element and level that is not finite as element * levels + level, negated; or
/// minus infinity.
[[nodiscard]] double first_broken(const Core& core) {
    const std::int64_t levels = core.column().levels;
    for (std::size_t e = 0; e < std::size_t(core.count()); ++e) {
        for (std::int64_t k = 0; k < levels; ++k) {
            double sum = 0.0;
            for (std::size_t f = 0; f < core.plan().fields(); ++f)
                for (std::int64_t p = 0; p < core.fields().shape().points; ++p)
                    sum += core.fields().column(f, std::int64_t(e), p)[k];
            if (!std::isfinite(sum))
                return -double((core.element_number(std::int64_t(e))) * levels + k);
        }
    }
    return -std::numeric_limits<double>::infinity();
}

Task check_finite(Comm& comm, const Core& core, std::int64_t step) {
    comm.begin_phase("check");
    double broken = first_broken(core);
    co_await allreduce_recursive_doubling(comm, {Buffer(std::span(&broken, 1)), maximum<double>()},
                                          {});
    if (std::isinf(broken)) co_return;
    const auto place = std::int64_t(-broken);
    const std::int64_t levels = core.column().levels;
    throw Error(text("homme: element ", place / levels, ", level ", place % levels,
                     " is not finite after step ", step, " of ", core.plan().steps,
                     " (time_step = ", core.plan().time_step,
                     " s): the run is unstable, try a smaller step or more hyperviscosity"));
}

Task observe(Comm& comm, const Core& core, std::int64_t step, CoreObserver& observer) {
    co_await check_finite(comm, core, step);
    CoreSnapshot snapshot;
    co_await take_snapshot(comm, core, double(step) * core.plan().time_step, snapshot);
    if (comm.rank() == 0) observer.observed(step, snapshot);
}

/// Returns the fields of the rank, [element][field][point][level], of a partition that a list gives
/// the number of each element before them.
[[nodiscard]] std::vector<double> checkpoint_of(const Core& core) {
    std::vector<double> numbers;
    for (std::size_t e = 0; e < std::size_t(core.count()); ++e) {
        if (core.plan().partition.is_listed())
            numbers.push_back(double(core.element_number(std::int64_t(e))));
        for (std::size_t f = 0; f < core.plan().fields(); ++f) {
            for (std::int64_t p = 0; p < core.fields().shape().points; ++p) {
                for (std::int64_t k = 0; k < core.column().levels; ++k)
                    numbers.push_back(core.fields().column(f, std::int64_t(e), p)[k]);
            }
        }
    }
    return numbers;
}

/// Sets the fields of the rank. Throws ConfigError if they are those of other elements.
void restore(Core& core, const std::vector<double>& numbers) {
    auto next = numbers.begin();
    for (std::size_t e = 0; e < std::size_t(core.count()); ++e) {
        const auto own = core.element_number(std::int64_t(e));
        if (core.plan().partition.is_listed() && std::int64_t(*next++) != own) {
            throw ConfigError(
                text("homme: the checkpoint was written with another partition: it has element ",
                     *std::prev(next), " where this run has element ", own));
        }
        for (std::size_t f = 0; f < core.plan().fields(); ++f) {
            for (std::int64_t p = 0; p < core.fields().shape().points; ++p) {
                for (std::int64_t k = 0; k < core.column().levels; ++k)
                    core.fields().value(f, std::int64_t(e), p, k) = *next++;
            }
        }
    }
}

void check_ranks(const Comm& comm, const HommePlan& plan) {
    if (comm.size() == plan.ranks()) return;
    throw ConfigError(
        text("homme: a plan for ", plan.ranks(), " ranks was started on ", comm.size()));
}

}  // namespace

Task run_model(Comm& comm, const HommePlan& plan, CoreObserver& observer,
               const Checkpoints& checkpoints) {
    check_ranks(comm, plan);
    if (!plan.grid) throw ConfigError("homme: a run with data needs a plan of make_run_plan");
    const auto core = make_core(comm, plan, true);
    co_await core->begin(comm);
    std::int64_t step = 0;
    std::vector<double> numbers;
    if (checkpoints.restarts()) {
        co_await checkpoints.read(comm, plan.steps, step, numbers);
        restore(*core, numbers);
    } else {
        co_await observe(comm, *core, 0, observer);
    }
    while (step < plan.steps) {
        co_await core->step(comm, step);
        ++step;
        if (comm.rank() == 0) observer.stepped(step);
        if (plan.is_output_step(step)) {
            co_await observe(comm, *core, step, observer);
        } else if (step % steps_between_checks == 0) {
            co_await check_finite(comm, *core, step);
        }
        if (!checkpoints.is_due(step)) continue;
        numbers = checkpoint_of(*core);
        co_await checkpoints.write(comm, step, numbers);
    }
    co_await core->finish(comm);
}

Task run_skeleton(Comm& comm, const HommePlan& plan) {
    check_ranks(comm, plan);
    const auto core = make_core(comm, plan, false);
    co_await core->begin(comm);
    for (std::int64_t step = 0; step < plan.steps; ++step) co_await core->step(comm, step);
    co_await core->finish(comm);
}

}  // namespace tradewind::homme
