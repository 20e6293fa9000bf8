/// Semi-Lagrangian advection: the same bits by both exchanges on any number of ranks, and errors
/// that decrease with the orders of the scheme.
#include <cmath>
#include <cstring>
#include <limits>

#include "support/ranks.hpp"
#include "testing.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/catalogue/programs.hpp"
#include "tradewind/models/semi_lagrangian/run.hpp"
#include "tradewind/simcomm/virtual_ranks.hpp"

using namespace tradewind;
using namespace tradewind::semi_lagrangian;

namespace {

Settings settings_of(const char* flow, std::vector<std::int64_t> grid, double step_s,
                     std::int64_t steps) {
    Settings settings;
    settings.set("case", std::string(flow));
    settings.set("grid", std::move(grid));
    settings.set("time_step", Picoseconds(step_s) * picoseconds_per_second);
    settings.set("steps", steps);
    settings.set("max_wind_m_s", 150.0);
    return settings;
}

/// Returns three runs: three tracers across both poles, steps in which air crosses four rows, and
/// vertical wind.
std::vector<Settings> small_runs() {
    std::vector<Settings> runs = {settings_of("solid_body", {24, 12, 1}, 14400, 3),
                                  settings_of("deformation", {36, 18, 4}, 28800, 3),
                                  settings_of("dcmip_1_1", {20, 12, 12}, 7200, 4)};
    runs[0].set("alpha_deg", 90.0);
    runs[0].set("tracers", std::int64_t{3});
    return runs;
}

Result run_on(Rank ranks, const Settings& settings) {
    const AdvectionPlan plan = make_plan(settings, ranks);
    std::vector<Result> results(static_cast<std::size_t>(ranks));
    run_ranks(ranks,
              [&](Comm& comm) { return run_model(comm, plan, results[std::size_t(comm.rank())]); });
    Result result = results[std::size_t(visible(ranks).front())];
    result.tracer.resize(std::size_t(plan.nx() * plan.ny() * plan.levels));
    share(ranks, 0, Buffer(std::span(result.tracer)));
    return result;
}

Result with_exchange(Rank ranks, Settings settings, const char* exchange) {
    settings.set("exchange", std::string(exchange));
    return run_on(ranks, settings);
}

/// Returns the result on one rank, since accuracy does not depend on the number of ranks.
Result simulated(const Settings& settings) {
    const AdvectionPlan plan = make_plan(settings, 1);
    Result result;
    simcomm::run_virtual(1, [&](Comm& comm) { return run_model(comm, plan, result); });
    return result;
}

/// Returns the place at angular distance `angle` from `at`, on the great circle that leaves it on
/// `course`.
SpherePoint arrived_from(const SpherePoint& at, double course, double angle) {
    const Vector3 r = direction_to(at.longitude, at.latitude);
    const Vector3 east = {-std::sin(at.longitude), std::cos(at.longitude), 0.0};
    const Vector3 north = cross(r, east);
    Vector3 end{};
    for (std::size_t c = 0; c < 3; ++c) {
        const double heading = east[c] * std::cos(course) + north[c] * std::sin(course);
        end[c] = r[c] * std::cos(angle) + heading * std::sin(angle);
    }
    return place_at(end, at.height);
}

bool is_within_reach(const AdvectionPlan& plan, Rank rank, std::int64_t row, std::int64_t i) {
    const ColumnGrid& grid = plan.reach.grid;
    const std::int64_t first = grid.x.start(grid.processes.column(rank));
    const std::int64_t count = grid.x.size(grid.processes.column(rank));
    for (const ReachRow& one : plan.reach.rows[std::size_t(grid.processes.row(rank))]) {
        if (one.row != row) continue;
        const std::int64_t nx = plan.nx();
        const std::int64_t ahead = (i - (first - one.width) + 2 * nx) % nx;
        return ahead < count + 2 * one.width;
    }
    return false;
}

/// Returns the number of columns of the 4 x 4 around a position that are not in the halo of a rank.
std::int64_t missing_columns(const AdvectionPlan& plan, Rank rank, const GridPosition& at) {
    std::int64_t missing = 0;
    for (std::int64_t b = -1; b <= 2; ++b) {
        for (std::int64_t a = -1; a <= 2; ++a) {
            std::int64_t row = at.j + b;
            std::int64_t i = at.i + a + plan.nx();
            if (row < 0 || row >= plan.ny()) {
                row = row < 0 ? -1 - row : 2 * plan.ny() - 1 - row;
                i += plan.nx() / 2;
            }
            missing += is_within_reach(plan, rank, row, i % plan.nx()) ? 0 : 1;
        }
    }
    return missing;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// Columns on each side that air arriving in row j may come from, two more for the interpolation.
std::int64_t columns_around(const AdvectionPlan& plan, std::int64_t j) {
    const double angle = plan.max_wind * plan.time_step / radius;
    const double cosine = std::cos(plan.latitude(j));
    if (std::sin(angle) >= cosine) return plan.nx();
    const double spacing = 2 * pi / double(plan.nx());
    return std::min(plan.nx(),
                    std::int64_t(std::ceil(std::asin(std::sin(angle) / cosine) / spacing)) + 2);
}

/// Returns how far any own row of a process row needs row j; all of it if j is met again beyond a
/// pole.
std::int64_t widest_need(const AdvectionPlan& plan, Rank process_row, std::int64_t j) {
    const Partition& y = plan.reach.grid.y;
    const std::int64_t first = y.start(process_row);
    std::int64_t width = 0;
    for (std::int64_t own = first; own < first + y.size(process_row); ++own) {
        const bool is_beyond_pole =
            own + j + 1 <= plan.halo_rows || 2 * plan.ny() - 1 - own - j <= plan.halo_rows;
        if (is_beyond_pole) return plan.nx();
        if (std::abs(own - j) <= plan.halo_rows) width = std::max(width, columns_around(plan, own));
    }
    return width;
}

}  // namespace

TEST_CASE("wide halo and exchange on demand give the same bits on any number of ranks") {
    for (const Settings& settings : small_runs()) {
        std::vector<double> first;
        for (const Rank ranks : runnable({1, 2, 3, 4, 6, 12})) {
            CAPTURE(settings.get<std::string>("case", ""), ranks);
            const Result wide = with_exchange(ranks, settings, "wide");
            const Result on_demand = with_exchange(ranks, settings, "on_demand");
            CHECK(same_bits(on_demand.tracer, wide.tracer));
            if (first.empty()) first = wide.tracer;
            CHECK(same_bits(wide.tracer, first));
            for (const double value : wide.tracer) {
                if (!std::isfinite(value)) CHECK(false);
            }
        }
    }
}

TEST_CASE("any process grid gives the bits of one rank, thin parts and whole circles included") {
    if (!ranks_are_virtual()) return;
    for (const Settings& settings : small_runs()) {
        const Result serial = run_on(1, settings);
        for (const std::vector<std::int64_t>& processes :
             {std::vector<std::int64_t>{1, 12}, {20, 1}, {5, 7}, {3, 12}, {19, 2}}) {
            CAPTURE(settings.get<std::string>("case", ""), processes[0], processes[1]);
            Settings one = settings;
            one.set("processes", processes);
            const Rank ranks = processes[0] * processes[1];
            CHECK(same_bits(with_exchange(ranks, one, "wide").tracer, serial.tracer));
            CHECK(same_bits(with_exchange(ranks, one, "on_demand").tracer, serial.tracer));
        }
    }
}

TEST_CASE("on demand sends fewer columns, and counts are those of the messages") {
    if (!ranks_are_virtual()) return;
    for (const Settings& settings : small_runs()) {
        const Result wide = with_exchange(12, settings, "wide");
        const Result on_demand = with_exchange(12, settings, "on_demand");
        CHECK_EQ(wide.sent_columns, wide.halo_columns);
        CHECK_EQ(on_demand.halo_columns, wide.halo_columns);
        CHECK(on_demand.sent_columns < wide.sent_columns);
        CHECK(on_demand.sent_columns > 0);
        CHECK_EQ(wide.traffic.request_messages, 0);
        // There are as many maps as pairs of ranks, and no more answers than maps.
        CHECK_EQ(on_demand.traffic.request_messages, wide.traffic.messages);
        CHECK(on_demand.traffic.messages <= 2 * wide.traffic.messages);
        for (const char* const exchange : {"wide", "on_demand"}) {
            Settings one = settings;
            one.set("exchange", std::string(exchange));
            const auto null =
                simcomm::run_virtual(12, find_program("semi_lagrangian").make(one, 12));
            one.set("steps", 2 * one.need<std::int64_t>("steps"));
            const auto twice =
                simcomm::run_virtual(12, find_program("semi_lagrangian").make(one, 12));
            const Result& real = std::string_view(exchange) == "wide" ? wide : on_demand;
            // Besides the halo there is one allreduce of 8 bytes per step.
            const Rank pairs = 8 * 3 + 4 * 2;
            const auto steps = settings.need<std::int64_t>("steps");
            CHECK_EQ(null.messages, real.traffic.messages + steps * pairs);
            CHECK_EQ(null.bytes, real.traffic.bytes + steps * pairs * 8);
            CHECK(twice.messages > null.messages);
        }
    }
}

TEST_CASE("a constant stays constant, and cubic weights reproduce cubics") {
    for (const double d : {-1.0, -0.3, 0.0, 0.25, 0.5, 0.99, 1.0, 2.0}) {
        const auto w = cubic_weights(d);
        double cube = 0.0;
        double one = 0.0;
        for (int n = 0; n < 4; ++n) {
            one += w[std::size_t(n)];
            cube += w[std::size_t(n)] * std::pow(n - 1, 3);
        }
        CHECK(std::abs(one - 1.0) < 1e-15);
        CHECK(std::abs(cube - d * d * d) < 1e-14);
    }
    CHECK(cubic_weights(0.0) == std::array<double, 4>{0, 1, 0, 0});
}

TEST_CASE("at a grid point interpolation returns the stored bits, beyond the poles too") {
    const AdvectionPlan plan = make_plan(settings_of("deformation", {24, 12, 5}, 60, 1), 1);
    const ColumnHalo halo(plan.reach, 0);
    std::vector<double> kept(std::size_t(halo.columns() * plan.depth()));
    for (std::size_t n = 0; n < kept.size(); ++n) kept[n] = std::sin(double(n * n));
    std::int64_t wrong = 0;
    for (std::int64_t j = -1; j < 12; ++j) {
        for (std::int64_t i = 0; i < 24; ++i) {
            const GridPosition at{i, j, 2, 0.0, 0.0, 0.0};
            const Stencil stencil = stencil_of(plan, halo, at);
            const std::int64_t column = j < 0 ? halo.index(0, (i + 12) % 24) : halo.index(j, i);
            const double expected = kept[std::size_t(column * plan.depth() + 2)];
            wrong += interpolated(plan, at, stencil, kept.data()) == expected ? 0 : 1;
        }
    }
    CHECK_EQ(wrong, 0);
}

TEST_CASE(
    "a bell that is turned once round, over both poles too, comes back better on finer grids") {
    if (!ranks_are_virtual()) return;
    const auto error = [](std::int64_t rows, double alpha) {
        Settings settings =
            settings_of("solid_body", {2 * rows, rows, 1}, period / double(rows), rows);
        settings.set("alpha_deg", alpha);
        return simulated(settings).norms.l2;
    };
    for (const double alpha : {0.0, 45.0, 90.0}) {
        CAPTURE(alpha);
        const double coarse = error(24, alpha);
        CHECK(coarse < 0.4);
        CHECK(error(48, alpha) < 0.35 * coarse);
    }
}

TEST_CASE("departure points of a rotation have an error of third order in the time step") {
    const auto flow = make_flow("solid_body", 0.7);
    const SpherePoint arrival{1.1, 0.9, 3000.0};
    const auto error = [&](double step) {
        const DeparturePoint found = find_departure(*flow, arrival, {step, step, 20});
        const Vector3 axis{-std::sin(0.7), 0.0, std::cos(0.7)};
        const Vector3 exact = rotated(direction_to(arrival.longitude, arrival.latitude), axis,
                                      -2 * pi * step / period);
        return angle_between(exact, direction_to(found.place.longitude, found.place.latitude));
    };
    for (const double step : {43200.0, 21600.0, 10800.0}) {
        CAPTURE(step);
        const double ratio = error(step) / error(step / 2);
        CHECK(ratio > 7.5);
        CHECK(ratio < 8.5);
    }
}

TEST_CASE("the deformed hills come back, better on finer grids with shorter steps") {
    if (!ranks_are_virtual()) return;
    const auto error = [](const char* flow, std::vector<std::int64_t> grid, std::int64_t steps) {
        const Settings settings = settings_of(flow, std::move(grid), period / double(steps), steps);
        return simulated(settings).norms.l2;
    };
    const double coarse = error("deformation", {48, 24, 1}, 24);
    const double fine = error("deformation", {96, 48, 1}, 48);
    CHECK(coarse < 0.36);
    CHECK(fine < 0.42 * coarse);
    const double coarse_3d = error("dcmip_1_1", {24, 12, 13}, 24);
    const double fine_3d = error("dcmip_1_1", {48, 24, 25}, 48);
    CHECK(fine_3d < 0.85 * coarse_3d);
}

TEST_CASE("air from beyond the halo is an error on all ranks, with the wind in it") {
    Settings settings = settings_of("deformation", {24, 12, 1}, 7200, 2);
    settings.set("max_wind_m_s", 30.0);
    for (const char* const exchange : {"wide", "on_demand"}) {
        settings.set("exchange", std::string(exchange));
        std::string message;
        try {
            run_on(some_ranks(4), settings);
        } catch (const Error& error) {
            message = error.what();
        }
        CHECK(message.find("in step 1 air arrives with") != std::string::npos);
        CHECK(message.find("max_wind_m_s is 30") != std::string::npos);
    }
}

TEST_CASE(
    "whatever wind the limit allows, all 16 columns around its departure point are in the halo") {
    if (!ranks_are_virtual()) return;
    for (const double max_wind : {5.0, 40.0, 150.0, 600.0}) {
        Settings settings = settings_of("deformation", {40, 22, 1}, 7200, 1);
        settings.set("max_wind_m_s", max_wind);
        settings.set("processes", std::vector<std::int64_t>{5, 4});
        const AdvectionPlan plan = make_plan(settings, 20);
        std::int64_t missing = 0;
        for (std::uint64_t n = 0; n < 20000; ++n) {
            const auto i = std::int64_t(mix(n, 1) % 40);
            const auto j = std::int64_t(mix(n, 2) % 22);
            const Rank rank = plan.reach.grid.y.owner(j) * 5 + plan.reach.grid.x.owner(i);
            // Every fourth point moves as far as possible.
            const double part = n % 4 == 0 ? 1.0 : double(mix(n, 3) % 1000) / 1000.0;
            const double course = double(mix(n, 4) % 3600) * pi / 1800.0;
            const SpherePoint end = arrived_from({plan.longitude(i), plan.latitude(j), 0.0}, course,
                                                 part * max_wind * plan.time_step / radius);
            missing += missing_columns(plan, rank, grid_position(plan, end));
        }
        CAPTURE(max_wind);
        CHECK_EQ(missing, 0);
    }
}

TEST_CASE("the halo has the paper's width") {
    // zheng2018, section 3.2: 0.0125 degrees, 30 s and 200 m/s give 4.3 rows, hence 5, and 2 for
    // the stencil.
    Settings settings = settings_of("deformation", {28800, 14400, 1}, 30, 1);
    settings.set("max_wind_m_s", 200.0);
    settings.set("processes", std::vector<std::int64_t>{1, 1});
    CHECK_EQ(make_plan(settings, 1).halo_rows, 7);
}

TEST_CASE("the advection refuses what does not fit") {
    const auto refuses = [](const char* key, const Settings::Value& value) {
        Settings settings = settings_of("deformation", {24, 12, 4}, 7200, 2);
        settings.set(key, value);
        CAPTURE(key);
        CHECK_THROWS_AS(make_plan(settings, 4), ConfigError);
    };
    refuses("grid", std::vector<std::int64_t>{24, 12});
    refuses("grid", std::vector<std::int64_t>{25, 12, 4});
    refuses("grid", std::vector<std::int64_t>{24, 12, 3});
    refuses("processes", std::vector<std::int64_t>{1, 13});
    refuses("case", std::string("slotted_cylinder"));
    refuses("exchange", std::string("lazy"));
    refuses("max_wind_m_s", std::numeric_limits<double>::quiet_NaN());
    refuses("max_wind_m_s", 2000.0);
    refuses("steps", std::int64_t{0});
    refuses("halo", std::int64_t{1});
}

TEST_CASE("a row of the reach is as wide as the own row that needs most of it") {
    for (const std::int64_t ny : {4, 12, 31, 90}) {
        for (const Rank ranks : {1, 2, 3, 4, 6}) {
            for (const double step_s : {600.0, 7200.0, 40000.0}) {
                const AdvectionPlan plan =
                    make_plan(settings_of("deformation", {48, ny, 1}, step_s, 1), ranks);
                CAPTURE(ny, ranks, step_s);
                for (Rank row = 0; row < plan.reach.grid.processes.cy; ++row) {
                    for (const ReachRow& one : plan.reach.rows[std::size_t(row)])
                        CHECK(one.width == widest_need(plan, row, one.row));
                }
            }
        }
    }
}
