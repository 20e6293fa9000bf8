/// Tables of associated Legendre functions.
#include "tradewind/models/spectral/legendre.hpp"

#include <cmath>

#include "tradewind/base/interrupts.hpp"

namespace tradewind::spectral {

namespace {

long double precise_epsilon(std::int64_t n, std::int64_t m) noexcept {
    const auto square = (long double)(n)*n;
    return std::sqrt((square - (long double)(m)*m) / (4 * square - 1));
}

}  // namespace

double epsilon(std::int64_t n, std::int64_t m) noexcept {
    return double(precise_epsilon(n, m));
}

/// The exponents of long double reach 10^-4932. Hence cos^m of the latitude next to the pole does
/// not vanish below truncations of some thousands. If long double is double, it vanishes from about
/// T150 on, together with values that are below 10^-250 at every degree.
std::vector<double> legendre_functions(std::int64_t m, std::int64_t last, double mu) {
    const long double x = mu;
    const long double cosine = std::sqrt((1 - x) * (1 + x));
    long double value = std::sqrt(0.5L);
    for (std::int64_t k = 1; k <= m; ++k) {
        value *= cosine * std::sqrt(((long double)(2 * k) + 1) / (long double)(2 * k));
    }
    std::vector<double> values;
    values.reserve(std::size_t(last - m + 1));
    long double before = 0.0L;
    long double eps = 0.0L;
    for (std::int64_t n = m; n <= last; ++n) {
        values.push_back(double(value));
        const long double next_eps = precise_epsilon(n + 1, m);
        const long double next = (x * value - eps * before) / next_eps;
        before = value;
        value = next;
        eps = next_eps;
    }
    return values;
}

LegendreTransform::LegendreTransform(std::int64_t truncation, const GaussNodes& nodes,
                                     LatitudePairs pairs, std::vector<std::int64_t> waves)
    : truncation_(truncation), pairs_(pairs.count), waves_(std::move(waves)) {
    for (std::int64_t pair = 0; pair < pairs_; ++pair)
        weight_.push_back(nodes.weight[std::size_t(pairs.first + pair)]);
    first_row_.push_back(0);
    for (std::size_t i = 0; i < waves_.size(); ++i) {
        const std::int64_t m = waves_[i];
        first_row_.push_back(first_row_.back() + degrees(i));
        for (const int parity : {0, 1}) {
            start_.push_back(values_.size());
            values_.resize(values_.size() + std::size_t(rows(i, parity) * pairs_));
        }
        for (std::int64_t pair = 0; pair < pairs_; ++pair) {
            check_interrupts(8 * (truncation + 2));
            const auto column =
                legendre_functions(m, truncation + 1, nodes.mu[std::size_t(pairs.first + pair)]);
            for (std::size_t k = 0; k < column.size(); ++k) {
                values_[start_[2 * i + k % 2] + k / 2 * std::size_t(pairs_) + std::size_t(pair)] =
                    column[k];
            }
        }
    }
}

}  // namespace tradewind::spectral
