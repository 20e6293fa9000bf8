/// Advection: the arrays of one rank and its computation between two exchanges.
#pragma once

#include "tradewind/models/semi_lagrangian/run.hpp"

namespace tradewind::semi_lagrangian {

class Advection {
public:
    Advection(const AdvectionPlan& plan, Rank rank, bool is_real);

    [[nodiscard]] const ColumnHalo& halo() const noexcept { return halo_; }
    [[nodiscard]] const std::vector<double>& own() const noexcept { return own_; }
    [[nodiscard]] std::vector<std::uint8_t>& marks() noexcept { return marks_; }
    /// Returns the arrays of the exchange.
    [[nodiscard]] ColumnData data() noexcept;

    /// Sets the tracers at time 0.
    void start();
    /// Sets the tracers to those of a checkpoint.
    void restore(std::span<const double> own) { own_.assign(own.begin(), own.end()); }
    /// Finds all departure points of a step and returns the largest angle.
    [[nodiscard]] double find_departures(std::int64_t step);
    /// Marks the columns around the departure points.
    void mark();
    /// Replaces the tracers by their values at the departure points.
    void interpolate();

    /// Returns the cost of the trajectories for the simulator.
    [[nodiscard]] Work trajectory_work() const noexcept;
    /// Returns the cost of the interpolation for the simulator.
    [[nodiscard]] Work interpolation_work() const noexcept;

private:
    [[nodiscard]] SpherePoint arrival(std::int64_t column, std::int64_t level) const noexcept;
    [[nodiscard]] std::int64_t points() const noexcept { return columns_ * plan_.levels; }

    const AdvectionPlan& plan_;
    std::int64_t columns_;
    std::int64_t width_;
    std::int64_t first_i_;
    std::int64_t first_j_;
    ColumnHalo halo_;
    std::vector<double> own_;   // [column][tracer][level]
    std::vector<double> kept_;  // the same for all columns of the halo
    std::vector<std::uint8_t> marks_;
    std::vector<GridPosition> departures_;  // [column][level]
};

/// Compares the gathered columns [row][i][tracer][level] with the known solution and fills
/// `result`.
void judge(const AdvectionPlan& plan, const std::vector<double>& all, Result& result);

}  // namespace tradewind::semi_lagrangian
