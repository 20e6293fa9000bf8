/// Case 3: a steady jet with compact support, infinitely differentiable.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tradewind/models/williamson/cases.hpp"
#include "tradewind/models/williamson/zonal.hpp"

namespace tradewind::williamson {

namespace {

constexpr double level = 2.94e4;
constexpr double jet_width = 0.3;
constexpr double jet_begin = -std::numbers::pi / 6;
constexpr double jet_end = std::numbers::pi / 2;

double bump(double x) {
    return x > 0 ? std::exp(-1 / x) : 0.0;
}

double jet(double theta) {
    const double x = jet_width * (theta - jet_begin) / (jet_end - jet_begin);
    return revolution_speed * bump(x) * bump(jet_width - x) * std::exp(4 / jet_width);
}

class CompactJet final : public TestCase {
public:
    explicit CompactJet(double alpha) : axis_(alpha), balance_(level, jet) {}

    [[nodiscard]] FlowState initial(LonLat at) const override {
        const double theta = std::asin(std::clamp(axis_.sine(at), -1.0, 1.0));
        const double speed = jet(theta);
        // The jet is zero at the poles of the axis, where the unit wind vanishes.
        const double factor = speed > 0 ? speed / std::cos(theta) : 0.0;
        const HorizontalWind unit = axis_.rotation_wind(at);
        return {{factor * unit.east, factor * unit.north}, balance_(theta)};
    }
    [[nodiscard]] double coriolis(LonLat at) const override {
        return 2 * rotation * axis_.sine(at);
    }
    [[nodiscard]] bool has_solution() const override { return true; }

private:
    RotationAxis axis_;
    BalancedGeopotential balance_;
};

}  // namespace

std::unique_ptr<TestCase> make_case3(double alpha) {
    return std::make_unique<CompactJet>(alpha);
}

}  // namespace tradewind::williamson
