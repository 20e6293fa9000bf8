/// Finds the nodes by Newton's method, then weights and derivatives from Legendre polynomials.
#include "tradewind/models/homme/mesh/gauss_lobatto.hpp"

#include <cmath>
#include <numbers>

namespace tradewind::homme {

namespace {

/// Returns the zero of the derivative of the Legendre polynomial of `degree` next to x. Newton's
/// step follows from (1 - x^2) P'' = 2 x P' - n (n + 1) P.
[[nodiscard]] double extremum(int degree, double x) {
    for (int iteration = 0; iteration < 100; ++iteration) {
        const auto [value, lower] = legendre(degree, x);
        const double slope = degree * (lower - x * value) / (1 - x * x);
        const double bend = (2 * x * slope - degree * (degree + 1) * value) / (1 - x * x);
        const double step = slope / bend;
        x -= step;
        if (std::abs(step) < 1e-16) break;
    }
    return x;
}

}  // namespace

LegendrePair legendre(int degree, double x) {
    double lower = 0.0;
    double value = 1.0;
    for (int n = 1; n <= degree; ++n) {
        const double next = ((2 * n - 1) * x * value - (n - 1) * lower) / n;
        lower = value;
        value = next;
    }
    return {value, lower};
}

GaussLobatto::GaussLobatto(int count)
    : nodes(std::size_t(count)),
      weights(std::size_t(count)),
      derivatives(std::size_t(count) * std::size_t(count)) {
    const int degree = count - 1;
    for (int i = 0; i <= degree / 2; ++i) {
        const double guess = -std::cos(std::numbers::pi * i / degree);
        double node = i == 0 ? -1.0 : extremum(degree, guess);
        if (2 * i == degree) node = 0.0;
        const double value = legendre(degree, node).value;
        const double weight = 2.0 / (degree * (degree + 1) * value * value);
        nodes[std::size_t(i)] = node;
        nodes[std::size_t(degree - i)] = -node;
        weights[std::size_t(i)] = weights[std::size_t(degree - i)] = weight;
    }
    for (int i = 0; i < count; ++i) {
        double sum = 0.0;
        for (int k = 0; k < count; ++k) {
            if (i == k) continue;
            const double x = nodes[std::size_t(i)];
            const double y = nodes[std::size_t(k)];
            const double value = legendre(degree, x).value / (legendre(degree, y).value * (x - y));
            derivatives[std::size_t(i * count + k)] = value;
            sum += value;
        }
        derivatives[std::size_t(i * count + i)] = -sum;
    }
}

std::vector<double> GaussLobatto::polynomials_at(double x) const {
    std::vector<double> values;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        double value = 1.0;
        for (std::size_t m = 0; m < nodes.size(); ++m)
            if (m != k) value *= (x - nodes[m]) / (nodes[k] - nodes[m]);
        values.push_back(value);
    }
    return values;
}

}  // namespace tradewind::homme
