/// Shallow water on the cubed sphere: convergence, conservation, agreement of both methods, and the
/// same bits however it is distributed and communicates.
#include <cmath>
#include <map>

#include "models/homme_runs.hpp"
#include "support/messages.hpp"
#include "testing.hpp"

using namespace tradewind;
using namespace tradewind::homme;
using support::says;

namespace {

using Words = std::map<std::string, std::string>;

Settings settings_of(const std::string& flow, const std::string& method, std::int64_t ne,
                     const Words& words = {}) {
    Settings settings;
    settings.set("case", flow);
    settings.set("method", method);
    settings.set("ne", ne);
    for (const auto& [key, word] : words) settings.set(key, word);
    return settings;
}

/// Returns a run of a day with a fixed ratio of time step to spacing.
CoreSnapshot day(const std::string& flow, const std::string& method, std::int64_t ne,
                 double alpha = 0.0) {
    Settings settings = settings_of(flow, method, ne);
    const bool is_se = method == "se";
    const std::int64_t steps = (is_se ? 12 : flow == "williamson6" ? 144 : 72) * ne;
    settings.set("time_step", 86400 / steps * picoseconds_per_second);
    settings.set("steps", steps);
    if (is_se && flow == "williamson2") settings.set("hyperviscosity_m4_s", 0.0);
    if (alpha != 0.0) settings.set("alpha_deg", alpha);
    return run(some_ranks(2), settings);
}

/// Returns the error of make_plan; empty if there is none.
std::string complaint(const Settings& settings) {
    try {
        (void)make_plan(settings, 1);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("steady rotation converges with the order of the polynomials, whatever its axis") {
    struct Row {
        const char* method;
        std::int64_t ne;
        double order;
        double l2;
    };
    for (const Row& row : {Row{"se", 4, 4.0, 3e-4}, Row{"dg", 3, 6.0, 3e-6}}) {
        for (const double alpha : {0.0, 45.0}) {
            if (is_sanitized && alpha == 0.0) continue;
            const CoreSnapshot coarse = day("williamson2", row.method, row.ne, alpha);
            const CoreSnapshot fine = day("williamson2", row.method, 2 * row.ne, alpha);
            const double coarse_error = coarse.diagnostics.errors->depth.l2;
            const double order = std::log2(coarse_error / fine.diagnostics.errors->depth.l2);
            CAPTURE(row.method, alpha, coarse_error, order);
            CHECK(coarse_error < row.l2);
            CHECK(order > row.order - 0.3);
            CHECK(order < row.order + 1.5);
        }
    }
}

TEST_CASE("a jet with compact support stays as it is") {
    if (is_sanitized) return;  // the code of the other flows, for longer
    for (const char* method : {"se", "dg"}) {
        const CoreSnapshot end = day("williamson3", method, 8, 60.0);
        CAPTURE(method, end.diagnostics.errors->depth.l2);
        CHECK(end.diagnostics.errors->depth.l2 < 1e-3);
    }
}

TEST_CASE("flow over a mountain keeps its mass, and its energy but for what is dissipated") {
    for (const char* method : {"se", "dg"}) {
        CAPTURE(method);
        Settings settings = settings_of("williamson5", method, 4);
        settings.set("steps", std::int64_t{1});
        const CoreSnapshot first = run(some_ranks(1), settings);
        settings.set("steps", std::int64_t{150});
        const CoreSnapshot last = run(some_ranks(1), settings);
        CHECK(!last.diagnostics.errors);
        CHECK(std::abs(last.diagnostics.mean / first.diagnostics.mean - 1) < 1e-13);
        const double change = last.diagnostics.total_energy / first.diagnostics.total_energy - 1;
        CAPTURE(change);
        CHECK(std::abs(change) < 1e-4);
        CHECK(last.diagnostics.lowest > 3500.0);
        CHECK(last.diagnostics.highest < 6000.0);
    }
}

TEST_CASE("both methods make the same of a Rossby-Haurwitz wave") {
    if (is_sanitized) return;  // the code of the other flows, on finer grids
    const CoreSnapshot se = day("williamson6", "se", 12);
    const CoreSnapshot dg = day("williamson6", "dg", 6);
    CHECK(std::abs(se.diagnostics.mean / dg.diagnostics.mean - 1) < 1e-6);
    CHECK(std::abs(se.diagnostics.highest / dg.diagnostics.highest - 1) < 2e-3);
    CHECK(std::abs(se.diagnostics.lowest / dg.diagnostics.lowest - 1) < 2e-3);
}

TEST_CASE("shallow water has the same bits on any ranks, by any exchange, in any layer") {
    for (const char* method : {"se", "dg"}) {
        Settings settings = settings_of("williamson6", method, 2, {});
        settings.set("steps", std::int64_t{6});
        const CoreSnapshot reference = run(some_ranks(1), settings);
        for (const Rank ranks : runnable({2, 3, 5, 8, 24})) {
            for (const Words& words : {Words{},
                                       {{"schedule", "on_arrival"}},
                                       {{"exchange", "pairwise"}},
                                       {{"exchange", "puts"}}}) {
                CAPTURE(method, ranks, words.empty() ? "" : words.begin()->second);
                Settings others = settings_of("williamson6", method, 2, words);
                others.set("steps", std::int64_t{6});
                CHECK(same_bits(run(ranks, others), reference));
                others.set("levels", std::int64_t{5});
                CHECK(same_bits(run(ranks, others), reference));
            }
        }
    }
}

TEST_CASE("viscosity smooths the wind and keeps the mass") {
    Settings settings = settings_of("williamson6", "dg", 2);
    settings.set("steps", std::int64_t{20});
    const CoreSnapshot free = run(some_ranks(2), settings);
    settings.set("viscosity_m2_s", 1e6);
    const CoreSnapshot viscous = run(some_ranks(2), settings);
    CHECK(viscous.diagnostics.kinetic_energy < free.diagnostics.kinetic_energy);
    CHECK(std::abs(viscous.diagnostics.mean / free.diagnostics.mean - 1) < 1e-13);
}

TEST_CASE("the length of a run is that of its case") {
    CHECK_EQ(make_plan(settings_of("williamson2", "se", 4), 1)->steps, 1);
    const auto plan = make_run_plan(settings_of("williamson5", "se", 4), 1);
    CHECK(double(plan->steps) * plan->time_step == 15 * 86400.0);
    Settings given = settings_of("williamson5", "se", 4);
    given.set("steps", std::int64_t{3});
    CHECK_EQ(make_run_plan(given, 1)->steps, 3);
}

TEST_CASE("shallow water refuses settings of the primitive equations, and they its own") {
    Settings settings = settings_of("williamson2", "se", 4);
    settings.set("remap_every", std::int64_t{3});
    CHECK(says(complaint(settings), "shallow water has no remap_every"));
    settings = settings_of("williamson2", "se", 4);
    settings.set("top_viscosity_m2_s", 1e5);
    CHECK(says(complaint(settings), "shallow water has no top_viscosity"));
    settings = settings_of("steady", "se", 4);
    settings.set("alpha_deg", 10.0);
    CHECK(says(complaint(settings), "alpha_deg = 10 needs case"));
    settings = settings_of("williamson6", "se", 4);
    settings.set("alpha_deg", 10.0);
    CHECK(says(complaint(settings), "not turned"));
    CHECK(says(complaint(settings_of("williamson2", "dg", 4, {{"overlap", "computation"}})),
               "needs the primitive equations"));
    settings = settings_of("williamson2", "se", 4);
    settings.set("time_step", 10000 * picoseconds_per_second);
    CHECK(says(complaint(settings), "not stable"));
}
