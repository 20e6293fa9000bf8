/// Prepares the sides of cells, and calls the kernels.
#include "tradewind/models/fvwam/propagation.hpp"

#include <algorithm>
#include <cmath>

#include "tradewind/base/flush_to_zero.hpp"
#include "tradewind/base/interrupts.hpp"

namespace tradewind::fvwam {

namespace {

/// The most parts of a step in which waves turn.
constexpr double most_turns = 1e4;

/// The slopes and the turning of the great circle, tan(latitude) / R.
struct Turning {
    double slope_east;
    double slope_north;
    double great_circle;
};

[[nodiscard]] Turning turning_of(const VoronoiMesh& mesh, std::int64_t cell) {
    const auto i = std::size_t(cell);
    const double steepest = 2 * earth_radius / std::sqrt(mesh.area[i]);
    const double tangent = std::clamp(std::tan(mesh.latitude[i]), -steepest, steepest);
    return {mesh.slope_east[i], mesh.slope_north[i], tangent / earth_radius};
}

/// Returns the fastest turning of waves of the lowest frequency in a cell, in rad/s.
[[nodiscard]] double fastest_turning(const SpectralGrid& spectrum, const Turning& turning,
                                     double depth) {
    const double sigma = spectrum.angular(0);
    const double k = wave_number(sigma, depth);
    const double by_slope = k * depth > 20 ? 0.0 : sigma / std::sinh(2 * k * depth);
    return by_slope * std::hypot(turning.slope_east, turning.slope_north) +
           group_velocity(sigma, depth) * std::abs(turning.great_circle);
}

/// The least depth in m of the table.
constexpr double smallest_depth = DepthTable<double>::smallest_depth;

/// Returns the mean depth at a side, that of the cell itself at coasts, at a water level.
[[nodiscard]] double depth_of_side(const VoronoiMesh& mesh, std::int64_t cell, const CellSide& side,
                                   double level) {
    const double own = mesh.depth[std::size_t(cell)];
    const double mean =
        side.neighbor == no_cell ? own : 0.5 * (own + mesh.depth[std::size_t(side.neighbor)]);
    return std::max(mean + level, smallest_depth);
}

}  // namespace

double outflow_rate(const SpectralGrid& spectrum, const VoronoiMesh& mesh, std::int64_t cell,
                    double tide) {
    const double sigma = spectrum.angular(0);
    // The group velocity is largest where k d tanh(k d) = 1.
    const double fastest_depth = gravity / (sigma * sigma);
    std::vector<double> rate(std::size_t(spectrum.directions()), 0.0);
    double last_depth = 0.0;
    double velocity = 0.0;
    for (std::int64_t s = mesh.graph.first[std::size_t(cell)];
         s < mesh.graph.first[std::size_t(cell) + 1]; ++s) {
        const CellSide& side = mesh.sides[std::size_t(s)];
        const double depth = std::clamp(fastest_depth, depth_of_side(mesh, cell, side, -tide),
                                        depth_of_side(mesh, cell, side, tide));
        // Sides over a flat bottom have the same.
        if (depth != last_depth) velocity = group_velocity(sigma, depth);
        last_depth = depth;
        for (std::int64_t n = 0; n < spectrum.directions(); ++n) {
            const double through = spectrum.east(n) * side.east + spectrum.north(n) * side.north;
            rate[std::size_t(n)] += velocity * side.length_over_area * std::max(through, 0.0);
        }
    }
    return std::ranges::max(rate);
}

template <class Real>
Propagation<Real>::Propagation(const SpectralGrid& spectrum, const DepthTable<Real>& depths,
                               const VoronoiMesh& mesh, const RankCells& cells, Scheme scheme,
                               double time_step)
    : spectrum_(&spectrum),
      depths_(&depths),
      mesh_(&mesh),
      cells_(&cells),
      scheme_(scheme),
      time_step_(time_step),
      shift_(spectrum) {
    const std::int64_t directions = spectrum.directions();
    for (std::int64_t n = 0; n < directions; ++n) circle_.push_back(Real(spectrum.east(n)));
    for (std::int64_t n = 0; n < directions; ++n) circle_.push_back(Real(spectrum.north(n)));
    const auto end = [&](std::int64_t n) { return double(n + 1) * spectrum.sector(); };
    for (std::int64_t n = 0; n < directions; ++n) circle_.push_back(Real(std::sin(end(n))));
    for (std::int64_t n = 0; n < directions; ++n) circle_.push_back(Real(std::cos(end(n))));
    zero_.assign(std::size_t(spectrum.size()), Real(0));
    set_sides();
    set_level(0.0, 0.0);
}

/// Returns the neighbour of a rank's cell that is opposite to its side with number `number`: half
/// way round. Cells with an odd number of sides have two, of which the first is taken.
[[nodiscard]] static std::int32_t opposite(const CellGraph& graph, std::int64_t cell,
                                           std::int64_t number) {
    const std::int64_t first = graph.first[std::size_t(cell)];
    const std::int64_t count = graph.first[std::size_t(cell) + 1] - first;
    return graph.neighbors[std::size_t(first + (number + count / 2) % count)];
}

/// Returns the cell behind the neighbour, as the neighbour's side to this cell sees it.
[[nodiscard]] static std::int32_t behind_neighbor(const CellGraph& graph, std::int64_t cell,
                                                  std::int32_t neighbor) {
    const std::int64_t first = graph.first[std::size_t(neighbor)];
    const std::int64_t last = graph.first[std::size_t(neighbor) + 1];
    for (std::int64_t s = first; s < last; ++s)
        if (graph.neighbors[std::size_t(s)] == cell) return opposite(graph, neighbor, s - first);
    return no_cell;
}

template <class Real>
void Propagation<Real>::set_sides() {
    const VoronoiMesh& mesh = *mesh_;
    const CellGraph& graph = cells_->graph;
    std::int64_t most = 0;
    for (std::int64_t n = 0; n < cells_->own; ++n) {
        check_interrupts(64);
        const std::int64_t cell = cells_->cells[std::size_t(n)];
        const std::int64_t first = mesh.graph.first[std::size_t(cell)];
        const std::int64_t count = mesh.graph.first[std::size_t(cell) + 1] - first;
        most = std::max(most, count);
        for (std::int64_t s = 0; s < count; ++s) {
            const CellSide& side = mesh.sides[std::size_t(first + s)];
            const std::int64_t own_side = graph.first[std::size_t(n)] + s;
            const std::int32_t neighbor = graph.neighbors[std::size_t(own_side)];
            const double scale = time_step_ * side.length_over_area;
            PreparedSide made{neighbor,
                              0,
                              Real(scale * side.east),
                              Real(scale * side.north),
                              side.length_over_area > 0 && scheme_ != Scheme::heun
                                  ? Real(1 / (side.length_over_area * side.distance))
                                  : Real(0),
                              no_cell,
                              no_cell};
            if (rings_of(scheme_) == 2 && neighbor != no_cell) {
                made.behind = opposite(graph, n, s);
                made.beyond = behind_neighbor(graph, n, neighbor);
            }
            sides_.push_back(made);
        }
    }
    kernel_sides_.resize(std::size_t(most));
    work_.resize(std::size_t(work_size<Real>(most, spectrum_->directions())));
}

template <class Real>
void Propagation<Real>::set_level(double level, double rise) {
    const auto own = std::size_t(cells_->own);
    bins_.resize(own);
    turns_.resize(own);
    slope_east_.resize(own);
    slope_north_.resize(own);
    great_circle_.resize(own);
    same_velocity_.resize(own);
    deep_.resize(own);
    rise_ = rise;
    for (std::size_t n = 0; n < own; ++n) {
        const std::int64_t cell = cells_->cells[n];
        const double depth = mesh_->depth[std::size_t(cell)] + level;
        bins_[n] = depths_->bin(depth);
        set_turning(std::int64_t(n), depth);
        std::int64_t side = mesh_->graph.first[std::size_t(cell)];
        for (std::int64_t s = cells_->graph.first[n]; s < cells_->graph.first[n + 1]; ++s, ++side)
            sides_[std::size_t(s)].bin =
                depths_->bin(depth_of_side(*mesh_, cell, mesh_->sides[std::size_t(side)], level));
        set_frequencies(std::int64_t(n));
    }
}

/// Finds the frequencies for which kernels can be simpler.
template <class Real>
void Propagation<Real>::set_frequencies(std::int64_t cell) {
    const auto n = std::size_t(cell);
    const auto velocity = [this](std::int64_t side, std::int64_t m) {
        return depths_->column(sides_[std::size_t(side)].bin).group_velocity[m];
    };
    const std::int64_t first = cells_->graph.first[n];
    const std::int64_t last = cells_->graph.first[n + 1];
    const auto is_same = [&](std::int64_t m) {
        for (std::int64_t s = first; s < last; ++s)
            if (velocity(s, m) != velocity(first, m)) return false;
        return true;
    };
    std::int64_t m = spectrum_->frequencies();
    while (m > 0 && is_same(m - 1)) --m;
    same_velocity_[n] = std::int32_t(m);
    const bool is_flat = slope_east_[n] == 0 && slope_north_[n] == 0;
    m = spectrum_->frequencies();
    while (m > 0 && (is_flat || water(cell).turning[m - 1] == 0)) --m;
    deep_[n] = std::int32_t(m);
}

template <class Real>
void Propagation<Real>::set_turning(std::int64_t cell, double depth) {
    const auto n = std::size_t(cell);
    const Turning turning = turning_of(*mesh_, cells_->cells[n]);
    const double time = scheme_ == Scheme::heun ? 0.5 * time_step_ : time_step_;
    const double sectors = fastest_turning(*spectrum_, turning, depth) * time / spectrum_->sector();
    const double parts = std::max(std::ceil(2 * sectors), 1.0);
    const double scale = time / spectrum_->sector() / parts;
    turns_[n] = std::int32_t(std::min(parts, most_turns));
    slope_east_[n] = Real(scale * turning.slope_east);
    slope_north_[n] = Real(scale * turning.slope_north);
    great_circle_[n] = Real(scale * turning.great_circle);
}

template <class Real>
PropagationCell<Real> Propagation<Real>::prepare(std::int64_t cell, const Spectra<Real>& now,
                                                 Spectra<Real>& next) {
    const std::int64_t first = cells_->graph.first[std::size_t(cell)];
    const std::int64_t count = cells_->graph.first[std::size_t(cell) + 1] - first;
    const Real* const own = now.cell(cell);
    for (std::int64_t s = 0; s < count; ++s) {
        const PreparedSide& side = sides_[std::size_t(first + s)];
        const Real* const neighbor =
            side.neighbor == no_cell ? zero_.data() : now.cell(side.neighbor);
        kernel_sides_[std::size_t(s)] = {neighbor,
                                         side.behind == no_cell ? own : now.cell(side.behind),
                                         side.beyond == no_cell ? neighbor : now.cell(side.beyond),
                                         depths_->column(side.bin).group_velocity,
                                         side.east,
                                         side.north,
                                         side.shape};
    }
    const WaterColumn<Real> column = water(cell);
    const auto n = std::size_t(cell);
    return {spectrum_->directions(),
            spectrum_->frequencies(),
            count,
            kernel_sides_.data(),
            same_velocity_[n],
            deep_[n],
            own,
            next.cell(cell),
            own,
            own,
            circle_.data(),
            column.group_velocity,
            column.turning,
            turns_[n],
            slope_east_[n],
            slope_north_[n],
            great_circle_[n],
            work_.data()};
}

/// Returns the cell with the highest number that a cell reads. If cells are in order, none before
/// has read it.
template <class Real>
std::int32_t Propagation<Real>::last_neighbor(std::int64_t cell) const {
    auto last = std::int32_t(cell);
    for (std::int64_t s = cells_->graph.first[std::size_t(cell)];
         s < cells_->graph.first[std::size_t(cell) + 1]; ++s) {
        const PreparedSide& side = sides_[std::size_t(s)];
        last = std::max({last, side.neighbor, side.beyond});
    }
    return last;
}

template <class Real>
void Propagation<Real>::advance(const Spectra<Real>& now, Spectra<Real>& next,
                                const std::vector<std::int32_t>& cells) {
    const FlushToZero scope;
    for (std::size_t n = 0; n < cells.size(); ++n) {
        const std::int32_t cell = cells[n];
        check_interrupts(8 * spectrum_->size());
        PropagationCell<Real> work = prepare(cell, now, next);
        if (n + 1 < cells.size()) {
            work.coming = now.cell(last_neighbor(cells[n + 1]));
            work.coming_next = next.cell(cells[n + 1]);
        }
        if (scheme_ == Scheme::heun) work.turns = 0;
        if (scheme_ == Scheme::upwind) {
            advance_upwind(work);
        } else {
            advance_limited(work);
        }
        if (rise_ != 0 && scheme_ != Scheme::heun)
            shift_.apply(water(cell), rise_, next.cell(cell));
    }
}

template <class Real>
void Propagation<Real>::turn(const Spectra<Real>& now, Spectra<Real>& next,
                             const std::vector<std::int32_t>& cells) {
    const FlushToZero scope;
    for (const std::int32_t cell : cells) {
        check_interrupts(8 * spectrum_->size());
        PropagationCell<Real> work = prepare(cell, now, next);
        work.side_count = 0;
        advance_limited(work);
        if (rise_ != 0) shift_.apply(water(cell), 0.5 * rise_, next.cell(cell));
    }
}

template <class Real>
void Propagation<Real>::average(const Spectra<Real>& before, Spectra<Real>& next,
                                const std::vector<std::int32_t>& cells) const {
    for (const std::int32_t cell : cells) {
        check_interrupts(8 * spectrum_->size());
        const Real* const first = before.cell(cell);
        Real* const second = next.cell(cell);
        for (std::int64_t n = 0; n < spectrum_->size(); ++n)
            second[n] = Real(0.5) * (first[n] + second[n]);
    }
}

template class Propagation<float>;
template class Propagation<double>;

}  // namespace tradewind::fvwam
