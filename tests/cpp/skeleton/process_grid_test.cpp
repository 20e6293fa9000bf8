/// Process grids: the choice for the grid of zheng2018, and grids that do not fit.
#include "tradewind/comm/process_grid.hpp"

#include "testing.hpp"
#include "tradewind/skeleton/halo.hpp"
#include "tradewind/skeleton/transposition.hpp"

using namespace tradewind;
using namespace tradewind::skeleton;

namespace {

std::string message_of(const auto& action) {
    try {
        action();
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "no error";
}

constexpr Extents kilometre_grid{28800, 14400, 256};

}  // namespace

TEST_CASE("the grid of zheng2018, table 3, allows 3 686 400 processes and no more") {
    const ProcessLimits limits = transposition_limits(kilometre_grid);
    CHECK_EQ(limits.cx.points * limits.cy.points, 3'686'400);
    CHECK_EQ(limits.cx.dimension, "z");
    CHECK_EQ(limits.cy.dimension, "y");
    CHECK((process_grid(3'686'400, limits) == ProcessGrid{256, 14400}));
    CHECK_THROWS_AS(process_grid(2 * 3'686'400, limits), ConfigError);
}

TEST_CASE("the choice is the squarest grid that fits") {
    const ProcessLimits limits = transposition_limits(kilometre_grid);
    CHECK((process_grid(100'000, limits) == ProcessGrid{250, 400}));
    CHECK((process_grid(10'000, limits) == ProcessGrid{100, 100}));
    CHECK((process_grid(1, limits) == ProcessGrid{1, 1}));
    CHECK((process_grid(251, limits) == ProcessGrid{1, 251}));
    CHECK((process_grid(1'000'000, halo_limits(kilometre_grid)) == ProcessGrid{1000, 1000}));
    CHECK((process_grid(6, halo_limits({100, 100, 1})) == ProcessGrid{2, 3}));
}

TEST_CASE("a wide grid is chosen where cy is limited") {
    const ProcessLimits limits{{"x", 100}, {"y", 2}};
    CHECK((process_grid(12, limits) == ProcessGrid{6, 2}));
    CHECK_THROWS_AS(process_grid(211, limits), ConfigError);
}

TEST_CASE("a process grid that does not fit says what is allowed") {
    const ProcessLimits limits = transposition_limits(kilometre_grid);
    const auto wanted = [&](Rank cx, Rank cy, Rank ranks) {
        return message_of([&] { (void)process_grid(ranks, limits, ProcessGrid{cx, cy}); });
    };
    CHECK_EQ(
        wanted(300, 4, 1200),
        "process grid 300 x 4: z has 256 points and is cut by cx = 300; cx may be at most 256");
    CHECK_EQ(wanted(1, 14401, 14401),
             "process grid 1 x 14401: y has 14400 points and is cut by cy = 14401; cy may be at "
             "most 14400");
    CHECK_EQ(wanted(3, 4, 10), "process grid 3 x 4: the product must be the number of ranks, 10");
    CHECK_EQ(wanted(0, 4, 4), "process grid 0 x 4: both numbers must be at least 1");
    CHECK_EQ(wanted(256, 14400, 3'686'400), "no error");
}

TEST_CASE("every dimension limits the numbers that cut it") {
    CHECK_EQ(transposition_limits({3, 9, 9}).cx.dimension, "x");
    CHECK_EQ(transposition_limits({3, 9, 9}).cy.points, 3);
    CHECK_EQ(transposition_limits({9, 3, 9}).cx.points, 3);
    CHECK_EQ(transposition_limits({9, 3, 9}).cy.dimension, "y");
    CHECK_EQ(transposition_limits({9, 9, 3}).cx.dimension, "z");
    CHECK_EQ(transposition_limits({9, 9, 3}).cy.points, 9);
}
