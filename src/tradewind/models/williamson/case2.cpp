/// Case 2: steady solid-body rotation in geostrophic balance.
#include "tradewind/models/williamson/cases.hpp"
#include "tradewind/models/williamson/zonal.hpp"

namespace tradewind::williamson {

namespace {

constexpr double level = 2.94e4;

/// Solid-body rotation with g h = 2.94e4 - (a Omega u0 + u0^2 / 2) sin^2 of the latitude about the
/// axis.
class SolidRotation final : public TestCase {
public:
    explicit SolidRotation(double alpha) : axis_(alpha) {}

    [[nodiscard]] FlowState initial(LonLat at) const override {
        constexpr double u0 = revolution_speed;
        const HorizontalWind unit = axis_.rotation_wind(at);
        const double sine = axis_.sine(at);
        return {{u0 * unit.east, u0 * unit.north},
                level - (radius * rotation * u0 + 0.5 * u0 * u0) * sine * sine};
    }
    [[nodiscard]] double coriolis(LonLat at) const override {
        return 2 * rotation * axis_.sine(at);
    }
    [[nodiscard]] bool has_solution() const override { return true; }

private:
    RotationAxis axis_;
};

}  // namespace

std::unique_ptr<TestCase> make_case2(double alpha) {
    return std::make_unique<SolidRotation>(alpha);
}

}  // namespace tradewind::williamson
