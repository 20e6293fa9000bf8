/// The test cases of williamson1992 against exact solutions and numbers of STSWM in double
/// precision (T42 unless said otherwise).
#include <cmath>
#include <numbers>

#include "models/model_runs.hpp"
#include "testing.hpp"

using namespace tradewind;
using namespace tradewind::pstswm;

namespace {

bool near(double found, double expected, double relative) {
    return std::abs(found - expected) <= relative * std::abs(expected);
}

/// Returns a snapshot of the analytic initial state, with the vorticity of the model's initial
/// state.
Snapshot analytic_start(const RecordedRun& run) {
    Snapshot state = run.snapshots.front();
    for (std::int64_t j = 0; j < run.plan.latitudes; ++j) {
        for (std::int64_t i = 0; i < run.plan.longitudes; ++i) {
            const FlowState flow =
                run.plan.test_case->initial({run.plan.longitude(i), run.plan.latitude(j)});
            const auto p = std::size_t(j * run.plan.longitudes + i);
            state.depth[p] = flow.geopotential / gravity;
            state.east_wind[p] = flow.wind.east;
            state.north_wind[p] = flow.wind.north;
        }
    }
    return state;
}

/// Case 4 with the forcing of STSWM. The second of the two calls that make the first step covers a
/// whole step from the start with the tendencies of dt / 2. It uses the forcing of the start,
/// because the forcing routine of STSWM counts time in whole steps.
class ForcedAsStswm final : public TestCase {
public:
    explicit ForcedAsStswm(double time_step)
        : inner_(make_test_case(4, 0.0)), half_step_(0.5 * time_step) {}

    [[nodiscard]] FlowState initial(LonLat at) const override { return inner_->initial(at); }
    [[nodiscard]] bool has_solution() const override { return true; }
    [[nodiscard]] FlowState solution(LonLat at, double time) const override {
        return inner_->solution(at, time);
    }
    [[nodiscard]] FlowState background(LonLat at) const override { return inner_->background(at); }
    [[nodiscard]] bool is_forced() const override { return true; }
    [[nodiscard]] Forcing forcing(LonLat at, double time) const override {
        return inner_->forcing(at, time == half_step_ ? 0.0 : time);
    }

private:
    std::unique_ptr<TestCase> inner_;
    double half_step_;
};

}  // namespace

TEST_CASE("case 1: the bell comes round in 12 days with the errors of STSWM") {
    Settings settings = case_settings(1, 12, 1200);
    settings.set("scheme", std::string("explicit"));
    const Diagnostics end = run_on_mesh(settings).last();
    CHECK(near(end.errors->depth.l1, 7.242842664e-2, 1e-8));
    CHECK(near(end.errors->depth.l2, 3.994718347e-2, 1e-8));
    CHECK(near(end.errors->depth.maximum, 3.289463670e-2, 1e-8));
    CHECK(std::abs(end.lowest_depth + 29.097) < 6e-4);
    CHECK(std::abs(end.highest_depth - 984.40) < 6e-3);
}

TEST_CASE("case 1: a turned path over the poles gives errors of the same size") {
    Settings settings = case_settings(1, 12, 1200, 21);
    const double along_equator = run_on_mesh(settings).last().errors->depth.l2;
    settings.set("alpha_deg", 87.0);
    const double over_poles = run_on_mesh(settings).last().errors->depth.l2;
    CHECK(along_equator > 0.03);
    CHECK(near(over_poles, along_equator, 0.15));
}

TEST_CASE("case 2: the steady state stays at rounding level for 5 days, however it is turned") {
    for (const double alpha : {0.0, 3.0, 45.0, 90.0}) {
        Settings settings = case_settings(2, 5, 1200);
        settings.set("alpha_deg", alpha);
        const RecordedRun run = run_on_mesh(settings);
        const Diagnostics end = run.last();
        CAPTURE(alpha, end.errors->depth.l2, end.errors->wind.l2);
        CHECK(end.errors->depth.l2 < 1e-13);
        CHECK(end.errors->wind.l2 < 1e-12);
    }
}

TEST_CASE("case 2: the state has the means of STSWM") {
    const Diagnostics start = run_on_mesh(case_settings(2, 0.02, 1200)).first();
    CHECK(near(start.mass, 2363.021308, 1e-9));
    CHECK(near(start.surface_variance, 322675.6756, 1e-9));
    CHECK(near(start.lowest_depth, 1095.480248, 1e-9));
    CHECK(near(start.highest_depth, 2996.985758, 1e-9));
    CHECK(near(start.energy, 3.026075512e7, 1e-9));
    CHECK(near(start.potential_enstrophy, 2.411978831e-12, 1e-9));
    CHECK(std::abs(start.vorticity) < 1e-18);
    CHECK(std::abs(start.divergence) < 1e-18);
}

TEST_CASE("case 2: the explicit scheme and five days of sums on a mesh stay there, too") {
    Settings settings = case_settings(2, 1, 600);
    settings.set("scheme", std::string("explicit"));
    CHECK(run_on_mesh(settings).last().errors->depth.l2 < 1e-13);
    settings = case_settings(2, 5, 1200);
    settings.set("method", std::string("DTH"));
    CHECK(run_on_mesh(settings, {2, 2}).last().errors->depth.l2 < 1e-13);
}

TEST_CASE("case 3: the compact jet has the truncation errors of STSWM after 5 days") {
    for (const double alpha : {0.0, 60.0}) {
        Settings settings = case_settings(3, 5, 1200);
        settings.set("alpha_deg", alpha);
        const RecordedRun run = run_on_mesh(settings);
        const Diagnostics end = run.last();
        CAPTURE(alpha, end.errors->depth.l2, end.errors->wind.l2);
        CHECK(near(end.errors->depth.l2, 5.157e-10, 0.1));
        CHECK(near(end.errors->wind.l2, 7.64e-8, 0.1));
        CHECK(near(end.mass, 2791.862646, 1e-9));
        CHECK(near(run.first().surface_variance, 110703.2991, 1e-9));
        CHECK(std::abs(end.lowest_depth - 2097.863) < 6e-4);
    }
}

TEST_CASE("case 4: the forced low follows its path with an error of second order in time") {
    const auto error = [](double time_step) {
        return run_on_mesh(case_settings(4, 1, time_step, 63)).last();
    };
    const Diagnostics coarse = error(600);
    const Diagnostics fine = error(300);
    CHECK(coarse.errors->depth.l2 < 1.3e-4);
    CHECK(near(coarse.errors->depth.l1 / fine.errors->depth.l1, 4.0, 0.1));
    CHECK(near(coarse.errors->depth.l2 / fine.errors->depth.l2, 4.0, 0.05));
    CHECK(near(coarse.errors->wind.l2 / fine.errors->wind.l2, 4.0, 0.05));
    const Diagnostics start = run_on_mesh(case_settings(4, 0.02, 1200)).first();
    CHECK(near(start.mass, 10514.59477, 1e-9));
}

TEST_CASE("case 4: with the forcing of STSWM's first step, the errors of STSWM after 5 days") {
    ShallowWaterPlan plan = make_plan(case_settings(4, 5, 1200), 1);
    const auto error = [](const ShallowWaterPlan& of) {
        Recorder recorder;
        simcomm::run_virtual(1, [&](Comm& comm) { return run_model(comm, of, recorder); });
        return diagnose(of, recorder.snapshots.back(), 0);
    };
    const Diagnostics ours = error(plan);
    plan.test_case = std::make_shared<ForcedAsStswm>(plan.time_step);
    const Diagnostics theirs = error(plan);
    CHECK(near(theirs.errors->depth.l1, 9.597e-3, 1e-4));
    CHECK(near(theirs.errors->depth.l2, 1.8576e-3, 1e-4));
    CHECK(near(theirs.errors->depth.maximum, 1.6998e-3, 1e-4));
    CHECK(near(theirs.errors->wind.l1, 3.839e-3, 1.5e-4));
    CHECK(near(theirs.errors->wind.l2, 1.4747e-3, 1e-4));
    CHECK(near(theirs.errors->wind.maximum, 1.8453e-3, 1e-4));
    CHECK(ours.errors->depth.l2 < 0.81 * theirs.errors->depth.l2);
    CHECK(ours.errors->depth.l1 < 0.4 * theirs.errors->depth.l1);
}

TEST_CASE("case 5: flow over the mountain has the numbers of STSWM") {
    Settings settings = case_settings(5, 0.25, 900);
    settings.set("output_every", std::int64_t{1});
    const RecordedRun run = run_on_mesh(settings);
    const Diagnostics start = diagnose(run.plan, analytic_start(run), 0);
    CHECK(near(start.mass, 5619.934569, 1e-9));
    CHECK(near(start.surface_mean, 5637.352900, 1e-9));
    CHECK(near(start.energy, 1.569074746e8, 1e-9));
    CHECK(near(run.plan.mean_geopotential, 55109.97757, 1e-9));
    // 40.46 N, 255.94 E
    const std::int64_t j = 17;
    const std::int64_t i = 91;
    const LonLat at{run.plan.longitude(i), run.plan.latitude(j)};
    const auto surface = [&](const Snapshot& state) {
        return state.depth[std::size_t(j * 128 + i)] + run.plan.test_case->ground(at) / gravity;
    };
    CHECK(std::abs(at.theta * 180 / std::numbers::pi - 40.46) < 0.01);
    CHECK(near(surface(analytic_start(run)), 5552.345537, 1e-9));
    CHECK(near(surface(run.snapshots[1]), 5584.101706, 1e-9));
    CHECK(near(surface(run.snapshots[24]), 5597.841409, 1e-9));
    CHECK(near(run.last().mass, start.mass, 1e-13));
}

// STSWM takes the height of its mountain in m for its geopotential. The numbers are those that it
// has once this is multiplied by g; as it is, its energy is 1.569075122e8.
TEST_CASE(
    "case 5: with diffusion of the surface, the numbers of STSWM with its mountain in m2/s2") {
    Settings settings = case_settings(5, 1, 1200);
    settings.set("diffusion_m4_s", 5e15);
    const RecordedRun run = run_on_mesh(settings);
    CHECK(near(run.last().energy, 1.569075086e8, 1e-9));
    const std::int64_t j = 17;
    const std::int64_t i = 91;
    const LonLat at{run.plan.longitude(i), run.plan.latitude(j)};
    const double ground = run.plan.test_case->ground(at) / gravity;
    CHECK(near(run.snapshots.back().depth[std::size_t(j * 128 + i)] + ground, 5643.139009, 1e-9));
}

TEST_CASE("case 5: the mass at other truncations is that of STSWM") {
    for (const auto& [truncation, mass] :
         {std::pair{63, 5619.921886}, {85, 5619.928615}, {106, 5619.924896}, {213, 5619.925488}}) {
        CAPTURE(truncation);
        Settings settings = case_settings(5, 0.0, 100, truncation);
        settings.set("steps", std::int64_t{1});
        const ShallowWaterPlan plan = make_plan(settings, 1);
        CHECK(near(plan.mean_geopotential / gravity, mass, 1e-9));
    }
}

TEST_CASE("case 6: the Rossby-Haurwitz wave has its mass, energy and angular speed") {
    Settings settings = case_settings(6, 1, 600);
    const RecordedRun run = run_on_mesh(settings);
    const Diagnostics start = run.first();
    const Diagnostics end = run.last();
    CHECK(near(start.mass, 9522.996556, 1e-9));
    CHECK(near(start.energy, 4.625523878e8, 1e-9));
    CHECK(near(start.lowest_depth, 8003.459816, 1e-9));
    CHECK(near(start.highest_depth, 10555.317815, 1e-9));
    CHECK(near(end.mass, start.mass, 1e-13));
    CHECK(near(end.energy, start.energy, 1e-6));
    CHECK(near(end.potential_enstrophy, start.potential_enstrophy, 1e-5));
    // In the nondivergent theory zonal wavenumber 4 of the meridional wind moves by 12.195 degrees
    // per day; the shallow water wave agrees within a few percent.
    const auto phase = [&](const Snapshot& state) {
        double c = 0;
        double s = 0;
        for (std::int64_t i = 0; i < 128; ++i) {
            c += state.north_wind[std::size_t(16 * 128 + i)] * std::cos(4 * run.plan.longitude(i));
            s += state.north_wind[std::size_t(16 * 128 + i)] * std::sin(4 * run.plan.longitude(i));
        }
        return std::atan2(s, c) / 4 * 180 / std::numbers::pi;
    };
    const double turned = phase(run.snapshots.back()) - phase(run.snapshots.front());
    CAPTURE(turned);
    CHECK(near(turned, 12.195035, 0.1));
}
