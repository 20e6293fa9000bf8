/// How a plan is read from settings and checked.
#include "tradewind/models/pstswm/plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tradewind/base/whole_numbers.hpp"
#include "tradewind/models/pstswm/choices.hpp"
#include "tradewind/models/spectral/fft.hpp"

namespace tradewind::pstswm {

namespace {

constexpr std::int64_t large = largest_count;
constexpr std::int64_t largest_truncation = 8191;
// More than the largest truncation needs, and few enough for their nodes to be found in seconds.
constexpr std::int64_t most_latitudes = 16384;
constexpr std::int64_t most_longitudes = 32768;

constexpr std::string_view keys[] = {"case",
                                     "alpha_deg",
                                     "truncation",
                                     "levels",
                                     "latitudes",
                                     "longitudes",
                                     "time_step",
                                     "steps",
                                     "scheme",
                                     "asselin",
                                     "diffusion_m4_s",
                                     "output_every",
                                     "processes",
                                     "method",
                                     "fft",
                                     "legendre",
                                     "radix",
                                     "window",
                                     "protocol",
                                     "transport",
                                     "messages",
                                     "start",
                                     "legendre_alltoallv",
                                     "legendre_allreduce",
                                     "tuning"};

[[nodiscard]] double real_number(const Settings& settings, const std::string& key, double otherwise,
                                 double low, double high) {
    const auto value = settings.get<double>(key, otherwise);
    const bool inside = value >= low && value <= high;  // false for a value that is not a number
    if (!inside)
        throw ConfigError(text("pstswm: ", key, " = ", value, " is not in ", low, "..", high));
    return value;
}

void read_grid(const Settings& settings, Plan& plan) {
    plan.truncation = settings.whole("truncation", plan.truncation, 1, largest_truncation);
    const std::int64_t needed = (3 * plan.truncation + 2) / 2;
    plan.latitudes = settings.whole("latitudes", needed + needed % 2, 2, most_latitudes);
    plan.longitudes = settings.whole(
        "longitudes", spectral::next_fft_points(3 * plan.truncation + 1), 4, most_longitudes);
    if (plan.latitudes % 2 != 0 || 2 * plan.latitudes < 3 * plan.truncation + 1 ||
        plan.longitudes < 3 * plan.truncation + 1) {
        throw ConfigError(text("pstswm: a grid of ", plan.latitudes, " latitudes x ",
                               plan.longitudes, " longitudes aliases truncation ", plan.truncation,
                               "; an even number of latitudes >= ", needed,
                               " and longitudes >= ", 3 * plan.truncation + 1, " are needed"));
    }
    (void)spectral::Fft(plan.longitudes);
    plan.levels = settings.whole("levels", 1, 1, large);
}

[[nodiscard]] bool fits(const Plan& plan, Mesh mesh) {
    if (mesh.px > plan.truncation + 1 || mesh.py > plan.latitudes / 2) return false;
    const bool halves_evenly = (mesh.px & (mesh.px - 1)) == 0 && plan.longitudes / 2 % mesh.px == 0;
    return plan.fft_method == FftMethod::transpose || halves_evenly;
}

[[noreturn]] void refuse_mesh(const Plan& plan, const std::string& what) {
    throw ConfigError(text("pstswm: ", what, "; px may be at most ", plan.truncation + 1,
                           " (wavenumbers), py at most ", plan.latitudes / 2,
                           " (pairs of latitudes)",
                           plan.fft_method == FftMethod::transpose
                               ? ""
                               : "; for dfft, px must be a power of two that divides half the "
                                 "number of longitudes"));
}

void read_mesh(const Settings& settings, Plan& plan, Rank ranks) {
    if (settings.has("processes")) {
        const auto given = whole_numbers(settings, "processes", 2);
        plan.mesh = {given[0], given[1]};
        if (!fits(plan, plan.mesh) || ranks % given[0] != 0 || ranks / given[0] != given[1])
            refuse_mesh(plan, text("mesh ", given[0], " x ", given[1], " on ", ranks, " ranks"));
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

/// True if the setting is `other`, false if it is `otherwise` or not there.
[[nodiscard]] bool is_other(const Settings& settings, const std::string& key,
                            std::string_view otherwise, std::string_view other) {
    const auto given = settings.get<std::string>(key, std::string(otherwise));
    if (given != otherwise && given != other) {
        throw ConfigError(text("pstswm: ", key, " = \"", given,
                               "\" is unknown; known are: ", otherwise, ", ", other));
    }
    return given == other;
}

[[nodiscard]] Sending read_sending(const Settings& settings) {
    const auto given = settings.get<std::string>("messages", "own");
    if (given == "own") return Sending::own;
    if (given == "pstswm_fields") return Sending::pstswm_fields;
    if (given == "pstswm") return Sending::pstswm;
    throw ConfigError(text("pstswm: messages = \"", given,
                           "\" is unknown; known are: own, pstswm_fields, pstswm"));
}

void read_time(const Settings& settings, Plan& plan) {
    const auto scheme = settings.get<std::string>("scheme", "semi_implicit");
    if (scheme != "semi_implicit" && scheme != "explicit") {
        throw ConfigError(text("pstswm: scheme = \"", scheme,
                               "\" is unknown; known are: semi_implicit, explicit"));
    }
    plan.semi_implicit = scheme == "semi_implicit";
    constexpr Picoseconds largest_step = 1'000'000 * picoseconds_per_second;
    plan.time_step =
        seconds(settings.whole("time_step", 1200 * picoseconds_per_second, 1, largest_step));
    plan.steps = settings.whole("steps", 1, 1, std::int64_t{1} << 40);
    plan.asselin = real_number(settings, "asselin", 0.0, 0.0, 0.5);
    plan.diffusion = real_number(settings, "diffusion_m4_s", 0.0, 0.0, 1e30);
    plan.output_every = settings.whole("output_every", 0, 0, std::int64_t{1} << 40);
}

/// Mean geopotential and largest speeds of the initial state on the whole grid.
struct Extremes {
    double mean = 0.0;
    double wind = 0.0;
    double gravity_wave = 0.0;
};

[[nodiscard]] Extremes extremes(const Plan& plan) {
    Extremes found;
    for (std::int64_t j = 0; j < plan.latitudes; ++j) {
        double sum = 0.0;
        for (std::int64_t i = 0; i < plan.longitudes; ++i) {
            const Flow flow = plan.test_case->initial({plan.longitude(i), plan.latitude(j)});
            sum += flow.geopotential;
            found.wind = std::max(found.wind, std::hypot(flow.wind.east, flow.wind.north));
            found.gravity_wave =
                std::max(found.gravity_wave, std::sqrt(std::max(flow.geopotential, 0.0)));
        }
        found.mean += 0.5 * plan.nodes.weight[std::size_t(j)] * sum / double(plan.longitudes);
    }
    return found;
}

/// Leapfrog is stable while no wave that the truncation resolves turns by more than 1 radian per
/// step; semi-implicit steps need not follow gravity waves.
void set_courant_number(Plan& plan, const Extremes& found) {
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

double Plan::latitude(std::int64_t j) const {
    return std::asin(nodes.mu[std::size_t(j)]);
}

double Plan::longitude(std::int64_t i) const {
    return 2 * std::numbers::pi * double(i) / double(longitudes);
}

std::span<const std::string_view> plan_keys() {
    return keys;
}

Plan make_outline(const Settings& settings, Rank ranks) {
    refuse_unknown("pstswm", settings, keys);
    if (ranks < 1 || ranks > large)
        throw ConfigError(text("pstswm: ranks = ", ranks, " is not in 1..", large));
    Plan plan;
    read_grid(settings, plan);
    ChoiceWords words = read_choice_words(settings);
    plan.fft_method = fft_method_of(words.fft);
    read_mesh(settings, plan, ranks);
    read_choices(settings, words, plan);
    // A tuning may have chosen another method than the one that the mesh was made for.
    if (!fits(plan, plan.mesh))
        refuse_mesh(plan, text("mesh ", plan.mesh.px, " x ", plan.mesh.py, " for the tuned fft"));
    read_time(settings, plan);
    plan.sending = read_sending(settings);
    plan.starts_under_way = is_other(settings, "start", "initial", "under_way");
    plan.case_number = settings.get<std::int64_t>("case", plan.case_number);
    plan.test_case = make_test_case(plan.case_number, settings.get<double>("alpha_deg", 0.0));
    return plan;
}

Plan make_plan(const Settings& settings, Rank ranks) {
    Plan plan = make_outline(settings, ranks);
    plan.nodes = spectral::gauss_nodes(plan.latitudes);
    const Extremes found = extremes(plan);
    plan.mean_geopotential = found.mean;
    set_courant_number(plan, found);
    return plan;
}

void require_data(const Plan& plan) {
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
