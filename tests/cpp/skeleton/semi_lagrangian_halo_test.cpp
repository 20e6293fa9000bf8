/// The halo on demand: the counted columns are those that departure points need, and both ends
/// agree on them.
#include <algorithm>
#include <cmath>
#include <set>

#include "comm/counting_comm.hpp"
#include "testing.hpp"
#include "tradewind/catalogue/programs.hpp"
#include "tradewind/skeleton/semi_lagrangian/on_demand_halo.hpp"

using namespace tradewind;
using namespace tradewind::skeleton;

namespace {

using Numbers = std::vector<std::int64_t>;
using Column = std::pair<std::int64_t, std::int64_t>;

struct Case {
    Extents grid;
    ProcessGrid processes;
    Plane plane;
    PlaneWind wind;
};

/// Returns a coarse grid with the given processes and wind.
Case small_case(ProcessGrid processes, PlaneWind wind) {
    const Extents grid{48, 40, 5};
    return {grid, processes, {grid, 20000.0, 600.0}, wind};
}

Halo halo_of(const Case& one, double max_wind) {
    Halo halo;
    halo.grid = one.grid;
    halo.processes = one.processes;
    halo.width = halo_width(one.plane, max_wind);
    return halo;
}

/// Returns the columns around the departure points of those own points that lie within `depth` of
/// an edge, found point by point on all levels; not wrapped, and without own columns.
std::set<Column> columns_around(const Case& one, const Box& own, std::int64_t depth) {
    std::set<Column> columns;
    const auto is_inside = [&](std::int64_t i, std::int64_t j, std::int64_t margin) {
        return i >= own.start[0] + margin && i < own.start[0] + own.size[0] - margin &&
               j >= own.start[1] + margin && j < own.start[1] + own.size[1] - margin;
    };
    for (std::int64_t j = own.start[1]; j < own.start[1] + own.size[1]; ++j) {
        for (std::int64_t i = own.start[0]; i < own.start[0] + own.size[0]; ++i) {
            if (is_inside(i, j, depth)) continue;
            for (std::int64_t k = 0; k < one.grid[2]; ++k) {
                const double eta = (double(k) + 0.5) / double(one.grid[2]);
                const Vector2 way = displacement(one.wind, one.plane, {double(i), double(j)}, eta);
                const auto x = std::int64_t(std::floor(double(i) - way.x));
                const auto y = std::int64_t(std::floor(double(j) - way.y));
                for (std::int64_t b = y - 1; b <= y + 2; ++b)
                    for (std::int64_t a = x - 1; a <= x + 2; ++a)
                        if (!is_inside(a, b, 0)) columns.insert({a, b});
            }
        }
    }
    return columns;
}

std::int64_t counted(const Case& one, const Halo& halo, Rank rank, std::int64_t levels) {
    const NeededColumns needed(one.wind, one.plane, owned_box(halo, rank), halo.width, levels);
    const auto xs =
        needed_strips({one.grid[0], one.processes.cx}, one.processes.column(rank), halo.width);
    const auto ys =
        needed_strips({one.grid[1], one.processes.cy}, one.processes.row(rank), halo.width);
    std::int64_t sum = 0;
    for (const Strip& y : ys)
        for (const Strip& x : xs)
            if (x.slot != 0 || y.slot != 0) sum += needed.count(x, y);
    return sum;
}

std::string refusal(const Settings& settings) {
    try {
        (void)find_program("semi_lagrangian_halo").make(settings, 12);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "no error";
}

Settings on_demand_settings() {
    Settings settings;
    settings.set("grid", Numbers{48, 40, 5});
    settings.set("spacing_m", 20000.0);
    settings.set("time_step", std::int64_t{600'000'000'000'000});
    settings.set("exchange", std::string("on_demand"));
    return settings;
}

}  // namespace

TEST_CASE("the wind does not diverge, and is the same one period away") {
    const Plane plane{{480, 240, 10}, 1000.0, 30.0};
    const PlaneWind wind{60.0, 30.0, 6};
    const double h = 1e-3;
    for (const double eta : {0.05, 0.5, 0.95}) {
        for (const Vector2 at :
             {Vector2{3.0, 17.0}, Vector2{211.5, 66.25}, Vector2{470.0, 200.0}}) {
            CAPTURE(eta, at.x, at.y);
            const auto speed = [&](double dx, double dy) {
                return wind_at(wind, plane, {at.x + dx, at.y + dy}, eta);
            };
            const double divergence =
                (speed(h, 0).x - speed(-h, 0).x + speed(0, h).y - speed(0, -h).y) / (2 * h);
            CHECK(std::abs(divergence) < 1e-7);
            CHECK(std::abs(speed(480, 0).x - speed(0, 0).x) < 1e-9);
            CHECK(std::abs(speed(0, -240).y - speed(0, 0).y) < 1e-9);
        }
    }
}

TEST_CASE("the jet at its level and latitude has its speed") {
    const Plane plane{{400, 200, 10}, 1000.0, 30.0};
    const Vector2 speed = wind_at({60.0, 0.0, 6}, plane, {7.0, 50.0}, 0.252);
    CHECK(std::abs(speed.x - 60.0) < 1e-9);
    CHECK_EQ(speed.y, 0.0);
}

TEST_CASE("halving the time step divides the error of a departure point by eight") {
    // The reference is a path of many small steps.
    const auto error = [](double time_step) {
        Plane plane{{400, 200, 10}, 10000.0, time_step};
        const Vector2 arrival{120.0, 60.0};
        const Vector2 way = displacement({60.0, 30.0, 6}, plane, arrival, 0.3);
        constexpr int parts = 1000;
        plane.time_step_s = time_step / parts;
        Vector2 at = arrival;
        for (int n = 0; n < parts; ++n) {
            const Vector2 part = displacement({60.0, 30.0, 6}, plane, at, 0.3);
            at = {at.x - part.x, at.y - part.y};
        }
        return std::hypot(arrival.x - way.x - at.x, arrival.y - way.y - at.y);
    };
    const double ratio = error(300.0) / error(150.0);
    CHECK(ratio > 7.0);
    CHECK(ratio < 9.0);
}

TEST_CASE("the counted columns are those around the departure points, on any process grid") {
    for (const PlaneWind& wind :
         {PlaneWind{0.0, 0.0, 6}, PlaneWind{60.0, 0.0, 6}, PlaneWind{40.0, 30.0, 2}}) {
        for (const ProcessGrid processes : {ProcessGrid{2, 2}, {4, 3}, {3, 5}, {6, 5}}) {
            const Case one = small_case(processes, wind);
            const Halo halo = halo_of(one, 150.0);
            for (Rank rank = 0; rank < processes.cx * processes.cy; ++rank) {
                CAPTURE(wind.jet, wind.wave, processes.cx, processes.cy, rank);
                const Box own = owned_box(halo, rank);
                const auto known = columns_around(one, own, own.size[0] + own.size[1]);
                CHECK_EQ(counted(one, halo, rank, one.grid[2]), std::int64_t(known.size()));
            }
        }
    }
}

TEST_CASE("16 levels and interpolation along the edges find what all points of zheng2018 need") {
    const Extents grid{28800, 14400, 256};
    const Case one{grid, {200, 200}, {grid, 1390.0, 30.0}, {}};
    const Halo halo = halo_of(one, 200.0);
    CHECK_EQ(halo.width, 7);
    for (const Rank rank : {Rank{50 * 200 + 3}, Rank{41 * 200 + 17}, Rank{99 * 200 + 150}}) {
        CAPTURE(rank);
        const auto known = columns_around(one, owned_box(halo, rank), 4);
        const double ratio = double(counted(one, halo, rank, 16)) / double(known.size());
        CHECK(std::abs(ratio - 1.0) < 0.01);
    }
}

TEST_CASE("on demand sends the wind over the whole halo, a map, and the needed columns") {
    const Program program = find_program("semi_lagrangian_halo").make(on_demand_settings(), 12);
    const Counts sent = run_counted(12, program).total();
    Settings wide = on_demand_settings();
    wide.set("exchange", std::string("wide"));
    const Estimate all = find_program("semi_lagrangian_halo").estimate(wide, 12);
    const Case one = small_case({3, 4}, {});
    const Halo halo = halo_of(one, 200.0);
    std::int64_t columns = 0;
    for (Rank rank = 0; rank < 12; ++rank) columns += counted(one, halo, rank, 16);
    // Of 8 fields in the wide halo, 3 are the wind.
    const double maps = double(sent.bytes) - all.bytes * 3 / 8 - double(columns * 5 * 8 * 5);
    const double halo_columns = all.bytes / (8 * 8 * 5);
    CHECK(maps >= halo_columns / 8);
    CHECK(maps < halo_columns / 8 + 12 * 8);
    CHECK(double(sent.bytes) < 0.8 * all.bytes);
    CHECK(double(sent.messages) > 2 * all.messages);
}

TEST_CASE("estimates of the halo on demand hold, whatever the process grid") {
    for (const Rank ranks : {1, 2, 3, 12, 29, 40}) {
        CAPTURE(ranks);
        Settings settings = on_demand_settings();
        settings.set("repeat", std::int64_t{2});
        const Counts sent =
            run_counted(ranks, find_program("semi_lagrangian_halo").make(settings, ranks)).total();
        const Estimate expected = find_program("semi_lagrangian_halo").estimate(settings, ranks);
        CHECK_EQ(double(sent.messages), expected.messages);
        CHECK_EQ(double(sent.bytes), expected.bytes);
    }
}

TEST_CASE("without wind in the trajectories only maps and columns are sent") {
    Settings settings = on_demand_settings();
    settings.set("trajectory_fields", std::int64_t{0});
    const double less = find_program("semi_lagrangian_halo").estimate(settings, 12).bytes;
    Settings wide = on_demand_settings();
    wide.set("exchange", std::string("wide"));
    wide.set("trajectory_fields", std::int64_t{0});
    CHECK(less < 0.6 * find_program("semi_lagrangian_halo").estimate(wide, 12).bytes);
}

TEST_CASE("a wind that leaves the halo is refused before any rank runs") {
    Settings settings = on_demand_settings();
    settings.set("max_wind_m_s", 40.0);
    settings.set("jet_m_s", 120.0);
    CHECK(refusal(settings).find("but the halo has 4") != std::string::npos);
    settings.set("exchange", std::string("by post"));
    CHECK_THROWS_AS((void)find_program("semi_lagrangian_halo").make(settings, 12), ConfigError);
}
