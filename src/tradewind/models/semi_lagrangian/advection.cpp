/// Loops over the points of one rank.
#include "tradewind/models/semi_lagrangian/advection.hpp"

#include <algorithm>

#include "tradewind/base/interrupts.hpp"

namespace tradewind::semi_lagrangian {

namespace {

// Flops are counted from the code, with ten operations for a sine. Neighbours are assumed to be in
// cache.
constexpr double iteration_flops = 250.0;
constexpr double interpolation_flops = 16 * 7 + 4 * 7 + 8;
constexpr double weight_flops = 60.0;
constexpr Bytes position_bytes = Bytes(sizeof(GridPosition));

/// A departure point takes about as long as so many short operations for each iteration.
constexpr std::int64_t iteration_operations = 50;
constexpr std::int64_t stencil_operations = 16;

}  // namespace

Advection::Advection(const AdvectionPlan& plan, Rank rank, bool is_real)
    : plan_(plan),
      columns_(plan.reach.grid.own_columns(rank)),
      width_(plan.reach.grid.x.size(plan.reach.grid.processes.column(rank))),
      first_i_(plan.reach.grid.x.start(plan.reach.grid.processes.column(rank))),
      first_j_(plan.reach.grid.y.start(plan.reach.grid.processes.row(rank))),
      halo_(plan.reach, rank) {
    if (is_real || plan.exchange == ColumnExchange::on_demand) {
        departures_.resize(std::size_t(points()));
        marks_.resize(std::size_t(halo_.columns()));
    }
    if (!is_real) return;
    own_.resize(std::size_t(columns_ * plan.depth()));
    kept_.resize(std::size_t(halo_.columns() * plan.depth()));
}

ColumnData Advection::data() noexcept {
    const bool is_real = !own_.empty();
    return {is_real ? own_.data() : nullptr, is_real ? kept_.data() : nullptr, plan_.depth()};
}

SpherePoint Advection::arrival(std::int64_t column, std::int64_t level) const noexcept {
    return {plan_.longitude(first_i_ + column % width_), plan_.latitude(first_j_ + column / width_),
            plan_.height(level)};
}

void Advection::start() {
    auto value = own_.begin();
    for (std::int64_t column = 0; column < columns_; ++column) {
        for (std::int64_t tracer = 1; tracer <= plan_.tracers; ++tracer) {
            for (std::int64_t k = 0; k < plan_.levels; ++k) {
                check_interrupts(iteration_operations);
                *value++ = plan_.flow->initial(arrival(column, k)) / double(tracer);
            }
        }
    }
}

double Advection::find_departures(std::int64_t step) {
    const TrajectoryTime time{double(step + 1) * plan_.time_step, plan_.time_step,
                              plan_.iterations};
    double largest = 0.0;
    for (std::int64_t n = 0; n < points(); ++n) {
        check_interrupts(plan_.iterations * iteration_operations);
        const SpherePoint end = arrival(n / plan_.levels, n % plan_.levels);
        const DeparturePoint departure = find_departure(*plan_.flow, end, time);
        departures_[std::size_t(n)] = grid_position(plan_, departure.place);
        largest = std::max(largest, departure.angle);
    }
    return largest;
}

void Advection::mark() {
    std::ranges::fill(marks_, std::uint8_t{0});
    for (const GridPosition& at : departures_) {
        check_interrupts(stencil_operations);
        for (const auto& row : stencil_of(plan_, halo_, at))
            for (const std::int64_t column : row) marks_[std::size_t(column)] = 1;
    }
}

void Advection::interpolate() {
    for (std::int64_t n = 0; n < points(); ++n) {
        const GridPosition& at = departures_[std::size_t(n)];
        const Stencil stencil = stencil_of(plan_, halo_, at);
        check_interrupts(stencil_operations * (plan_.tracers + 1));
        const std::int64_t column = n / plan_.levels;
        for (std::int64_t tracer = 0; tracer < plan_.tracers; ++tracer) {
            const std::int64_t first = tracer * plan_.levels;
            own_[std::size_t(column * plan_.depth() + first + n % plan_.levels)] =
                interpolated(plan_, at, stencil, kept_.data() + first);
        }
    }
}

Work Advection::trajectory_work() const noexcept {
    return {double(points() * plan_.iterations) * iteration_flops, points() * position_bytes};
}

Work Advection::interpolation_work() const noexcept {
    const auto values = points() * plan_.tracers;
    return {double(points()) * weight_flops + double(values) * interpolation_flops,
            points() * position_bytes + values * 2 * Bytes(sizeof(double))};
}

namespace {

/// Area-weighted sums over all points.
struct Sums {
    double area = 0.0;
    double initial = 0.0;
    double found = 0.0;
    double difference = 0.0;
    double squared_difference = 0.0;
    double exact = 0.0;
    double squared_exact = 0.0;
    double largest_difference = 0.0;
    double largest_exact = 0.0;

    void add(double weight, double value, double known) {
        const double error = std::abs(value - known);
        found += weight * value;
        difference += weight * error;
        squared_difference += weight * error * error;
        exact += weight * std::abs(known);
        squared_exact += weight * known * known;
        largest_difference = std::max(largest_difference, error);
        largest_exact = std::max(largest_exact, std::abs(known));
    }
};

}  // namespace

void judge(const AdvectionPlan& plan, const std::vector<double>& all, Result& result) {
    const double time = double(plan.steps) * plan.time_step;
    Sums sums;
    result.tracer.clear();
    result.tracer.reserve(std::size_t(plan.nx() * plan.ny() * plan.levels));
    for (std::int64_t column = 0; column < plan.nx() * plan.ny(); ++column) {
        SpherePoint at{plan.longitude(column % plan.nx()), plan.latitude(column / plan.nx()), 0.0};
        const double weight = std::cos(at.latitude);
        for (std::int64_t k = 0; k < plan.levels; ++k) {
            check_interrupts(2 * iteration_operations);
            at.height = plan.height(k);
            const double value = all[std::size_t(column * plan.depth() + k)];
            result.tracer.push_back(value);
            sums.area += weight;
            sums.initial += weight * plan.flow->initial(at);
            sums.add(weight, value, plan.flow->exact(at, time));
        }
    }
    result.initial_mean = sums.initial / sums.area;
    result.mean = sums.found / sums.area;
    const auto [lowest, highest] = std::ranges::minmax(result.tracer);
    result.lowest = lowest;
    result.highest = highest;
    result.has_norms = plan.flow->is_known(time);
    if (!result.has_norms) return;
    result.norms = {sums.difference / sums.exact,
                    std::sqrt(sums.squared_difference / sums.squared_exact),
                    sums.largest_difference / sums.largest_exact};
}

}  // namespace tradewind::semi_lagrangian
