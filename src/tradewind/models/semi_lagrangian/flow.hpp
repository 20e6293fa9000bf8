/// Flow: a wind that is known everywhere and at all times, and a tracer whose evolution in it is
/// known.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "tradewind/models/semi_lagrangian/sphere.hpp"

namespace tradewind::semi_lagrangian {

/// The upper end of the air in metres; the lower end is 0.
inline constexpr double top = 12000.0;
/// The time in seconds after which the tracer of every flow has returned to its initial state.
inline constexpr double period = 12 * 86400.0;

class Flow {
public:
    virtual ~Flow() = default;
    [[nodiscard]] virtual Wind wind(const SpherePoint& at, double time) const = 0;
    /// Returns the tracer at time 0.
    [[nodiscard]] virtual double initial(const SpherePoint& at) const = 0;
    /// Returns whether `exact` knows the tracer at this time.
    [[nodiscard]] virtual bool is_known(double time) const;
    [[nodiscard]] virtual double exact(const SpherePoint& at, double /*time*/) const {
        return initial(at);
    }
};

struct FlowEntry {
    std::string_view name;
    std::string_view summary;
    /// A function that makes the flow. `alpha` is the angle in radians between the axis of
    /// solid-body rotation and the poles.
    std::unique_ptr<Flow> (*make)(double alpha);
};

[[nodiscard]] std::span<const FlowEntry> flows();
/// Returns a flow by name. Throws ConfigError with the known names.
[[nodiscard]] std::unique_ptr<Flow> make_flow(std::string_view name, double alpha);

}  // namespace tradewind::semi_lagrangian
