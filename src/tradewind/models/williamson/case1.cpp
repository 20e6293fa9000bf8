/// Case 1: a cosine bell is advected once around the sphere by solid-body rotation.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tradewind/models/williamson/cases.hpp"
#include "tradewind/models/williamson/zonal.hpp"

namespace tradewind::williamson {

namespace {

constexpr double bell_height = 1000.0;
constexpr double bell_radius = radius / 3;
constexpr LonLat bell_centre{3 * std::numbers::pi / 2, 0.0};

/// Cartesian coordinates on the unit sphere.
struct Vector {
    double x;
    double y;
    double z;
};

class CosineBell final : public TestCase {
public:
    explicit CosineBell(double alpha)
        : axis_(alpha), sine_(std::sin(alpha)), cosine_(std::cos(alpha)) {}

    [[nodiscard]] FlowState initial(LonLat at) const override { return solution(at, 0.0); }
    [[nodiscard]] double coriolis(LonLat at) const override {
        return 2 * rotation * axis_.sine(at);
    }
    [[nodiscard]] bool has_solution() const override { return true; }
    [[nodiscard]] bool wind_is_given() const override { return true; }
    [[nodiscard]] FlowState solution(LonLat at, double time) const override {
        const HorizontalWind unit = axis_.rotation_wind(at);
        const Vector centre = turned(revolution_speed / radius * time);
        const double cosine = std::cos(at.theta) * std::cos(at.lambda) * centre.x +
                              std::cos(at.theta) * std::sin(at.lambda) * centre.y +
                              std::sin(at.theta) * centre.z;
        const double distance = radius * std::acos(std::clamp(cosine, -1.0, 1.0));
        const double height =
            distance < bell_radius
                ? 0.5 * bell_height * (1 + std::cos(std::numbers::pi * distance / bell_radius))
                : 0.0;
        return {{revolution_speed * unit.east, revolution_speed * unit.north}, gravity * height};
    }

private:
    /// Returns the bell's centre after a rotation by `angle` about the axis (-sin alpha, 0, cos
    /// alpha), by Rodrigues' formula.
    [[nodiscard]] Vector turned(double angle) const {
        const Vector start{std::cos(bell_centre.theta) * std::cos(bell_centre.lambda),
                           std::cos(bell_centre.theta) * std::sin(bell_centre.lambda),
                           std::sin(bell_centre.theta)};
        const Vector cross{-cosine_ * start.y, cosine_ * start.x + sine_ * start.z,
                           -sine_ * start.y};
        const double along = (1 - std::cos(angle)) * (cosine_ * start.z - sine_ * start.x);
        const double c = std::cos(angle);
        const double s = std::sin(angle);
        return {c * start.x + s * cross.x - along * sine_, c * start.y + s * cross.y,
                c * start.z + s * cross.z + along * cosine_};
    }

    RotationAxis axis_;
    double sine_;
    double cosine_;
};

}  // namespace

std::unique_ptr<TestCase> make_case1(double alpha) {
    return std::make_unique<CosineBell>(alpha);
}

}  // namespace tradewind::williamson
