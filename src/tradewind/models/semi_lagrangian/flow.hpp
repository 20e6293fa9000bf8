/// Flow: a wind that is known everywhere and at all times, and a tracer whose fate in it is known.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "tradewind/models/semi_lagrangian/sphere.hpp"

namespace tradewind::semi_lagrangian {

/// The air between height 0 and this; m.
inline constexpr double top = 12000.0;
/// After this time the tracer of every flow is where it was; s.
inline constexpr double period = 12 * 86400.0;

class Flow {
public:
    virtual ~Flow() = default;
    [[nodiscard]] virtual Wind wind(const Place& at, double time) const = 0;
    /// The tracer at time 0.
    [[nodiscard]] virtual double initial(const Place& at) const = 0;
    /// Whether `exact` knows the tracer at this time.
    [[nodiscard]] virtual bool is_known(double time) const;
    [[nodiscard]] virtual double exact(const Place& at, double /*time*/) const {
        return initial(at);
    }
};

struct FlowEntry {
    std::string_view name;
    std::string_view summary;
    /// `alpha`: angle between the axis of solid-body rotation and the poles, in radians.
    std::unique_ptr<Flow> (*make)(double alpha);
};

[[nodiscard]] std::span<const FlowEntry> flows();
/// Throws ConfigError, naming the known ones.
[[nodiscard]] std::unique_ptr<Flow> make_flow(std::string_view name, double alpha);

}  // namespace tradewind::semi_lagrangian
