#include "tradewind/models/fvwam/sources/breaking.hpp"

#include "tradewind/models/fvwam/sources/vectors.hpp"

namespace tradewind::fvwam {

namespace {

/// Below this b fewer than one of 10^21 waves breaks.
constexpr double least_b = 0.02;
constexpr int most_iterations = 60;

}  // namespace

double breaking_fraction(double b) {
    if (b >= 1) return 1.0;
    if (b < least_b) return 0.0;
    double q = 0.0;
    for (int i = 0; i < most_iterations; ++i) {
        const double power = exponential_of((q - 1) / b);
        const double change = (power - q) / (1 - power / b);
        if (!(change > 1e-16 * q)) break;
        q += change;
    }
    return q;
}

double breaking(double energy, double frequency, double depth) {
    const double highest = breaker_index * depth;
    const double b = 8 * energy / (highest * highest);
    if (b < least_b) return 0.0;
    const double fraction = breaking_fraction(b);
    return 2 * frequency * (b < 1 ? fraction / b : 1.0);
}

double largest_energy(double depth) {
    const double deviation = 0.25 * breaker_index * depth;
    return deviation * deviation;
}

}  // namespace tradewind::fvwam
