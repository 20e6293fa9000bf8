/// The element-local work of the spectral-element core; everything else is exchange.
///
/// Hydrostatic primitive equations in vector-invariant form on Lagrangian layers (dry air):
///
///     dv/dt  = -(zeta + f) k x v - grad(|v|^2/2 + Phi) - (R T / p) grad p
///     dT/dt  = -v . grad T + kappa T omega / p
///     d(dp)/dt = -div(v dp)
///     omega = v . grad p - sum over layers above of div(v dp)
///     Phi = Phi_s + sum over layers below of R T dp / p
///
/// Sources: Taylor and Fournier (2010); Simmons and Burridge (1981); Dennis et al. (2012).
#pragma once

#include <array>

#include "tradewind/models/homme/core.hpp"
#include "tradewind/models/homme/mesh/metric.hpp"

namespace tradewind::homme {

inline constexpr int se_np = 4;
inline constexpr int se_points = se_np * se_np;
using SeMetric = ElementMetric<se_np>;
using SeDerivatives = Derivatives<se_np>;

/// Pointers to the fields of one element; null for a field that the equations do not have.
using ElementFields = std::array<Lanes*, most_fields>;
using ConstElementFields = std::array<const Lanes*, most_fields>;

[[nodiscard]] inline ElementFields element_of(Fields& fields, std::int64_t element) {
    return {fields.at(0, element), fields.at(1, element), fields.at(2, element),
            fields.at(3, element)};
}
[[nodiscard]] inline ConstElementFields element_of(const Fields& fields, std::int64_t element) {
    return {fields.at(0, element), fields.at(1, element), fields.at(2, element),
            fields.at(3, element)};
}

/// The terms of an element that do not change.
struct SeElement {
    SeMetric metric;
    double coriolis[se_points];
    double surface_geopotential[se_points];
    /// One divided by the mass of a point, that of all elements around it added up.
    double per_mass[se_points];
};

/// Intermediate values of one element, kept between calls.
class SeScratch {
public:
    explicit SeScratch(std::int64_t blocks) : values_(count * se_points * blocks) {}
    /// Returns the arrays of a block of levels.
    [[nodiscard]] Lanes* block(std::int64_t number) noexcept {
        return values_.data() + number * count * se_points;
    }

private:
    static constexpr std::int64_t count = 4;
    LaneVector values_;
};

/// A Runge-Kutta stage: mass * (first * a + second * b + step * tendency(of)).
struct SeStage {
    double first;
    double second;
    double step;
};

/// Computes a stage of the primitive equations. `result` may be `of`.
void se_stage(const SeDerivatives& d, const SeElement& element, const VerticalGrid& column,
              const SeStage& stage, const ConstElementFields& a, const ConstElementFields& b,
              const ConstElementFields& of, const ElementFields& result, SeScratch& scratch);

/// Divides by the assembled mass, after an exchange.
void se_divide(const SeElement& element, const VerticalGrid& column, const ElementFields& fields);

/// Computes weak Laplacians of all fields.
void se_laplacian(const SeDerivatives& d, const SeElement& element, const VerticalGrid& column,
                  const ConstElementFields& of, const ElementFields& result);

/// The coefficients of hyperviscosity, in m^4/s, and of the viscosity of the top three layers, in
/// m^2/s, both times the length of the step in s.
struct SeViscosity {
    double hyper;
    double top;
};

/// Replaces the assembled Laplacians by the weak change of the fields in one step:
/// -hyper Laplacian(Laplacian) + top Laplacian(fields).
void se_viscosity(const SeDerivatives& d, const SeElement& element, const VerticalGrid& column,
                  const SeViscosity& viscosity, const ConstElementFields& fields,
                  const ElementFields& laplacians);

/// Adds the assembled change, and the heat that the loss of kinetic energy sets free.
void se_add_viscosity(const SeElement& element, const VerticalGrid& column,
                      const ConstElementFields& change, const ElementFields& fields);

}  // namespace tradewind::homme
