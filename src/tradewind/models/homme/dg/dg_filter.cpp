/// Kernels by blocks of four levels, as in se_kernels.cpp.
#include "tradewind/models/homme/dg/dg_filter.hpp"

#include <cmath>

#include "tradewind/base/interrupts.hpp"
#include "tradewind/models/homme/dg/dg_operators.hpp"

namespace tradewind::homme {

namespace {

constexpr int P = dg_points;
constexpr int N = dg_np;

/// Applies the matrix along x, then along y.
TRADEWIND_INLINE void filter_values(const DgFilter& f, Lanes* values) {
    DgBlock along_x;
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
            Lanes sum = f.at[i][0] * values[j * N];
            for (int k = 1; k < N; ++k) sum += f.at[i][k] * values[j * N + k];
            along_x[j * N + i] = sum;
        }
    }
    for (int j = 0; j < N; ++j) {
        for (int i = 0; i < N; ++i) {
            Lanes sum = f.at[j][0] * along_x[i];
            for (int k = 1; k < N; ++k) sum += f.at[j][k] * along_x[k * N + i];
            values[j * N + i] = sum;
        }
    }
}

/// Filters the wind by its components along x and y.
TRADEWIND_INLINE void filter_wind(const DgFilter& filter, const DgMetric& metric, std::int64_t b,
                                  const ElementFields& fields) {
    Lanes* const wind_east = fields[east] + b * P;
    Lanes* const wind_north = fields[north] + b * P;
    DgBlock x;
    DgBlock y;
    for (int p = 0; p < P; ++p) {
        const double* const to = metric.to_sphere[p];
        x[p] = to[0] * wind_east[p] + to[2] * wind_north[p];
        y[p] = to[1] * wind_east[p] + to[3] * wind_north[p];
    }
    filter_values(filter, x);
    filter_values(filter, y);
    for (int p = 0; p < P; ++p) {
        const double* const from = metric.from_sphere[p];
        wind_east[p] = from[0] * x[p] + from[2] * y[p];
        wind_north[p] = from[1] * x[p] + from[3] * y[p];
    }
}

}  // namespace

DgFilter::DgFilter(const GaussLobatto& rule, double damping, double order) {
    for (int i = 0; i < N; ++i) {
        for (int m = 0; m < N; ++m) {
            double sum = 0.0;
            for (int k = 0; k < N; ++k) {
                // The discrete norm of the highest polynomial differs from that of the others.
                const double norm = k == N - 1 ? 2.0 / k : 2.0 / (2 * k + 1);
                const double factor = std::exp(-damping * std::pow(double(k) / (N - 1), order));
                sum += factor * legendre(k, rule.nodes[std::size_t(i)]).value *
                       legendre(k, rule.nodes[std::size_t(m)]).value *
                       rule.weights[std::size_t(m)] / norm;
            }
            at[i][m] = sum;
        }
    }
}

TRADEWIND_CLONES
void dg_filter(const DgFilter& filter, const DgElement& element, const VerticalGrid& column,
               const ElementFields& fields) {
    check_interrupts(column.blocks * dg_points * 16);
    const double* const mass = element.metric.mass;
    double area = 0.0;
    for (int p = 0; p < P; ++p) area += mass[p];
    for (std::int64_t b = 0; b < column.blocks; ++b) {
        filter_wind(filter, element.metric, b, fields);
        Lanes* const dp = fields[thickness] + b * P;
        Lanes* const t = fields[temperature] + b * P;
        Lanes air{};
        Lanes heat{};
        for (int p = 0; p < P; ++p) {
            air += mass[p] * dp[p];
            heat += mass[p] * (dp[p] * t[p]);
        }
        filter_values(filter, dp);
        filter_values(filter, t);
        Lanes more = air;
        for (int p = 0; p < P; ++p) more -= mass[p] * dp[p];
        more /= Lanes{} + area;
        for (int p = 0; p < P; ++p) {
            dp[p] += more;
            heat -= mass[p] * (dp[p] * t[p]);
        }
        heat /= air;
        for (int p = 0; p < P; ++p) t[p] += heat;
    }
}

}  // namespace tradewind::homme
