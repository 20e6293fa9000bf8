/// Reading and checking of a plan.
#include "tradewind/models/pstswm/plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tradewind/models/pstswm/choices.hpp"
#include "tradewind/models/pstswm/settings.hpp"
#include "tradewind/models/spectral/fft.hpp"
#include "tradewind/program/entry.hpp"

namespace tradewind::pstswm {

namespace {

void read_grid(const Settings& settings, ShallowWaterPlan& plan) {
    plan.truncation = given::truncation.of(settings);
    const std::int64_t needed = (3 * plan.truncation + 2) / 2;
    plan.latitudes = given::latitudes.of(settings, needed + needed % 2);
    plan.longitudes =
        given::longitudes.of(settings, spectral::next_fft_points(3 * plan.truncation + 1));
    if (plan.latitudes % 2 != 0 || 2 * plan.latitudes < 3 * plan.truncation + 1 ||
        plan.longitudes < 3 * plan.truncation + 1) {
        throw ConfigError(text("pstswm: a grid of ", plan.latitudes, " latitudes x ",
                               plan.longitudes, " longitudes aliases truncation ", plan.truncation,
                               "; an even number of latitudes >= ", needed,
                               " and longitudes >= ", 3 * plan.truncation + 1, " are needed"));
    }
    (void)spectral::Fft(plan.longitudes);
    plan.levels = given::levels.of(settings);
}

[[nodiscard]] bool fits(const ShallowWaterPlan& plan, Mesh mesh) {
    if (mesh.px > plan.truncation + 1 || mesh.py > plan.latitudes / 2) return false;
    const bool halves_evenly = (mesh.px & (mesh.px - 1)) == 0 && plan.longitudes / 2 % mesh.px == 0;
    return plan.fft_method == FftMethod::transpose || halves_evenly;
}

[[noreturn]] void refuse_mesh(const ShallowWaterPlan& plan, const std::string& what) {
    throw ConfigError(text("pstswm: ", what, "; px may be at most ", plan.truncation + 1,
                           " (wavenumbers), py at most ", plan.latitudes / 2,
                           " (pairs of latitudes)",
                           plan.fft_method == FftMethod::transpose
                               ? ""
                               : "; for dfft, px must be a power of two that divides half the "
                                 "number of longitudes"));
}

void read_mesh(const Settings& settings, ShallowWaterPlan& plan, Rank ranks) {
    if (const auto mesh = given::processes.find(settings)) {
        const Rank px = mesh->at(0);
        const Rank py = mesh->at(1);
        plan.mesh = {px, py};
        if (!fits(plan, plan.mesh) || ranks % px != 0 || ranks / px != py)
            refuse_mesh(plan, text("mesh ", px, " x ", py, " on ", ranks, " ranks"));
        return;
    }
    Rank side = Rank(std::sqrt(double(ranks))) + 1;
    for (; side >= 1; --side) {
        if (ranks % side != 0) continue;
        for (const Mesh mesh : {Mesh{side, ranks / side}, Mesh{ranks / side, side}}) {
            if (!fits(plan, mesh)) continue;
            plan.mesh = mesh;
            return;
        }
    }
    refuse_mesh(
        plan, text(ranks, " ranks have no factors px x py that fit truncation ", plan.truncation));
}

/// Returns the number of steps in `length` seconds, which must be whole.
[[nodiscard]] std::int64_t whole_steps(double length, const ShallowWaterPlan& plan,
                                       const Declaration& setting, double value) {
    const double count = std::round(length / plan.time_step);
    if (count >= 1 && std::abs(count * plan.time_step - length) <= 1e-9 * length)
        return std::int64_t(count);
    throw ConfigError(text(setting.key, " = ", value, ": expected a multiple of the time step, ",
                           plan.time_step, " s"));
}

void read_time(const Settings& settings, ShallowWaterPlan& plan) {
    plan.semi_implicit = given::is_semi_implicit.of(settings);
    plan.time_step = seconds(given::time_step.of(settings));
    plan.steps = given::steps.of(settings, 1);
    plan.asselin = given::asselin.of(settings);
    plan.diffusion = given::diffusion.of(settings);
    plan.output_every = given::output_every.of(settings);
}

/// Reads the length of a run with data, and the interval of its output.
void read_length(const Settings& settings, ShallowWaterPlan& plan) {
    const auto days = given::days.find(settings);
    if (days && settings.has("steps"))
        throw ConfigError("days: give either days or steps, not both");
    if (days || !settings.has("steps")) {
        const double length = days ? *days : test_case(plan.case_number).days;
        plan.steps = whole_steps(length * seconds_per_day, plan, given::days, length);
    }
    if (const auto hours = given::output_every_hours.find(settings))
        plan.output_every = whole_steps(*hours * 3600, plan, given::output_every_hours, *hours);
}

/// Mean geopotential and largest speeds of the initial state on the whole grid.
struct Extremes {
    double mean = 0.0;
    double wind = 0.0;
    double gravity_wave = 0.0;
};

[[nodiscard]] Extremes extremes(const ShallowWaterPlan& plan) {
    Extremes found;
    for (std::int64_t j = 0; j < plan.latitudes; ++j) {
        double sum = 0.0;
        for (std::int64_t i = 0; i < plan.longitudes; ++i) {
            const FlowState flow = plan.test_case->initial({plan.longitude(i), plan.latitude(j)});
            sum += flow.geopotential;
            found.wind = std::max(found.wind, std::hypot(flow.wind.east, flow.wind.north));
            found.gravity_wave =
                std::max(found.gravity_wave, std::sqrt(std::max(flow.geopotential, 0.0)));
        }
        found.mean += 0.5 * plan.nodes.weight[std::size_t(j)] * sum / double(plan.longitudes);
    }
    return found;
}

/// Sets the Courant number. Leapfrog is stable while no wave of the truncation turns by more than 1
/// radian per step. Semi-implicit steps are not limited by gravity waves.
void set_courant_number(ShallowWaterPlan& plan, const Extremes& found) {
    const bool follows_gravity_waves = !plan.semi_implicit && !plan.test_case->wind_is_given();
    const double speed = found.wind + (follows_gravity_waves ? found.gravity_wave : 0.0);
    const auto m = double(plan.truncation);
    const double courant = plan.time_step * speed * std::sqrt(m * (m + 1)) / radius;
    plan.fastest_wave = speed;
    plan.courant_number = courant;
    if (courant < 1.0) return;
    throw ConfigError(text("pstswm: time_step = ", plan.time_step, " s is not stable: waves of ",
                           speed, " m/s at truncation ", plan.truncation,
                           " give a Courant number of ", courant, "; below 1 are steps < ",
                           plan.time_step / courant, " s"));
}

}  // namespace

double ShallowWaterPlan::latitude(std::int64_t j) const {
    return std::asin(nodes.mu[std::size_t(j)]);
}

double ShallowWaterPlan::longitude(std::int64_t i) const {
    return 2 * std::numbers::pi * double(i) / double(longitudes);
}

ShallowWaterPlan make_draft(const Settings& settings, Rank ranks) {
    refuse_unknown("pstswm", settings, {given::always, given::without_data, given::with_data});
    check_ranks("pstswm", ranks);
    ShallowWaterPlan plan;
    read_grid(settings, plan);
    ChoiceWords words = read_choice_words(settings);
    plan.fft_method = fft_method_of(words.fft);
    read_mesh(settings, plan, ranks);
    read_choices(settings, words, plan);
    // A tuning may have chosen another method than the one that the mesh was made for.
    if (!fits(plan, plan.mesh))
        refuse_mesh(plan, text("mesh ", plan.mesh.px, " x ", plan.mesh.py, " for the tuned fft"));
    read_time(settings, plan);
    plan.sending = given::sending.of(settings);
    plan.starts_under_way = given::starts_under_way.of(settings);
    plan.case_number = given::case_number.of(settings);
    plan.test_case =
        make_test_case(plan.case_number, given::alpha.of(settings) * std::numbers::pi / 180);
    return plan;
}

ShallowWaterPlan make_plan(const Settings& settings, Rank ranks) {
    ShallowWaterPlan plan = make_draft(settings, ranks);
    plan.nodes = spectral::gauss_nodes(plan.latitudes);
    const Extremes found = extremes(plan);
    plan.mean_geopotential = found.mean;
    set_courant_number(plan, found);
    return plan;
}

ShallowWaterPlan make_run_draft(const Settings& settings, Rank ranks) {
    ShallowWaterPlan plan = make_draft(settings, ranks);
    read_length(settings, plan);
    require_data(plan);
    return plan;
}

ShallowWaterPlan make_run_plan(const Settings& settings, Rank ranks) {
    ShallowWaterPlan plan = make_plan(settings, ranks);
    read_length(settings, plan);
    require_data(plan);
    return plan;
}

void require_data(const ShallowWaterPlan& plan) {
    if (plan.starts_under_way)
        throw ConfigError("pstswm: start = \"under_way\" is only for programs without data");
    if (plan.sending != Sending::pstswm) return;
    const auto [px, py] = plan.mesh;
    if (plan.fft_method == FftMethod::distributed && px > 2) {
        throw ConfigError(text("pstswm: messages = \"pstswm\" with dfft across ", px,
                               " ranks is only for programs without data; \"pstswm_fields\" sends "
                               "the same fields and one message more per transform"));
    }
    if (plan.legendre == LegendreMethod::ring && plan.levels % py != 0) {
        throw ConfigError(
            text("pstswm: messages = \"pstswm\" with ringpipe is only for programs "
                 "without data where ",
                 py, " ranks do not divide ", plan.levels,
                 " levels; \"pstswm_fields\" sends the same fields in blocks of "
                 "whole levels"));
    }
}

}  // namespace tradewind::pstswm
