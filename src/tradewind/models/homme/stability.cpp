/// Finds eigenvalues by power iteration on a periodic row of elements.
#include "tradewind/models/homme/stability.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tradewind/models/homme/mesh/geometry.hpp"

namespace tradewind::homme {

namespace {

/// The imaginary extent of the stability region of the Runge-Kutta method.
constexpr double imaginary_limit = 3.87;

/// A periodic row of elements; `order` derivatives are taken, then assembled.
class ElementRow {
public:
    explicit ElementRow(const GaussLobatto& rule) : rule_(rule), values_(size()) {
        for (std::size_t n = 0; n < values_.size(); ++n)
            values_[n] = std::sin(double(n * n)) + 0.1 * double(n % 3);
    }

    /// Returns the factor by which two applications of the operator enlarge the values.
    template <class Apply>
    double enlarge(const Apply& apply) {
        double factor = 0.0;
        for (int iteration = 0; iteration < 400; ++iteration) {
            auto next = apply(apply(values_));
            const double length = norm(next);
            factor = length / norm(values_);
            for (double& value : next) value /= length;
            values_ = std::move(next);
        }
        return factor;
    }
    [[nodiscard]] std::vector<double> derivative(const std::vector<double>& f) const {
        return assemble(f, [&](const auto& element, int i) {
            double sum = 0.0;
            for (int k = 0; k < rule_.count(); ++k) sum += rule_.derivative(i, k) * element(k);
            return rule_.weights[std::size_t(i)] * sum;
        });
    }
    [[nodiscard]] std::vector<double> laplacian(const std::vector<double>& f) const {
        return assemble(f, [&](const auto& element, int m) {
            double sum = 0.0;
            for (int i = 0; i < rule_.count(); ++i) {
                double slope = 0.0;
                for (int k = 0; k < rule_.count(); ++k)
                    slope += rule_.derivative(i, k) * element(k);
                sum -= rule_.weights[std::size_t(i)] * rule_.derivative(i, m) * slope;
            }
            return sum;
        });
    }

private:
    static constexpr int elements = 12;
    [[nodiscard]] std::size_t size() const { return std::size_t(elements * (rule_.count() - 1)); }
    [[nodiscard]] double norm(const std::vector<double>& f) const {
        double sum = 0.0;
        for (const double value : f) sum += value * value;
        return std::sqrt(sum);
    }
    template <class Local>
    [[nodiscard]] std::vector<double> assemble(const std::vector<double>& f,
                                               const Local& local) const {
        std::vector<double> sum(size());
        std::vector<double> mass(size());
        for (int e = 0; e < elements; ++e) {
            const auto node = [&](int i) {
                return std::size_t(e * (rule_.count() - 1) + i) % size();
            };
            const auto element = [&](int k) { return f[node(k)]; };
            for (int i = 0; i < rule_.count(); ++i) {
                sum[node(i)] += local(element, i);
                mass[node(i)] += rule_.weights[std::size_t(i)];
            }
        }
        for (std::size_t n = 0; n < sum.size(); ++n) sum[n] /= mass[n];
        return sum;
    }

    const GaussLobatto& rule_;
    std::vector<double> values_;
};

}  // namespace

Spectrum spectrum_of(const GaussLobatto& rule) {
    ElementRow slopes(rule);
    ElementRow bends(rule);
    return {std::sqrt(slopes.enlarge([&](const auto& f) { return slopes.derivative(f); })),
            std::sqrt(bends.enlarge([&](const auto& f) { return bends.laplacian(f); }))};
}

double finest_spacing(std::int64_t ne, const GaussLobatto& rule, double radius) {
    // Maps of finer meshes differ by their scale only.
    const std::int64_t sampled = std::min<std::int64_t>(ne, 32);
    const CubedSphere mesh(sampled);
    const CubeGeometry geometry(mesh, rule);
    double largest = 0.0;
    for (std::int64_t e = 0; e < sampled * sampled; ++e) {
        for (int n = 0; n < rule.count() * rule.count(); ++n) {
            const Matrix2 m = geometry.point(e, n % rule.count(), n / rule.count()).from_sphere;
            const double half = 0.5 * (m[0] * m[0] + m[1] * m[1] + m[2] * m[2] + m[3] * m[3]);
            const double determinant = m[0] * m[3] - m[1] * m[2];
            const double root = std::sqrt(std::max(0.0, half * half - determinant * determinant));
            largest = std::max(largest, std::sqrt(half + root));
        }
    }
    return largest * double(ne) / double(sampled) / radius;
}

StableSteps stable_steps(const WaveLimits& waves, const GaussLobatto& rule, double hyperviscosity) {
    const Spectrum spectrum = spectrum_of(rule);
    const double wave = std::sqrt(2.0) * spectrum.derivative * waves.finest * waves.speed;
    const double decay = 2 * spectrum.laplacian * waves.finest * waves.finest;
    return {imaginary_limit / wave, hyperviscosity > 0 ? 2.0 / (hyperviscosity * decay * decay)
                                                       : std::numeric_limits<double>::infinity()};
}

StableSteps stable_dg_steps(const WaveLimits& waves, double wave_speed, double viscosity) {
    // Found by trial with np = 6 and ne = 4 and 8: 85 % of the limits of waves and of the damping
    // in the fluxes over 300 steps; where both matter, this combination fits those found.
    constexpr double wave_limit = 0.85 * 0.179;
    constexpr double damping_limit = 0.85 * 0.0953;
    constexpr double viscous_limit = 2.5 / 800.0;
    const double turning = waves.speed * waves.finest / wave_limit;
    const double damping = wave_speed * waves.finest / damping_limit;
    return {1.0 / std::cbrt(turning * turning * turning + damping * damping * damping),
            viscosity > 0 ? viscous_limit / (viscosity * waves.finest * waves.finest)
                          : std::numeric_limits<double>::infinity()};
}

}  // namespace tradewind::homme
