/// An ocean of one rank for tests of propagation.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "models/fvwam_meshes.hpp"
#include "tradewind/models/fvwam/propagation.hpp"

namespace tradewind::fvwam {

/// Returns a plane of hexagons `spacing` m apart that goes round to the north and ends to the east
/// and to the west. Its `columns` lie to the east of x = 0; its depth and slope are those of `x`.
struct Plane {
    std::int64_t columns;
    double spacing;

    static constexpr std::int64_t rows = 4;
    [[nodiscard]] std::int64_t number(std::int64_t i, std::int64_t j) const {
        return (j + rows) % rows * columns + i;
    }
    /// Returns the distance of a cell to the east of the first one.
    [[nodiscard]] double x(std::int64_t cell) const {
        return spacing * (double(cell % columns) + (cell / columns % 2 == 0 ? 0.0 : 0.5));
    }
    [[nodiscard]] VoronoiMesh mesh(double (*depth)(double x), double slope_east = 0.0) const {
        VoronoiMesh made;
        made.graph.first.push_back(0);
        for (std::int64_t n = 0; n < rows * columns; ++n) {
            const std::int64_t i = n % columns;
            const std::int64_t j = n / columns;
            // Every second row is half a cell to the east.
            const std::int64_t left = j % 2 == 0 ? i - 1 : i;
            const std::pair<std::int64_t, std::int64_t> around[] = {
                {i + 1, j}, {left + 1, j + 1}, {left, j + 1},
                {i - 1, j}, {left, j - 1},     {left + 1, j - 1}};
            for (int side = 0; side < 6; ++side) {
                const auto [column, row] = around[side];
                const bool is_inside = column >= 0 && column < columns;
                const auto neighbor = is_inside ? std::int32_t(number(column, row)) : no_cell;
                const double angle = side * std::numbers::pi / 3;
                made.graph.neighbors.push_back(neighbor);
                made.sides.push_back(
                    {neighbor, 2 / (3 * spacing), std::cos(angle), std::sin(angle), spacing});
            }
            made.graph.first.push_back(made.graph.sides());
            made.longitude.push_back(x(n) / earth_radius);
            made.latitude.push_back(0.0);
            made.area.push_back(spacing * spacing * std::sqrt(0.75));
            made.depth.push_back(depth(x(n)));
            made.slope_east.push_back(slope_east);
            made.slope_north.push_back(0.0);
        }
        return made;
    }
};

inline double deep(double /*x*/) {
    return 4000.0;
}

/// The largest time step that a scheme allows, times a factor.
inline double step_of(const SpectralGrid& spectrum, const VoronoiMesh& mesh, Scheme scheme,
                      double factor = 1.0) {
    double fastest = 0.0;
    for (std::int64_t cell = 0; cell < mesh.cells(); ++cell)
        fastest = std::max(fastest, outflow_rate(spectrum, mesh, cell));
    return factor * largest_courant_number(scheme) / fastest;
}

/// All cells of a mesh on one rank.
template <class Real>
class Ocean {
public:
    Ocean(const SpectralGrid& spectrum, const VoronoiMesh& mesh, Scheme scheme, double time_step)
        : scheme_(scheme),
          spectrum_(spectrum),
          mesh_(mesh),
          cells_(cells_of_rank(mesh.graph, ItemPartition(mesh.cells(), 1), 0, rings_of(scheme))),
          depths_(spectrum_, 1.01),
          propagation_(spectrum_, depths_, mesh_, cells_, scheme, time_step),
          now_(mesh.cells(), spectrum.size(), true),
          next_(mesh.cells(), spectrum.size(), true),
          before_(mesh.cells(), spectrum.size(), true) {
        for (std::int64_t n = 0; n < mesh.cells(); ++n) all_.push_back(std::int32_t(n));
    }
    Ocean(const Ocean&) = delete;
    Ocean& operator=(const Ocean&) = delete;

    void set_level(double level, double rise) { propagation_.set_level(level, rise); }
    void step() {
        if (scheme_ == Scheme::heun) {
            turn();
            propagation_.advance(now_, next_, all_);
            std::swap(before_, now_);
            std::swap(now_, next_);
            propagation_.advance(now_, next_, all_);
            propagation_.average(before_, next_, all_);
            std::swap(now_, next_);
            turn();
            return;
        }
        propagation_.advance(now_, next_, all_);
        std::swap(now_, next_);
    }
    [[nodiscard]] Real* cell(std::int64_t n) { return now_.cell(n); }
    [[nodiscard]] const VoronoiMesh& mesh() const { return mesh_; }
    [[nodiscard]] const SpectralGrid& spectrum() const { return spectrum_; }

    /// Calls visit(cell, direction, frequency, value) for each value.
    void for_each(const auto& visit) {
        for (std::int64_t n = 0; n < mesh_.cells(); ++n) {
            Real* const values = now_.cell(n);
            for (std::int64_t m = 0; m < spectrum_.frequencies(); ++m)
                for (std::int64_t k = 0; k < spectrum_.directions(); ++k)
                    visit(n, k, m, values[m * spectrum_.directions() + k]);
        }
    }
    /// Returns the sum of values times areas.
    [[nodiscard]] double total() {
        double sum = 0.0;
        for_each([&](std::int64_t n, std::int64_t, std::int64_t, Real& value) {
            sum += double(value) * mesh_.area[std::size_t(n)];
        });
        return sum;
    }
    /// Returns the smallest and the largest value.
    [[nodiscard]] std::pair<double, double> range() {
        std::pair<double, double> found{now_.cell(0)[0], now_.cell(0)[0]};
        for_each([&](std::int64_t, std::int64_t, std::int64_t, Real& value) {
            found = {std::min(found.first, double(value)), std::max(found.second, double(value))};
        });
        return found;
    }

private:
    void turn() {
        propagation_.turn(now_, next_, all_);
        std::swap(now_, next_);
    }

    Scheme scheme_;
    SpectralGrid spectrum_;
    VoronoiMesh mesh_;
    RankCells cells_;
    DepthTable<Real> depths_;
    Propagation<Real> propagation_;
    Spectra<Real> now_;
    Spectra<Real> next_;
    Spectra<Real> before_;
    std::vector<std::int32_t> all_;
};

}  // namespace tradewind::fvwam
