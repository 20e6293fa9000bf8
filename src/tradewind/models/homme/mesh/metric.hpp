/// The numbers that the operators of an element need, on a sphere of any radius.
#pragma once

#include <cstdint>
#include <vector>

#include "tradewind/models/homme/mesh/geometry.hpp"

namespace tradewind::homme {

/// The derivatives of the Lagrange polynomials: at[i][k] is that of polynomial k at node i.
template <int NP>
struct Derivatives {
    explicit Derivatives(const GaussLobatto& rule) {
        for (int i = 0; i < NP; ++i) {
            weights[i] = rule.weights[std::size_t(i)];
            for (int k = 0; k < NP; ++k) {
                at[i][k] = rule.derivative(i, k);
                weighted[i][k] = weights[i] * at[i][k];
            }
        }
    }
    double at[NP][NP];
    /// The same, times the weight of node i.
    double weighted[NP][NP];
    double weights[NP];
};

/// The metric terms of one element; lengths are in metres.
template <int NP>
struct ElementMetric {
    static constexpr int points = NP * NP;

    ElementMetric() = default;
    ElementMetric(const CubeGeometry& geometry, const GaussLobatto& rule, std::int64_t element,
                  double radius)
        : per_radius2(1.0 / (radius * radius)) {
        for (int j = 0; j < NP; ++j) {
            for (int i = 0; i < NP; ++i)
                set(j * NP + i, geometry.point(element, i, j), radius,
                    rule.weights[std::size_t(i)] * rule.weights[std::size_t(j)]);
        }
    }

    /// The derivatives of the position to the east and north by x and y, and their inverse.
    double to_sphere[points][4];
    double from_sphere[points][4];
    /// Contravariant components times area of a vector with components to the east and north.
    double flux_of[points][4];
    /// The metric tensor g_xx, g_xy, g_yy, and area times its inverse.
    double covariant[points][3];
    double gradient_flux[points][3];
    double area[points];
    double per_area[points];
    /// Weights of the quadrature times area.
    double mass[points];
    double latitude[points];
    double longitude[points];
    double per_radius2;

private:
    void set(int p, const PointGeometry& point, double radius, double weight) {
        double* const d = to_sphere[p];
        for (int k = 0; k < 4; ++k) {
            d[k] = point.to_sphere[std::size_t(k)] * radius;
            from_sphere[p][k] = point.from_sphere[std::size_t(k)] / radius;
        }
        area[p] = point.area * radius * radius;
        per_area[p] = 1.0 / area[p];
        mass[p] = weight * area[p];
        for (int k = 0; k < 4; ++k) flux_of[p][k] = area[p] * from_sphere[p][k];
        covariant[p][0] = d[0] * d[0] + d[2] * d[2];
        covariant[p][1] = d[0] * d[1] + d[2] * d[3];
        covariant[p][2] = d[1] * d[1] + d[3] * d[3];
        gradient_flux[p][0] = covariant[p][2] * per_area[p];
        gradient_flux[p][1] = -covariant[p][1] * per_area[p];
        gradient_flux[p][2] = covariant[p][0] * per_area[p];
        latitude[p] = point.latitude;
        longitude[p] = point.longitude;
    }
};

}  // namespace tradewind::homme
