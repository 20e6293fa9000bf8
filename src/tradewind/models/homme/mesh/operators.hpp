/// Differential operators on the points of one element, for the levels of one vector at once.
///
/// A field of an element is an array of np x np Lanes, point (i, j) at j * np + i. Velocities are
/// components to the east and north. "Weak" operators return integrals with the test functions of
/// the points, which exchange with neighbours and division by the mass complete.
/// Source: Taylor and Fournier (2010).
#pragma once

#include "tradewind/models/homme/mesh/metric.hpp"
#include "tradewind/models/spectral/lanes.hpp"

namespace tradewind::homme {

using spectral::Lanes;

/// A scalar, or one component of a vector, at the points of an element.
template <int NP>
using Values = Lanes[NP * NP];

/// Computes derivatives along x and y of the reference element. Rows of the derivative matrix stay
/// in registers for all points that need them.
template <int NP>
TRADEWIND_INLINE void differentiate(const Derivatives<NP>& d, const Lanes* s, Lanes* dx,
                                    Lanes* dy) {
    for (int i = 0; i < NP; ++i) {
#pragma GCC unroll 8
        for (int j = 0; j < NP; ++j) {
            Lanes x = d.at[i][0] * s[j * NP];
            Lanes y = d.at[i][0] * s[j];
#pragma GCC unroll 8
            for (int k = 1; k < NP; ++k) {
                x += d.at[i][k] * s[j * NP + k];
                y += d.at[i][k] * s[k * NP + j];
            }
            dx[j * NP + i] = x;
            dy[i * NP + j] = y;
        }
    }
}

/// Computes the derivative of `along_x` by x plus that of `along_y` by y.
template <int NP>
TRADEWIND_INLINE void sum_of_derivatives(const Derivatives<NP>& d, const Lanes* along_x,
                                         const Lanes* along_y, Lanes* sum) {
    Values<NP> dx;
    for (int i = 0; i < NP; ++i) {
#pragma GCC unroll 8
        for (int j = 0; j < NP; ++j) {
            Lanes x = d.at[i][0] * along_x[j * NP];
#pragma GCC unroll 8
            for (int k = 1; k < NP; ++k) x += d.at[i][k] * along_x[j * NP + k];
            dx[j * NP + i] = x;
        }
    }
    for (int j = 0; j < NP; ++j) {
#pragma GCC unroll 8
        for (int i = 0; i < NP; ++i) {
            Lanes y = d.at[j][0] * along_y[i];
#pragma GCC unroll 8
            for (int k = 1; k < NP; ++k) y += d.at[j][k] * along_y[k * NP + i];
            sum[j * NP + i] = dx[j * NP + i] + y;
        }
    }
}

/// Computes the gradient of s to the east and north.
template <int NP>
TRADEWIND_INLINE void gradient(const Derivatives<NP>& d, const ElementMetric<NP>& metric,
                               const Lanes* s, Lanes* east, Lanes* north) {
    Values<NP> dx;
    Values<NP> dy;
    differentiate<NP>(d, s, dx, dy);
    for (int p = 0; p < NP * NP; ++p) {
        const double* const inverse = metric.from_sphere[p];
        east[p] = inverse[0] * dx[p] + inverse[2] * dy[p];
        north[p] = inverse[1] * dx[p] + inverse[3] * dy[p];
    }
}

template <int NP>
TRADEWIND_INLINE void divergence(const Derivatives<NP>& d, const ElementMetric<NP>& metric,
                                 const Lanes* u, const Lanes* v, Lanes* result) {
    Values<NP> x;
    Values<NP> y;
    for (int p = 0; p < NP * NP; ++p) {
        const double* const flux = metric.flux_of[p];
        x[p] = flux[0] * u[p] + flux[1] * v[p];
        y[p] = flux[2] * u[p] + flux[3] * v[p];
    }
    sum_of_derivatives<NP>(d, x, y, result);
    for (int p = 0; p < NP * NP; ++p) result[p] *= metric.per_area[p];
}

/// Computes the vertical component of the curl.
template <int NP>
TRADEWIND_INLINE void vorticity(const Derivatives<NP>& d, const ElementMetric<NP>& metric,
                                const Lanes* u, const Lanes* v, Lanes* result) {
    Values<NP> x;
    Values<NP> y;
    for (int p = 0; p < NP * NP; ++p) {
        const double* const to = metric.to_sphere[p];
        x[p] = to[1] * u[p] + to[3] * v[p];
        y[p] = -(to[0] * u[p] + to[2] * v[p]);
    }
    sum_of_derivatives<NP>(d, x, y, result);
    for (int p = 0; p < NP * NP; ++p) result[p] *= metric.per_area[p];
}

/// Computes the integrals of s with the derivatives of the test functions by x and y, without the
/// area.
template <int NP>
TRADEWIND_INLINE void weak_derivatives(const Derivatives<NP>& d, const Lanes* s, Lanes* dx,
                                       Lanes* dy) {
    for (int j = 0; j < NP; ++j) {
        for (int i = 0; i < NP; ++i) {
            Lanes x = d.weighted[0][i] * s[j * NP];
            Lanes y = d.weighted[0][j] * s[i];
            for (int k = 1; k < NP; ++k) {
                x += d.weighted[k][i] * s[j * NP + k];
                y += d.weighted[k][j] * s[k * NP + i];
            }
            dx[j * NP + i] = d.weights[j] * x;
            dy[j * NP + i] = d.weights[i] * y;
        }
    }
}

/// Computes the weak Laplacian of s.
template <int NP>
TRADEWIND_INLINE void weak_laplacian(const Derivatives<NP>& d, const ElementMetric<NP>& metric,
                                     const Lanes* s, Lanes* result) {
    Values<NP> dx;
    Values<NP> dy;
    differentiate<NP>(d, s, dx, dy);
    Values<NP> x;
    Values<NP> y;
    for (int p = 0; p < NP * NP; ++p) {
        const double* const g = metric.gradient_flux[p];
        x[p] = g[0] * dx[p] + g[1] * dy[p];
        y[p] = g[1] * dx[p] + g[2] * dy[p];
    }
    for (int j = 0; j < NP; ++j) {
        for (int i = 0; i < NP; ++i) {
            Lanes along_x = d.weighted[0][i] * x[j * NP];
            Lanes along_y = d.weighted[0][j] * y[i];
            for (int k = 1; k < NP; ++k) {
                along_x += d.weighted[k][i] * x[j * NP + k];
                along_y += d.weighted[k][j] * y[k * NP + i];
            }
            result[j * NP + i] = -(d.weights[j] * along_x + d.weights[i] * along_y);
        }
    }
}

/// Computes the weak Laplacian of a vector, gradient of the divergence less curl of the vorticity,
/// without damping a rotation of the sphere as a whole.
template <int NP>
TRADEWIND_INLINE void weak_vector_laplacian(const Derivatives<NP>& d,
                                            const ElementMetric<NP>& metric, const Lanes* u,
                                            const Lanes* v, Lanes* east, Lanes* north) {
    Values<NP> s;
    Values<NP> div_x;
    Values<NP> div_y;
    divergence<NP>(d, metric, u, v, s);
    weak_derivatives<NP>(d, s, div_x, div_y);
    Values<NP> curl_x;
    Values<NP> curl_y;
    vorticity<NP>(d, metric, u, v, s);
    weak_derivatives<NP>(d, s, curl_x, curl_y);
    for (int p = 0; p < NP * NP; ++p) {
        const double* const g = metric.covariant[p];
        const double area = metric.area[p];
        // Covariant components of gradient and curl.
        const Lanes x = -area * div_x[p] - (g[1] * curl_x[p] - g[0] * curl_y[p]);
        const Lanes y = -area * div_y[p] - (g[2] * curl_x[p] - g[1] * curl_y[p]);
        const double* const inverse = metric.from_sphere[p];
        const double rotation = 2 * metric.mass[p] * metric.per_radius2;
        east[p] = inverse[0] * x + inverse[2] * y + rotation * u[p];
        north[p] = inverse[1] * x + inverse[3] * y + rotation * v[p];
    }
}

/// Computes the relative vorticity of all levels of an element, [point][level block].
template <int NP>
void vorticity_of(const Derivatives<NP>& d, const ElementMetric<NP>& metric, std::int64_t blocks,
                  const Lanes* u, const Lanes* v, Lanes* result) {
    for (std::int64_t b = 0; b < blocks; ++b) {
        Values<NP> u_level;
        Values<NP> v_level;
        Values<NP> zeta;
        for (int p = 0; p < NP * NP; ++p) {
            u_level[p] = u[p * blocks + b];
            v_level[p] = v[p * blocks + b];
        }
        vorticity<NP>(d, metric, u_level, v_level, zeta);
        for (int p = 0; p < NP * NP; ++p) result[p * blocks + b] = zeta[p];
    }
}

}  // namespace tradewind::homme
