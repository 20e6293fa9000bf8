/// Differential operators on the points of one element, for the levels of one vector at once.
///
/// A field of an element is an array of np x np Lanes, point (i, j) at j * np + i. Velocities are
/// components to the east and north. "Weak" operators return integrals with the test functions of
/// the points, which exchange with neighbours and division by the mass complete.
///
/// An operator goes through the columns of points, then through the rows, so that a line of points
/// and the matrix of derivatives stay in registers. Results must not overlap with operands.
/// Source: Taylor and Fournier (2010).
#pragma once

#include "tradewind/models/homme/mesh/metric.hpp"
#include "tradewind/models/spectral/lanes.hpp"

namespace tradewind::homme {

using spectral::Lanes;

/// A scalar, or one component of a vector, at the points of an element.
template <int NP>
using Values = Lanes[NP * NP];
/// The values along a row or a column of points.
template <int NP>
using Line = Lanes[NP];

/// Computes the derivatives at the points of a line.
template <int NP>
TRADEWIND_INLINE void differentiate_line(const Derivatives<NP>& d, const Line<NP>& s,
                                         Line<NP>& derivative) {
#pragma GCC unroll 8
    for (int i = 0; i < NP; ++i) {
        Lanes sum = d.at[i][0] * s[0];
#pragma GCC unroll 8
        for (int k = 1; k < NP; ++k) sum += d.at[i][k] * s[k];
        derivative[i] = sum;
    }
}

/// Computes the integrals with the derivatives of the test functions along a line.
template <int NP>
TRADEWIND_INLINE void test_line(const Derivatives<NP>& d, const Line<NP>& s, Line<NP>& integral) {
#pragma GCC unroll 8
    for (int i = 0; i < NP; ++i) {
        Lanes sum = d.weighted[0][i] * s[0];
#pragma GCC unroll 8
        for (int k = 1; k < NP; ++k) sum += d.weighted[k][i] * s[k];
        integral[i] = sum;
    }
}

/// Reads `count` values that are `stride` apart.
template <int NP>
TRADEWIND_INLINE void read_line(const Lanes* from, int stride, Line<NP>& line) {
#pragma GCC unroll 8
    for (int k = 0; k < NP; ++k) line[k] = from[k * stride];
}
template <int NP>
TRADEWIND_INLINE void write_line(const Line<NP>& line, Lanes* to, int stride) {
#pragma GCC unroll 8
    for (int k = 0; k < NP; ++k) to[k * stride] = line[k];
}

/// Computes the derivatives of s by y at all points.
template <int NP>
TRADEWIND_INLINE void differentiate_columns(const Derivatives<NP>& d, const Lanes* s, Lanes* dy) {
#pragma GCC unroll 1
    for (int i = 0; i < NP; ++i) {
        Line<NP> line;
        Line<NP> derivative;
        read_line<NP>(s + i, NP, line);
        differentiate_line<NP>(d, line, derivative);
        write_line<NP>(derivative, dy + i, NP);
    }
}

/// Computes the gradient of s to the east and north.
template <int NP>
TRADEWIND_INLINE void gradient(const Derivatives<NP>& d, const ElementMetric<NP>& metric,
                               const Lanes* s, Lanes* __restrict east, Lanes* __restrict north) {
    Values<NP> dy;
    differentiate_columns<NP>(d, s, dy);
#pragma GCC unroll 1
    for (int j = 0; j < NP; ++j) {
        Line<NP> line;
        Line<NP> dx;
        read_line<NP>(s + j * NP, 1, line);
        differentiate_line<NP>(d, line, dx);
#pragma GCC unroll 8
        for (int i = 0; i < NP; ++i) {
            const int p = j * NP + i;
            const double* const inverse = metric.from_sphere[p];
            east[p] = inverse[0] * dx[i] + inverse[2] * dy[p];
            north[p] = inverse[1] * dx[i] + inverse[3] * dy[p];
        }
    }
}

template <int NP>
TRADEWIND_INLINE void divergence(const Derivatives<NP>& d, const ElementMetric<NP>& metric,
                                 const Lanes* u, const Lanes* v, Lanes* __restrict result) {
    Values<NP> dy;
#pragma GCC unroll 1
    for (int i = 0; i < NP; ++i) {
        Line<NP> y;
        Line<NP> derivative;
#pragma GCC unroll 8
        for (int j = 0; j < NP; ++j) {
            const int p = j * NP + i;
            y[j] = metric.flux_of[p][2] * u[p] + metric.flux_of[p][3] * v[p];
        }
        differentiate_line<NP>(d, y, derivative);
        write_line<NP>(derivative, dy + i, NP);
    }
#pragma GCC unroll 1
    for (int j = 0; j < NP; ++j) {
        Line<NP> x;
        Line<NP> dx;
#pragma GCC unroll 8
        for (int i = 0; i < NP; ++i) {
            const int p = j * NP + i;
            x[i] = metric.flux_of[p][0] * u[p] + metric.flux_of[p][1] * v[p];
        }
        differentiate_line<NP>(d, x, dx);
#pragma GCC unroll 8
        for (int i = 0; i < NP; ++i) {
            const int p = j * NP + i;
            result[p] = (dx[i] + dy[p]) * metric.per_area[p];
        }
    }
}

/// Computes the vertical component of the curl.
template <int NP>
TRADEWIND_INLINE void vorticity(const Derivatives<NP>& d, const ElementMetric<NP>& metric,
                                const Lanes* u, const Lanes* v, Lanes* __restrict result) {
    Values<NP> dy;
#pragma GCC unroll 1
    for (int i = 0; i < NP; ++i) {
        Line<NP> y;
        Line<NP> derivative;
#pragma GCC unroll 8
        for (int j = 0; j < NP; ++j) {
            const int p = j * NP + i;
            y[j] = -(metric.to_sphere[p][0] * u[p] + metric.to_sphere[p][2] * v[p]);
        }
        differentiate_line<NP>(d, y, derivative);
        write_line<NP>(derivative, dy + i, NP);
    }
#pragma GCC unroll 1
    for (int j = 0; j < NP; ++j) {
        Line<NP> x;
        Line<NP> dx;
#pragma GCC unroll 8
        for (int i = 0; i < NP; ++i) {
            const int p = j * NP + i;
            x[i] = metric.to_sphere[p][1] * u[p] + metric.to_sphere[p][3] * v[p];
        }
        differentiate_line<NP>(d, x, dx);
#pragma GCC unroll 8
        for (int i = 0; i < NP; ++i) {
            const int p = j * NP + i;
            result[p] = (dx[i] + dy[p]) * metric.per_area[p];
        }
    }
}

/// Computes the weak Laplacian of s.
template <int NP>
TRADEWIND_INLINE void weak_laplacian(const Derivatives<NP>& d, const ElementMetric<NP>& metric,
                                     const Lanes* s, Lanes* __restrict result) {
    Values<NP> dy;
    Values<NP> flux_y;
    Values<NP> along_x;
    differentiate_columns<NP>(d, s, dy);
#pragma GCC unroll 1
    for (int j = 0; j < NP; ++j) {
        Line<NP> line;
        Line<NP> dx;
        Line<NP> x;
        read_line<NP>(s + j * NP, 1, line);
        differentiate_line<NP>(d, line, dx);
#pragma GCC unroll 8
        for (int i = 0; i < NP; ++i) {
            const int p = j * NP + i;
            const double* const g = metric.gradient_flux[p];
            x[i] = g[0] * dx[i] + g[1] * dy[p];
            flux_y[p] = g[1] * dx[i] + g[2] * dy[p];
        }
        test_line<NP>(d, x, line);
#pragma GCC unroll 8
        for (int i = 0; i < NP; ++i) along_x[j * NP + i] = d.weights[j] * line[i];
    }
#pragma GCC unroll 1
    for (int i = 0; i < NP; ++i) {
        Line<NP> y;
        Line<NP> along_y;
        read_line<NP>(flux_y + i, NP, y);
        test_line<NP>(d, y, along_y);
#pragma GCC unroll 8
        for (int j = 0; j < NP; ++j) {
            const int p = j * NP + i;
            result[p] = -(along_x[p] + d.weights[i] * along_y[j]);
        }
    }
}

/// Computes the integrals of s with the derivatives of the test functions by y in column i, without
/// the area.
template <int NP>
TRADEWIND_INLINE void test_column(const Derivatives<NP>& d, int i, const Lanes* s, Lanes* dy) {
    Line<NP> line;
    Line<NP> integral;
    read_line<NP>(s + i, NP, line);
    test_line<NP>(d, line, integral);
#pragma GCC unroll 8
    for (int j = 0; j < NP; ++j) dy[j * NP + i] = d.weights[i] * integral[j];
}

/// Computes the weak Laplacian of a vector, gradient of the divergence less curl of the vorticity,
/// without damping a rotation of the sphere as a whole.
template <int NP>
TRADEWIND_INLINE void weak_vector_laplacian(const Derivatives<NP>& d,
                                            const ElementMetric<NP>& metric, const Lanes* u,
                                            const Lanes* v, Lanes* __restrict east,
                                            Lanes* __restrict north) {
    Values<NP> div;
    Values<NP> curl;
    Values<NP> div_y;
    Values<NP> curl_y;
    divergence<NP>(d, metric, u, v, div);
    vorticity<NP>(d, metric, u, v, curl);
#pragma GCC unroll 1
    for (int i = 0; i < NP; ++i) {
        test_column<NP>(d, i, div, div_y);
        test_column<NP>(d, i, curl, curl_y);
    }
#pragma GCC unroll 1
    for (int j = 0; j < NP; ++j) {
        Line<NP> line;
        Line<NP> div_x;
        Line<NP> curl_x;
        read_line<NP>(div + j * NP, 1, line);
        test_line<NP>(d, line, div_x);
        read_line<NP>(curl + j * NP, 1, line);
        test_line<NP>(d, line, curl_x);
#pragma GCC unroll 8
        for (int i = 0; i < NP; ++i) {
            const int p = j * NP + i;
            const double* const g = metric.covariant[p];
            const double area = metric.area[p];
            const Lanes by_x = d.weights[j] * div_x[i];
            const Lanes turn_x = d.weights[j] * curl_x[i];
            // Covariant components of gradient and curl.
            const Lanes x = -area * by_x - (g[1] * turn_x - g[0] * curl_y[p]);
            const Lanes y = -area * div_y[p] - (g[2] * turn_x - g[1] * curl_y[p]);
            const double* const inverse = metric.from_sphere[p];
            const double rotation = 2 * metric.mass[p] * metric.per_radius2;
            east[p] = inverse[0] * x + inverse[2] * y + rotation * u[p];
            north[p] = inverse[1] * x + inverse[3] * y + rotation * v[p];
        }
    }
}

/// Computes the relative vorticity of all levels of an element, [level block][point].
template <int NP>
void vorticity_of(const Derivatives<NP>& d, const ElementMetric<NP>& metric, std::int64_t blocks,
                  const Lanes* u, const Lanes* v, Lanes* result) {
    for (std::int64_t at = 0; at < NP * NP * blocks; at += NP * NP)
        vorticity<NP>(d, metric, u + at, v + at, result + at);
}

}  // namespace tradewind::homme
