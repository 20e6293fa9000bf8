/// Case 5: zonal flow over an isolated mountain.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tradewind/models/williamson/cases.hpp"

namespace tradewind::williamson {

namespace {

constexpr double speed = 20.0;
constexpr double level = 5960.0;
constexpr double mountain_height = 2000.0;
constexpr double mountain_radius = std::numbers::pi / 9;
constexpr LonLat mountain{3 * std::numbers::pi / 2, std::numbers::pi / 6};

class Mountain final : public TestCase {
public:
    [[nodiscard]] FlowState initial(LonLat at) const override {
        const double sine = std::sin(at.theta);
        const double surface =
            gravity * level - (radius * rotation * speed + 0.5 * speed * speed) * sine * sine;
        return {{speed * std::cos(at.theta), 0.0}, surface - ground(at)};
    }
    [[nodiscard]] double ground(LonLat at) const override {
        const double x = at.lambda - mountain.lambda;
        const double y = at.theta - mountain.theta;
        const double distance = std::min(mountain_radius, std::sqrt(x * x + y * y));
        return gravity * mountain_height * (1 - distance / mountain_radius);
    }
};

}  // namespace

std::unique_ptr<TestCase> make_case5(double /*alpha*/) {
    return std::make_unique<Mountain>();
}

}  // namespace tradewind::williamson
