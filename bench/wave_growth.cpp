/// Growth of waves with time and with fetch beside the KC92 curve (kahma1992), as tables.
///
/// Usage: wave_growth [STEP]     the time step of the source terms in s (default 300)
#include <cstdio>
#include <cstdlib>

#include "fvwam_waves.hpp"
#include "tradewind/models/fvwam/sources/air_flow.hpp"

using namespace tradewind::fvwam;

namespace {

constexpr double hour = 3600.0;

const char* name_of(Physics physics) {
    return physics == Physics::wam4 ? "wam4" : "wam3";
}

/// Prints the sea of one cell at some hours, beside the curve at the fetch that waves then have.
void print_duration(Physics physics, double speed, double step) {
    const Wind wind{speed, 0.3};
    WaveCell<float> cell({36, 35}, physics, step, 5000.0);
    cell.set_jonswap(wind, 1.0);
    double time = 0.0;
    for (const double end : {1, 3, 6, 12, 24, 48, 72}) {
        for (; time < end * hour - 0.5 * step; time += step) cell.advance(wind);
        const SeaState state = cell.state();
        const auto velocity = double(cell.roughness.friction_velocity);
        const auto beside = [&](double scale, const FetchCurve& curve) {
            return beside_kc92(state, fetch_after(time, default_fetch, scale, curve), scale, curve);
        };
        std::printf("%s %4.0f %4.0f %7.3f %9.2e %7.4f %6.2f %6.3f %7.3f %7.3f\n", name_of(physics),
                    speed, end, state.significant_height, scaled_energy(state, speed),
                    speed / gravity / state.peak_period, state.mean_period, velocity,
                    beside(speed, kc92_by_wind).height, beside(velocity, kc92_by_friction).height);
    }
}

/// Prints the seas of a coast beside the curve, scaled by U and by u*.
void print_fetch(Physics physics, double speed, double step, double largest_drag) {
    Coast coast(physics, speed, step, largest_drag);
    coast.run(48 * hour);
    for (std::size_t i = 2; i < coast.cells(); i += 2) {
        const SeaState state = coast.state(i);
        const double fetch = coast.fetch(i);
        const double velocity = coast.friction_velocity(i);
        const CurveRatios wind = beside_kc92(state, fetch, speed, kc92_by_wind);
        const CurveRatios friction = beside_kc92(state, fetch, velocity, kc92_by_friction);
        std::printf("%s %4.0f %6.1f %7.3f %7.4f %7.3f %7.3f %7.3f %7.3f %8.2e\n", name_of(physics),
                    speed, fetch / 1e3, state.significant_height, 1 / state.peak_period,
                    wind.height, wind.frequency, friction.height, friction.frequency,
                    velocity * velocity / (speed * speed));
    }
}

}  // namespace

int main(int count, char** arguments) {
    const double step = count > 1 ? std::atof(arguments[1]) : 300.0;
    std::printf("physics U h Hs E* fp* Tm u* Hs/KC92(U) Hs/KC92(u*)\n");
    for (const Physics physics : {Physics::wam4, Physics::wam3})
        for (const double speed : {10.0, 20.0}) print_duration(physics, speed, step);
    std::printf("physics U km Hs fp Hs/KC92(U) fp/KC92(U) Hs/KC92(u*) fp/KC92(u*) drag\n");
    for (const double drag : {1.0, observed_largest_drag}) {
        std::printf("largest drag %g\n", drag);
        for (const Physics physics : {Physics::wam4, Physics::wam3})
            for (const double speed : {10.0, 20.0}) print_fetch(physics, speed, step, drag);
    }
}
