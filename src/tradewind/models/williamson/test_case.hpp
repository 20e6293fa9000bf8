/// TestCase: an initial state of the shallow water equations on the sphere, and its known
/// evolution. The cases are those of williamson1992, as coded in STSWM (Hack and Jakob).
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "tradewind/base/settings.hpp"

namespace tradewind::williamson {

/// Constants of the sphere in all cases.
inline constexpr double radius = 6.37122e6;   // m
inline constexpr double rotation = 7.292e-5;  // 1/s
inline constexpr double gravity = 9.80616;    // m/s^2
inline constexpr double seconds_per_day = 86400.0;

/// Longitude and latitude, in radians.
struct LonLat {
    double lambda;
    double theta;
};

struct HorizontalWind {
    double east;   // m/s
    double north;  // m/s
};

/// The flow at one point: its wind, and the geopotential g h* of the depth h* of the fluid.
struct FlowState {
    HorizontalWind wind;
    double geopotential;  // m^2/s^2
};

/// The terms that are added to d(wind)/dt and d(geopotential)/dt.
struct Forcing {
    HorizontalWind wind;
    double geopotential;
};

class TestCase {
public:
    virtual ~TestCase() = default;
    [[nodiscard]] virtual FlowState initial(LonLat at) const = 0;
    /// Returns the geopotential of the ground.
    [[nodiscard]] virtual double ground(LonLat /*at*/) const { return 0.0; }
    [[nodiscard]] virtual double coriolis(LonLat at) const;
    /// Returns whether the flow is known at all times.
    [[nodiscard]] virtual bool has_solution() const { return false; }
    /// Returns the flow at `time`, if it is known.
    [[nodiscard]] virtual FlowState solution(LonLat at, double /*time*/) const {
        return initial(at);
    }
    /// Returns the part of the solution that norms leave out: they divide by the rest.
    [[nodiscard]] virtual FlowState background(LonLat /*at*/) const { return {{0.0, 0.0}, 0.0}; }
    [[nodiscard]] virtual bool is_forced() const { return false; }
    [[nodiscard]] virtual Forcing forcing(LonLat /*at*/, double /*time*/) const { return {}; }
    /// Returns whether the wind is prescribed, so that only the depth is advected.
    [[nodiscard]] virtual bool wind_is_given() const { return false; }
};

struct CaseEntry {
    std::int64_t number;
    std::string_view summary;
    /// A function that makes the case. `alpha` is the angle in radians between the axis of the flow
    /// and that of the Earth; only cases 1 to 3 accept one other than 0.
    std::unique_ptr<TestCase> (*make)(double alpha);
    bool takes_alpha;
    double days;
};

[[nodiscard]] std::span<const CaseEntry> test_cases();
/// Returns the entry of a case. Throws ConfigError for a number that is not in the table.
[[nodiscard]] const CaseEntry& test_case(std::int64_t number);
/// Makes a case. Throws ConfigError for an unknown number, or for an angle that the case does not
/// allow.
[[nodiscard]] std::unique_ptr<TestCase> make_test_case(std::int64_t number, double alpha);

}  // namespace tradewind::williamson
