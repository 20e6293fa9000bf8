/// The steps as coroutines.
#include "tradewind/models/semi_lagrangian/run.hpp"

#include <memory>

#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/models/semi_lagrangian/advection.hpp"

namespace tradewind::semi_lagrangian {

namespace {

/// Replaces `value` by its maximum over all ranks.
Task maximise(Comm& comm, double& value) {
    const Buffer data(std::span(&value, 1));
    co_await allreduce_recursive_doubling(comm, {data, maximum<double>()}, {});
}

/// Throws if the air comes from beyond the halo. All ranks have the same largest angle, so all of
/// them throw or none.
void check_reach(const AdvectionPlan& plan, std::int64_t step, double angle) {
    if (angle * radius <= plan.max_wind * plan.time_step) return;
    throw Error(text("semi_lagrangian: in step ", step + 1, " air arrives with ",
                     angle * radius / plan.time_step, " m/s, from beyond the halo of ",
                     plan.halo_rows, " rows; max_wind_m_s is ", plan.max_wind));
}

Task exchange(Comm& comm, const AdvectionPlan& plan, Advection& advection, ColumnTraffic& traffic) {
    comm.begin_phase("halo");
    const ColumnData data = advection.data();
    if (plan.exchange == ColumnExchange::wide) {
        co_await exchange_columns(comm, advection.halo(), data, traffic);
    } else {
        advection.mark();
        co_await exchange_marked(comm, advection.halo(), advection.marks(), data, traffic);
    }
}

Task step_once(Comm& comm, const AdvectionPlan& plan, Advection& advection, std::int64_t step,
               Result& result) {
    const bool is_real = !advection.own().empty();
    comm.begin_phase("trajectories");
    double angle = 0.0;
    if (is_real || plan.exchange == ColumnExchange::on_demand)
        angle = advection.find_departures(step);
    co_await comm.compute(advection.trajectory_work());
    comm.begin_phase("largest wind");
    double largest = angle;
    co_await maximise(comm, largest);
    // Without data the messages have no contents, and what was received is not defined.
    if (is_real) angle = largest;
    check_reach(plan, step, angle);
    result.fastest_wind = std::max(result.fastest_wind, angle * radius / plan.time_step);
    result.courant = std::max(result.courant, angle * double(plan.ny()) / pi);
    co_await exchange(comm, plan, advection, result.traffic);
    comm.begin_phase("interpolation");
    if (is_real) advection.interpolate();
    co_await comm.compute(advection.interpolation_work());
}

void check_ranks(const Comm& comm, const AdvectionPlan& plan) {
    const Rank ranks = plan.reach.grid.ranks();
    if (comm.size() == ranks) return;
    throw ConfigError(
        text("semi_lagrangian: a plan for ", ranks, " ranks was started on ", comm.size()));
}

/// Sums the counts of all ranks.
Task add_up(Comm& comm, const AdvectionPlan& plan, const Advection& advection, Result& result) {
    ColumnTraffic& traffic = result.traffic;
    std::int64_t counts[] = {traffic.messages, traffic.bytes, traffic.request_messages,
                             traffic.request_bytes,
                             advection.halo().foreign_columns() * plan.steps};
    const std::span<std::int64_t> all(counts);
    co_await allreduce_recursive_doubling(comm, {Buffer(all), sum<std::int64_t>()}, {});
    traffic = {counts[0], counts[1], counts[2], counts[3]};
    result.halo_columns = counts[4];
    result.sent_columns =
        (traffic.bytes - traffic.request_bytes) / (plan.depth() * std::int64_t(sizeof(double)));
}

/// Numbers in a checkpoint before the rank's columns: two extremes and four counts.
constexpr std::size_t counted = 6;

[[nodiscard]] std::vector<double> checkpoint_of(const Advection& advection, const Result& result) {
    const ColumnTraffic& traffic = result.traffic;
    std::vector<double> numbers = {result.fastest_wind,
                                   result.courant,
                                   double(traffic.messages),
                                   double(traffic.bytes),
                                   double(traffic.request_messages),
                                   double(traffic.request_bytes)};
    numbers.insert(numbers.end(), advection.own().begin(), advection.own().end());
    return numbers;
}

void restore(const std::vector<double>& numbers, Advection& advection, Result& result) {
    result.fastest_wind = numbers[0];
    result.courant = numbers[1];
    const auto count = [&](std::size_t i) { return std::int64_t(numbers[i]); };
    result.traffic = {count(2), count(3), count(4), count(5)};
    advection.restore(std::span(numbers).subspan(counted));
}

}  // namespace

Task run_model(Comm& comm, const AdvectionPlan& plan, Result& result, Progress progress,
               const Checkpoints& checkpoints) {
    check_ranks(comm, plan);
    result = {};
    const auto advection = std::make_unique<Advection>(plan, comm.rank(), true);
    advection->start();
    std::vector<double> numbers;
    std::int64_t step = 0;
    if (checkpoints.restarts()) {
        co_await checkpoints.read(comm, plan.steps, step, numbers);
        restore(numbers, *advection, result);
    }
    while (step < plan.steps) {
        co_await step_once(comm, plan, *advection, step, result);
        ++step;
        if (progress && comm.rank() == 0) progress(step);
        if (!checkpoints.is_due(step)) continue;
        numbers = checkpoint_of(*advection, result);
        co_await checkpoints.write(comm, step, numbers);
    }
    co_await add_up(comm, plan, *advection, result);
    std::vector<double> all;
    co_await gather_columns(comm, plan.reach.grid, advection->own(), plan.depth(), all);
    if (comm.rank() == 0) judge(plan, all, result);
}

Task run_model(Comm& comm, const AdvectionPlan& plan, Result& result, Progress progress) {
    static const Checkpoints none;
    return run_model(comm, plan, result, std::move(progress), none);
}

Task run_skeleton(Comm& comm, const AdvectionPlan& plan) {
    check_ranks(comm, plan);
    Result ignored;
    const auto advection = std::make_unique<Advection>(plan, comm.rank(), false);
    for (std::int64_t step = 0; step < plan.steps; ++step)
        co_await step_once(comm, plan, *advection, step, ignored);
}

}  // namespace tradewind::semi_lagrangian
