/// The element-local work of the discontinuous Galerkin core.
///
/// The equations are those of se_kernels.hpp, with temperature in flux form:
///
///     d(T dp)/dt = -div(v T dp) + kappa T omega dp / p
///
/// Fields may jump between elements. A flux F through an edge is replaced by that of Lax and
/// Friedrichs, which both sides agree on, and gradients by those of the mean of both sides:
///
///     F* = (F- + F+) / 2 - c (q+ - q-) / 2        c = |v . n| + speed of gravity waves
///
/// Source: Nair, Choi and Tufo (2009).
#pragma once

#include "tradewind/models/homme/mesh/edges.hpp"
#include "tradewind/models/homme/mesh/partition.hpp"
#include "tradewind/models/homme/se/se_kernels.hpp"

namespace tradewind::homme {

inline constexpr int dg_np = 6;
inline constexpr int dg_points = dg_np * dg_np;
/// The gradients of both components of the wind, to the east and north.
inline constexpr std::size_t gradient_count = 4;
inline constexpr int dg_traces = edge_sides * dg_np;
/// The points of an element in the fields that hold traces: those of edges, then those of corners,
/// which arrive but are not needed.
inline constexpr int dg_trace_slots = traces_of(dg_np);
using DgMetric = ElementMetric<dg_np>;
using DgDerivatives = Derivatives<dg_np>;

/// The terms of an element that do not change.
struct DgElement {
    DgMetric metric;
    ElementEdges<dg_np> edges;
    double coriolis[dg_points];
    double surface_geopotential[dg_points];
};

/// The fields that follow from those of an element alone: pressure, geopotential and the gradient
/// of the pressure to the east and north.
enum DgAuxiliary : std::uint8_t { aux_pressure, aux_geopotential, aux_east, aux_north };

/// Pressure and geopotential of the neighbours at the traces of one element, kept between calls.
class DgScratch {
public:
    explicit DgScratch(std::int64_t blocks) : size_(dg_trace_slots * blocks), values_(2 * size_) {}
    [[nodiscard]] Lanes* pressure() noexcept { return values_.data(); }
    [[nodiscard]] Lanes* geopotential() noexcept { return values_.data() + size_; }

private:
    std::int64_t size_;
    LaneVector values_;
};

/// The coefficients of a Runge-Kutta stage: first * a + second * (of + step * tendency(of)).
struct DgStage {
    double first;
    double second;
    double step;
    /// The speed of gravity waves in the fluxes, in m/s.
    double wave_speed;
    /// The viscosity of the wind, in m2/s.
    double viscosity;
};

/// Computes what follows from the fields of the element alone.
void dg_prepare(const DgDerivatives& d, const DgElement& element, const VerticalGrid& column,
                const ConstElementFields& of, const ElementFields& auxiliary);

/// Computes the gradients of the wind, with means over both sides at the edges: (du to the east, du
/// to the north, dv to the east, dv to the north).
void dg_gradients(const DgDerivatives& d, const DgElement& element, const VerticalGrid& column,
                  const ConstElementFields& of, const ConstElementFields& traces,
                  const ElementFields& gradients);

/// Computes a stage from the fields and the traces of the neighbours. `gradients` and their traces
/// are read if there is viscosity. `result` may be `of`.
void dg_stage(const DgDerivatives& d, const DgElement& element, const VerticalGrid& column,
              const DgStage& stage, const ConstElementFields& a, const ConstElementFields& of,
              const ConstElementFields& auxiliary, const ConstElementFields& traces,
              const ConstElementFields& gradients, const ConstElementFields& gradient_traces,
              const ElementFields& result, DgScratch& scratch);

}  // namespace tradewind::homme
