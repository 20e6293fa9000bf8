/// Plans: refused settings, choices, the end of unstable runs, and the distribution of items.
#include <cmath>
#include <numbers>

#include "models/model_runs.hpp"
#include "support/messages.hpp"
#include "testing.hpp"
#include "tradewind/models/pstswm/parallel/layout.hpp"

using namespace tradewind;
using namespace tradewind::pstswm;
using support::says;

namespace {

/// Returns the error of make_plan for one changed setting on `ranks` ranks; empty if there is none.
std::string complaint(const std::string& key, Settings::Value value, Rank ranks = 4) {
    Settings settings = case_settings(2, 1, 1200);
    settings.set(key, std::move(value));
    try {
        (void)make_plan(settings, ranks);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("plans refuse what cannot be, and say why") {
    CHECK_EQ(complaint("levels", std::int64_t{2}), "");
    CHECK(says(complaint("case", std::int64_t{7}), "observed 500 hPa"));
    CHECK(says(complaint("case", std::int64_t{8}), "known are: 1..6"));
    CHECK(says(complaint("longitudes", std::int64_t{120}), "aliases"));
    CHECK(says(complaint("latitudes", std::int64_t{62}), "aliases"));
    CHECK(says(complaint("longitudes", std::int64_t{154}), "prime factors"));
    CHECK(says(complaint("time_step", 100'000 * picoseconds_per_second), "Courant number"));
    CHECK(says(complaint("scheme", std::string("explicit")), "not stable"));
    CHECK(says(complaint("scheme", std::string("magic")), "known are: semi_implicit, explicit"));
    CHECK(says(complaint("fft", std::string("magic")), "known are: burst"));
    CHECK(says(complaint("processes", std::vector<std::int64_t>{2, 3}), "mesh 2 x 3 on 4 ranks"));
    CHECK(says(complaint("processes", std::vector<std::int64_t>{1, 33}, 33), "pairs of latitudes"));
    CHECK(says(complaint("levels", std::int64_t{1}, 47), "no factors"));
    CHECK(says(complaint("fft", std::string("dfft"), 37), "power of two"));
    CHECK(says(complaint("method", std::string("DX")), "known are: transpose, DTH, DR"));
    CHECK(says(complaint("wind", std::int64_t{1}), "unknown setting"));
    Settings turned = case_settings(6, 1, 600);
    turned.set("alpha_deg", 6.0);
    CHECK_THROWS_AS(make_plan(turned, 1), ConfigError);
}

TEST_CASE("the angle of the flow is in degrees") {
    Settings settings = case_settings(2, 1, 1200);
    settings.set("alpha_deg", 90.0);
    const ShallowWaterPlan plan = make_plan(settings, 1);
    // The flow passes over the poles: at longitude 90 degrees on the equator it is to the south.
    const FlowState flow = plan.test_case->initial({std::numbers::pi / 2, 0.0});
    CHECK(std::abs(flow.wind.east) < 1e-12);
    CHECK(std::abs(flow.wind.north + 2 * std::numbers::pi * radius / (12 * seconds_per_day)) <
          1e-12);
}

TEST_CASE("PSTSWM's names stand for algorithms of the tables") {
    Settings settings = case_settings(2, 1, 1200);
    settings.set("method", std::string("DTH"));
    settings.set("fft", std::string("logtrans"));
    const ShallowWaterPlan plan = make_plan(settings, 6);
    CHECK(plan.legendre == LegendreMethod::sum);
    CHECK_EQ(plan.fft.algorithm->name, "bruck");
    CHECK_EQ(plan.legendre_sum.algorithm->name, "rabenseifner");
    CHECK_EQ(plan.mesh.px * plan.mesh.py, 6);
}

TEST_CASE("a run that becomes unstable stops within a step, and says where and when") {
    // The run is stable by the initial wind, but the explicit half step uses a forcing that becomes
    // invalid.
    struct Broken final : TestCase {
        FlowState initial(LonLat) const override { return {{0.0, 0.0}, 1e4}; }
        bool is_forced() const override { return true; }
        Forcing forcing(LonLat at, double time) const override {
            const bool here = at.lambda > 3 && at.lambda < 3.2 && at.theta > 0.5 && at.theta < 0.6;
            return {{0.0, 0.0}, time > 3000 && here ? std::nan("") : 0.0};
        }
    };
    for (const char* const legendre : {"transpose", "sum"}) {
        for (const Mesh mesh : {Mesh{1, 1}, {2, 3}}) {
            CAPTURE(legendre, mesh.px, mesh.py);
            Settings settings = case_settings(2, 1, 1000, 21);
            settings.set("legendre", std::string(legendre));
            settings.set("levels", std::int64_t{2});
            settings.set("processes", std::vector<std::int64_t>{mesh.px, mesh.py});
            ShallowWaterPlan plan = make_plan(settings, mesh.px * mesh.py);
            plan.test_case = std::make_shared<Broken>();
            plan.mean_geopotential = 1e4;
            Recorder recorder;
            std::string message;
            try {
                (void)simcomm::run_virtual(
                    mesh.px * mesh.py, [&](Comm& comm) { return run_model(comm, plan, recorder); });
            } catch (const Error& error) {
                message = error.what();
            }
            // The first invalid forcing, at 4000 s, is used in the step that leads to step 5.
            CHECK(says(message, "level 0 is not finite after step 5 of 86"));
        }
    }
}

TEST_CASE("every item is distributed once, evenly, and offsets are sums of sizes") {
    using Order = spectral::Distribution::Order;
    for (const Order order : {Order::blocks, Order::snake, Order::residues}) {
        for (const std::int64_t items : {1, 7, 22, 43, 64}) {
            for (const std::int64_t parts : {1, 2, 3, 7, 16}) {
                if (order == Order::residues && (parts & (parts - 1)) != 0) continue;
                CAPTURE(int(order), items, parts);
                const spectral::Distribution distribution(order, items, parts);
                std::vector<int> held(std::size_t(items), 0);
                std::int64_t before = 0;
                for (std::int64_t part = 0; part < parts; ++part) {
                    CHECK_EQ(distribution.before(part), before);
                    before += distribution.size(part);
                    CHECK(distribution.size(part) - items / parts <= 1);
                    for (const std::int64_t item : distribution.items_of(part))
                        ++held[std::size_t(item)];
                }
                CHECK_EQ(before, items);
                for (const int count : held) CHECK_EQ(count, 1);
            }
        }
    }
}

TEST_CASE("the work that is told to the machine is the work of the kernels, shared among ranks") {
    Settings settings = case_settings(2, 1, 600, 85);
    settings.set("levels", std::int64_t{16});
    double serial = 0;
    for (const Mesh mesh : {Mesh{1, 1}, {4, 4}, {8, 2}}) {
        CAPTURE(mesh.px, mesh.py);
        settings.set("processes", std::vector<std::int64_t>{mesh.px, mesh.py});
        const ShallowWaterPlan plan = make_plan(settings, mesh.px * mesh.py);
        double sum = 0;
        for (Rank rank = 0; rank < mesh.px * mesh.py; ++rank) {
            const ArrayLayout layout(plan, rank);
            sum += layout.legendre_work(4, layout.own_levels()).flops +
                   layout.legendre_work(5, layout.own_levels()).flops + layout.fft_work(4).flops +
                   layout.fft_work(5).flops + layout.product_work(5).flops +
                   layout.spectral_work().flops;
        }
        if (serial == 0) serial = sum;
        CHECK(std::abs(sum - serial) < 1e-9 * serial);
    }
    // PSTSWM counts 24235477 operations per step and level at T85 (worley1998, section 4), for
    // eight fields forward instead of five.
    CHECK(serial / 16 > 0.4 * 24235477);
    CHECK(serial / 16 < 1.0 * 24235477);
}
