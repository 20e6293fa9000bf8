/// Newton's method on the Legendre polynomial, in extended precision.
#include "tradewind/models/spectral/gauss.hpp"

#include <cmath>
#include <numbers>

#include "tradewind/base/errors.hpp"
#include "tradewind/base/interrupts.hpp"

namespace tradewind::spectral {

namespace {

struct Legendre {
    long double value;
    long double derivative;
};

/// Returns P_n(x) and its derivative by the three-term recurrence; x is not +-1.
Legendre legendre(std::int64_t n, long double x) {
    long double before = 1.0L;
    long double value = x;
    for (std::int64_t k = 2; k <= n; ++k) {
        const auto order = (long double)(k);
        const long double next = ((2 * order - 1) * x * value - (order - 1) * before) / order;
        before = value;
        value = next;
    }
    return {value, (long double)(n) * (x * value - before) / (x * x - 1)};
}

}  // namespace

GaussNodes gauss_nodes(std::int64_t count) {
    if (count < 1) throw ConfigError(text("gauss_nodes: ", count, " nodes; at least 1 are needed"));
    GaussNodes nodes{std::vector<double>(std::size_t(count), 0.0),
                     std::vector<double>(std::size_t(count), 2.0)};
    if (count == 1) return nodes;
    for (std::int64_t i = 0; i < (count + 1) / 2; ++i) {
        check_interrupts(8 * count);
        long double x = std::cos(std::numbers::pi_v<long double> * ((long double)(i) + 0.75L) /
                                 ((long double)(count) + 0.5L));
        Legendre at = legendre(count, x);
        for (int iteration = 0; iteration < 8; ++iteration) {
            x -= at.value / at.derivative;
            at = legendre(count, x);
        }
        if (2 * i + 1 == count) x = 0.0L;
        const auto north = std::size_t(i);
        const auto south = std::size_t(count - 1 - i);
        nodes.mu[north] = double(x);
        nodes.mu[south] = -double(x);
        const auto weight = double(2 / ((1 - x * x) * at.derivative * at.derivative));
        nodes.weight[north] = weight;
        nodes.weight[south] = weight;
    }
    return nodes;
}

}  // namespace tradewind::spectral
