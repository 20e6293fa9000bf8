/// The matrix, its vertical part and their costs.
#include "tradewind/models/helmholtz/operators.hpp"

#include <algorithm>

#include "tradewind/base/interrupts.hpp"

namespace tradewind::helmholtz {

namespace {

constexpr double horizontal = 4.0;
constexpr double vertical = 200.0;
constexpr double advection = 0.25;

// Flops are counted from the loops below. Bytes assume that neighbours are in cache.
constexpr double apply_flops = 16.0;
constexpr Bytes apply_bytes = 2 * 8;
constexpr double line_flops = 5.0;
constexpr Bytes line_bytes = 3 * 8;

[[nodiscard]] Work work(double flops, Bytes bytes, std::int64_t points) {
    return {flops * double(points), bytes * points};
}

}  // namespace

Operators::Operators(const HelmholtzPlan& plan, Rank rank, bool is_real)
    : plan_(plan),
      is_real_(is_real),
      own_(plan.reach.grid.own_columns(rank)),
      first_i_(plan.reach.grid.x.start(plan.reach.grid.processes.column(rank))),
      first_j_(plan.reach.grid.y.start(plan.reach.grid.processes.row(rank))),
      width_(plan.reach.grid.x.size(plan.reach.grid.processes.column(rank))),
      halo_(plan.reach, rank) {
    if (!is_real) return;
    const std::int64_t nx = plan.reach.grid.x.items();
    const std::int64_t ny = plan.reach.grid.y.items();
    neighbours_.reserve(std::size_t(own_));
    for (std::int64_t column = 0; column < own_; ++column) {
        check_interrupts(8);
        const std::int64_t i = first_i_ + column % width_;
        const std::int64_t j = first_j_ + column / width_;
        neighbours_.push_back({halo_.index(j, (i + 1) % nx), halo_.index(j, (i + nx - 1) % nx),
                               halo_.index((j + 1) % ny, i), halo_.index((j + ny - 1) % ny, i),
                               halo_.index(j, i)});
    }
    kept_.resize(std::size_t(halo_.columns() * plan.levels));
    factorise();
}

Vector Operators::exact_solution() const {
    Vector x = zeros();
    for (std::size_t n = 0; n < x.size(); ++n) {
        check_interrupts();
        const std::int64_t column = std::int64_t(n) / plan_.levels;
        const std::int64_t k = std::int64_t(n) % plan_.levels;
        const std::int64_t i = first_i_ + column % width_;
        const std::int64_t j = first_j_ + column / width_;
        x[n] = double((7 * i + 13 * j + 29 * k) % 17) / 17.0 - 0.5;
    }
    return x;
}

Task Operators::exchange(Comm& comm, const Vector& x) {
    const ColumnData data{is_real_ ? x.data() : nullptr, is_real_ ? kept_.data() : nullptr,
                          plan_.levels};
    co_await exchange_columns(comm, halo_, data, traffic_);
}

Work Operators::apply(std::int64_t slice, Vector& y) const {
    const std::int64_t begin = slices().start(slice);
    const std::int64_t count = slices().size(slice);
    for (std::int64_t n = begin; is_real_ && n < begin + count; ++n) {
        check_interrupts(plan_.levels);
        apply_column(neighbours_[std::size_t(n)], y.data() + n * plan_.levels);
    }
    return work(apply_flops, apply_bytes, count * plan_.levels);
}

void Operators::apply_column(const Neighbours& around, double* y) const {
    const auto at = [&](std::int64_t column) { return kept_.data() + column * plan_.levels; };
    const double* const east = at(around.east);
    const double* const west = at(around.west);
    const double* const north = at(around.north);
    const double* const south = at(around.south);
    const double* const x = at(around.here);
    for (std::int64_t k = 0; k < plan_.levels; ++k) {
        const double above = k + 1 < plan_.levels ? x[k + 1] - x[k] : 0.0;
        const double below = k > 0 ? x[k] - x[k - 1] : 0.0;
        y[k] = x[k] - horizontal * (east[k] + west[k] + north[k] + south[k] - 4.0 * x[k]) -
               vertical * (above - below) + advection * (east[k] - west[k]);
    }
}

/// Factorises the vertical part by Gaussian elimination: pivot_k = diagonal_k - vertical^2 /
/// pivot_(k-1).
void Operators::factorise() {
    double before = 0.0;
    inverse_pivot_.reserve(std::size_t(plan_.levels));
    for (std::int64_t k = 0; k < plan_.levels; ++k) {
        const double walls = (k == 0 ? 1.0 : 0.0) + (k + 1 == plan_.levels ? 1.0 : 0.0);
        const double diagonal = 1.0 + 4.0 * horizontal + (2.0 - walls) * vertical;
        inverse_pivot_.push_back(1.0 / (diagonal - vertical * vertical * before));
        before = inverse_pivot_.back();
    }
}

void Operators::solve_column(const double* x, double* y) const {
    y[0] = x[0] * inverse_pivot_[0];
    for (std::int64_t k = 1; k < plan_.levels; ++k)
        y[k] = (x[k] + vertical * y[k - 1]) * inverse_pivot_[std::size_t(k)];
    for (std::int64_t k = plan_.levels - 1; k-- > 0;)
        y[k] += vertical * inverse_pivot_[std::size_t(k)] * y[k + 1];
}

Work Operators::precondition(std::int64_t slice, const Vector& x, Vector& y) const {
    const std::int64_t begin = slices().start(slice) * plan_.levels;
    const std::int64_t end = begin + slices().size(slice) * plan_.levels;
    if (plan_.preconditioner == Preconditioner::none) {
        if (is_real_) std::copy(x.data() + begin, x.data() + end, y.data() + begin);
        return {};
    }
    for (std::int64_t n = begin; is_real_ && n < end; n += plan_.levels) {
        check_interrupts(plan_.levels);
        solve_column(x.data() + n, y.data() + n);
    }
    return work(line_flops, line_bytes, end - begin);
}

Task apply(Comm& comm, Operators& operators, const Vector& x, Vector& y) {
    co_await operators.exchange(comm, x);
    for (std::int64_t slice = 0; slice < operators.plan().slices; ++slice) {
        const Work work = operators.apply(slice, y);
        co_await comm.compute(work);
    }
}

}  // namespace tradewind::helmholtz
