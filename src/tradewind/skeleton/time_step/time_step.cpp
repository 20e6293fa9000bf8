/// The two time steps and their computation.
#include "tradewind/skeleton/time_step/time_step.hpp"

#include <cmath>

namespace tradewind::skeleton {

namespace {

constexpr double fft_flops = 2.5;
constexpr double line_flops = 5.0;
constexpr double matrix_flops = 16.0;
constexpr double update_flops = 2.0;
/// Numbers moved per point: x and y; x, y and y again; y += a x with its two.
constexpr double matrix_numbers = 2.0;
constexpr double line_numbers = 3.0;
constexpr double update_numbers = 2.0;

Task advect(Comm& comm, const AdvectionStep& plan) {
    comm.begin_phase("grid point");
    const auto points = double(owned_box(plan.halo.wide, comm.rank()).points());
    co_await comm.compute(points * plan.grid_point);
    co_await exchange_on_demand(comm, plan.halo);
}

}  // namespace

std::array<PointWork, 4> transform_work(const Extents& grid, std::int64_t fields, Bytes element) {
    const double moved = 2.0 * double(element) * double(fields);
    const auto transform = [&](std::int64_t points) {
        return PointWork{fft_flops * std::log2(double(points)) * double(fields), moved};
    };
    const PointWork messages{0.0, 2.0 * moved};
    const PointWork solution{4.0 * double(grid[2]), 2.0 * double(element)};
    return {messages, messages + transform(grid[0]), messages + transform(grid[1]),
            messages + solution};
}

PointWork operator_work(Bytes element) noexcept {
    return {line_flops + matrix_flops, (line_numbers + matrix_numbers) * double(element)};
}

PointWork vector_work(Bytes element, std::int64_t restart, bool is_pipelined) noexcept {
    const double updates = double(is_pipelined ? 5 * restart + 7 : 3 * restart + 5);
    return {update_flops * updates, update_numbers * double(element) * updates};
}

Task step(Comm& comm, const SpectralStep& plan) {
    for (std::int64_t i = 0; i < plan.repeat; ++i) {
        co_await advect(comm, plan.advection);
        co_await transpose(comm, plan.transforms);
    }
}

Task step(Comm& comm, const GridPointStep& plan) {
    for (std::int64_t i = 0; i < plan.repeat; ++i) {
        co_await advect(comm, plan.advection);
        co_await solve_gcr(comm, plan.solver);
    }
}

Estimate estimate(const SpectralStep& plan, Rank ranks) {
    Estimate sum = estimate(plan.advection.halo, ranks);
    sum += estimate(plan.transforms);
    return double(plan.repeat) * sum;
}

Estimate estimate(const GridPointStep& plan, Rank ranks) {
    Estimate sum = estimate(plan.advection.halo, ranks);
    sum += estimate(plan.solver, ranks);
    return double(plan.repeat) * sum;
}

}  // namespace tradewind::skeleton
