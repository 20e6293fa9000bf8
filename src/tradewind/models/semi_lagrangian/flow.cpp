/// The flows: solid-body rotation (williamson1992, case 1), deformation (nair2010, case 4, in the
/// units of lauritzen2012), and deformation with vertical motion (DCMIP 2012, test 1-1; kent2014).
#include "tradewind/models/semi_lagrangian/flow.hpp"

#include <algorithm>
#include <string>

#include "tradewind/base/errors.hpp"

namespace tradewind::semi_lagrangian {

namespace {

constexpr double mean_speed = 2 * pi * radius / period;

/// Returns the angle between two places on the sphere.
[[nodiscard]] double distance(const SpherePoint& a, const SpherePoint& b) {
    return angle_between(direction_to(a.longitude, a.latitude),
                         direction_to(b.longitude, b.latitude));
}

/// A cosine bell on the equator that goes once around in 12 days; levels carry 1/2 ... 1 of it.
class SolidBody final : public Flow {
public:
    explicit SolidBody(double alpha)
        : alpha_(alpha), axis_{-std::sin(alpha), 0.0, std::cos(alpha)} {}

    Wind wind(const SpherePoint& at, double /*time*/) const override {
        return {mean_speed * (std::cos(at.latitude) * std::cos(alpha_) +
                              std::sin(at.latitude) * std::cos(at.longitude) * std::sin(alpha_)),
                -mean_speed * std::sin(at.longitude) * std::sin(alpha_), 0.0};
    }
    double initial(const SpherePoint& at) const override {
        constexpr double width = 1.0 / 3.0;
        const double r = distance(at, {1.5 * pi, 0.0, 0.0});
        const double level = 0.5 + 0.5 * at.height / top;
        return r < width ? level * 500.0 * (1.0 + std::cos(pi * r / width)) : 0.0;
    }
    bool is_known(double /*time*/) const override { return true; }
    double exact(const SpherePoint& at, double time) const override {
        const Vector3 now = direction_to(at.longitude, at.latitude);
        return initial(place_at(rotated(now, axis_, -2 * pi * time / period), at.height));
    }

private:
    double alpha_;
    Vector3 axis_;
};

/// Returns the horizontal wind that both deforming flows share. It reverses at half time, while all
/// of it rotates about the poles.
[[nodiscard]] Wind deforming_wind(const SpherePoint& at, double time) {
    constexpr double speed = 10 * radius / period;
    const double longitude = at.longitude - 2 * pi * time / period;
    const double fade = std::cos(pi * time / period);
    const double s = std::sin(longitude);
    return {speed * s * s * std::sin(2 * at.latitude) * fade + mean_speed * std::cos(at.latitude),
            speed * std::sin(2 * longitude) * std::cos(at.latitude) * fade, 0.0};
}

constexpr SpherePoint left{5 * pi / 6, 0.0, 0.0};
constexpr SpherePoint right{7 * pi / 6, 0.0, 0.0};

/// Two smooth hills that are drawn out into filaments and back.
class Deformation final : public Flow {
public:
    Wind wind(const SpherePoint& at, double time) const override {
        return deforming_wind(at, time);
    }
    double initial(const SpherePoint& at) const override {
        const double level = 0.5 + 0.5 * at.height / top;
        return level * (hill(at, left) + hill(at, right));
    }

private:
    /// Returns 0.95 exp(-5 |x - x0|^2), |x - x0| the chord.
    [[nodiscard]] static double hill(const SpherePoint& at, const SpherePoint& centre) {
        const double half_chord = std::sin(0.5 * distance(at, centre));
        return 0.95 * std::exp(-20.0 * half_chord * half_chord);
    }
};

/// A deforming flow with divergent wind and vertical motion, up and down once. The tracer is two
/// bells of 1 km half height at 5 km.
class DeformationInHeight final : public Flow {
public:
    Wind wind(const SpherePoint& at, double time) const override {
        Wind result = deforming_wind(at, time);
        const double p = surface_pressure * std::exp(-at.height / scale_height());
        const double above = std::exp((p - surface_pressure) / (shape * top_pressure()));
        const double below = std::exp((top_pressure() - p) / (shape * top_pressure()));
        const double ends =
            1.0 + std::exp((top_pressure() - surface_pressure) / (shape * top_pressure()));
        const double longitude = at.longitude - 2 * pi * time / period;
        const double fade = std::cos(2 * pi * time / period) * std::cos(at.latitude);
        result.east += omega * radius / (shape * top_pressure()) * std::cos(longitude) *
                       std::cos(at.latitude) * fade * (below - above);
        result.up = -gas_constant * temperature / (gravity * p) * omega * std::sin(longitude) *
                    fade * (ends - above - below);
        return result;
    }
    double initial(const SpherePoint& at) const override {
        return bell(at, left) + bell(at, right);
    }

private:
    static constexpr double omega = 23000.0 * pi / period;  // Pa/s
    static constexpr double shape = 0.2;
    static constexpr double surface_pressure = 1e5;  // Pa
    static constexpr double temperature = 300.0;     // K
    static constexpr double gas_constant = 287.0;    // J/(kg K)
    static constexpr double gravity = 9.80616;       // m/s^2

    [[nodiscard]] static double scale_height() { return gas_constant * temperature / gravity; }
    [[nodiscard]] static double top_pressure() {
        return surface_pressure * std::exp(-top / scale_height());
    }
    [[nodiscard]] static double bell(const SpherePoint& at, const SpherePoint& centre) {
        const double across = distance(at, centre) / 0.5;
        const double up = (at.height - 5000.0) / 1000.0;
        return 0.5 * (1.0 + std::cos(pi * std::min(1.0, across * across + up * up)));
    }
};

constexpr FlowEntry table[] = {
    {"solid_body", "solid-body rotation of a cosine bell, 12 days once round, any axis",
     [](double alpha) -> std::unique_ptr<Flow> { return std::make_unique<SolidBody>(alpha); }},
    {"deformation", "deformation of two hills that come back after 12 days",
     [](double /*alpha*/) -> std::unique_ptr<Flow> { return std::make_unique<Deformation>(); }},
    {"dcmip_1_1", "the same with vertical motion, two bells in height (DCMIP 2012, test 1-1)",
     [](double /*alpha*/) -> std::unique_ptr<Flow> {
         return std::make_unique<DeformationInHeight>();
     }},
};

}  // namespace

bool Flow::is_known(double time) const {
    return std::abs(time) < 1e-6 || std::abs(time - period) < 1e-6;
}

std::span<const FlowEntry> flows() {
    return table;
}

std::unique_ptr<Flow> make_flow(std::string_view name, double alpha) {
    std::string known;
    for (const FlowEntry& one : table) {
        if (one.name == name) return one.make(alpha);
        known += text(known.empty() ? "" : ", ", one.name);
    }
    throw ConfigError(
        text("semi_lagrangian: case = \"", name, "\" is unknown; known are: ", known));
}

}  // namespace tradewind::semi_lagrangian
