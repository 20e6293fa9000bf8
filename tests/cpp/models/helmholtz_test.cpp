/// The Helmholtz solvers: known iteration counts and residuals, and the same result on any number
/// of ranks.
#include <algorithm>
#include <cmath>

#include "support/ranks.hpp"
#include "testing.hpp"
#include "tradewind/catalogue/programs.hpp"
#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/models/helmholtz/solve.hpp"
#include "tradewind/simcomm/virtual_ranks.hpp"

using namespace tradewind;
using namespace tradewind::helmholtz;

namespace {

Settings problem(const char* method, std::int64_t restart = 3, const char* preconditioner = "line",
                 std::vector<std::int64_t> grid = {64, 48, 24}) {
    Settings settings;
    settings.set("grid", std::move(grid));
    settings.set("method", std::string(method));
    settings.set("restart", restart);
    settings.set("preconditioner", std::string(preconditioner));
    return settings;
}

/// The result of one rank that is visible to this process; on virtual ranks with the whole x.
struct Solved {
    Solution solution;
    std::vector<double> x;
};

Solved solve_on(Rank ranks, const Settings& settings) {
    const HelmholtzPlan plan = make_plan(settings, ranks, 1000);
    std::vector<Solution> solutions(static_cast<std::size_t>(ranks));
    Solved result;
    run_ranks(ranks,
              [&](Comm& comm) { return solve(comm, plan, solutions[std::size_t(comm.rank())]); });
    run_ranks(ranks, [&](Comm& comm) {
        return gather_columns(comm, plan.reach.grid, solutions[std::size_t(comm.rank())].x,
                              plan.levels, result.x);
    });
    result.solution = solutions[std::size_t(visible(ranks).front())];
    return result;
}

bool close(double a, double b, double relative) {
    return std::abs(a - b) <= relative * std::abs(b);
}

void check_same(const Solved& found, const Solved& expected) {
    CHECK_EQ(found.solution.iterations, expected.solution.iterations);
    CHECK_EQ(found.solution.reductions, expected.solution.reductions);
    double largest = 0.0;
    for (std::size_t i = 0; i < found.solution.residuals.size(); ++i) {
        largest = std::max(
            largest, std::abs(found.solution.residuals[i] / expected.solution.residuals[i] - 1.0));
    }
    CHECK(largest < 1e-6);
    CHECK(close(found.solution.rhs_norm, expected.solution.rhs_norm, 1e-13));
    double difference = 0.0;
    for (std::size_t i = 0; i < found.x.size(); ++i)
        difference = std::max(difference, std::abs(found.x[i] - expected.x[i]));
    CHECK(difference < 1e-12);
}

/// Returns the traffic of all ranks that fill their halos once.
simcomm::Traffic halo_of(const HelmholtzPlan& plan, Rank ranks) {
    return simcomm::run_virtual(ranks, [&](Comm& comm) -> Task {
        Operators operators(plan, comm.rank(), false);
        const Vector nothing;
        co_await operators.exchange(comm, nothing);
    });
}

const char* const methods[] = {"gcr", "pipelined_gcr"};

}  // namespace

TEST_CASE("GCR takes the known number of iterations and reductions to solve the problem") {
    struct Known {
        std::int64_t window;
        const char* preconditioner;
        std::int64_t iterations;
    };
    const Known all[] = {{1, "line", 26},  {2, "line", 25},  {3, "line", 25},  {5, "line", 25},
                         {10, "line", 25}, {30, "line", 25}, {1, "none", 135}, {2, "none", 141},
                         {3, "none", 142}, {5, "none", 142}, {10, "none", 138}};
    const Rank ranks = some_ranks(1);
    for (const char* const method : methods) {
        for (const Known& known : all) {
            if ((!ranks_are_virtual() || is_sanitized) && known.iterations > 25) continue;
            CAPTURE(method, known.window, known.preconditioner);
            const Settings settings = problem(method, known.window, known.preconditioner);
            const Solution found = solve_on(ranks, settings).solution;
            CHECK_EQ(found.iterations, known.iterations);
            const bool is_pipelined = std::string_view(method) == "pipelined_gcr";
            CHECK_EQ(found.reductions, is_pipelined ? known.iterations : 2 * known.iterations - 1);
        }
    }
}

TEST_CASE("residuals and errors of GCR(3) are the known ones, and never grow") {
    const Rank ranks = some_ranks(1);
    for (const char* const method : methods) {
        CAPTURE(method);
        const Solution line = solve_on(ranks, problem(method)).solution;
        CHECK(close(line.rhs_norm, 4.204706637100190e4, 1e-13));
        CHECK(close(line.residuals[4], 1.400758e-4, 1e-6));
        CHECK(close(line.residuals[9], 6.572129e-6, 1e-6));
        CHECK(close(line.true_residual, 8.07e-9, 1e-3));
        CHECK(close(line.error, 2.71e-6, 2e-3));
        CHECK(close(line.residuals.back(), line.true_residual, 1e-3));
        CHECK(std::ranges::is_sorted(line.residuals, std::greater<>()));
        const Solution none = solve_on(ranks, problem(method, 3, "none")).solution;
        CHECK(close(none.residuals[4], 1.165660e-2, 1e-6));
        CHECK(close(none.residuals[9], 2.111511e-3, 1e-6));
    }
}

TEST_CASE("the solution does not depend on the number of ranks, rounding of sums aside") {
    for (const char* const method : methods) {
        const Settings settings = problem(method, 3, "line", {24, 18, 8});
        Solved serial;
        for (const Rank ranks : runnable({1, 2, 3, 4, 6, 12, 18})) {
            CAPTURE(method, ranks);
            const Solved found = solve_on(ranks, settings);
            if (ranks == 1) serial = found;
            if (serial.x.empty()) continue;  // a process that was not among the ranks of that run
            check_same(found, serial);
        }
    }
}

TEST_CASE("every process grid, radix and number of slices solves the same system") {
    const Settings settings = problem("pipelined_gcr", 3, "line", {12, 10, 6});
    if (!ranks_are_virtual()) return;
    const Solved serial = solve_on(1, settings);
    for (const std::vector<std::int64_t>& processes :
         {std::vector<std::int64_t>{12, 1}, {1, 10}, {5, 2}, {4, 10}, {2, 2}}) {
        for (const std::int64_t radix : {2, 3, 16}) {
            CAPTURE(processes[0], processes[1], radix);
            Settings one = settings;
            one.set("processes", processes);
            one.set("radix", radix);
            one.set("slices", radix);
            check_same(solve_on(processes[0] * processes[1], one), serial);
        }
    }
}

TEST_CASE("without data the solvers send the messages of the same iterations") {
    if (!ranks_are_virtual()) return;
    for (const char* const method : methods) {
        for (const Rank ranks : {1, 2, 6, 9, 20}) {
            CAPTURE(method, ranks);
            Settings settings = problem(method, 3, "line", {12, 12, 6});
            const HelmholtzPlan plan = make_plan(settings, ranks, 1000);
            std::vector<Solution> solutions(static_cast<std::size_t>(ranks));
            const auto real = simcomm::run_virtual(ranks, [&](Comm& comm) {
                return solve(comm, plan, solutions[std::size_t(comm.rank())]);
            });
            const auto skeleton = [&](std::int64_t iterations) {
                settings.set("iterations", iterations);
                return simcomm::run_virtual(ranks, find_program("helmholtz").make(settings, ranks));
            };
            const std::int64_t iterations = solutions[0].iterations;
            const auto null = skeleton(iterations);
            // A run with data has two more halo exchanges, of x* and of x, and the sums of four
            // norms.
            const auto norms = simcomm::run_virtual(ranks, [&](Comm& comm) {
                const Buffer four(4 * Bytes(sizeof(double)));
                return allreduce_recursive_k(comm, {four, sum<double>()}, plan.options);
            });
            const auto halo = halo_of(plan, ranks);
            CHECK_EQ(real.messages, null.messages + 2 * halo.messages + norms.messages);
            CHECK_EQ(real.bytes, null.bytes + 2 * halo.bytes + norms.bytes);
            CHECK((skeleton(iterations + 1).messages > null.messages) == (ranks > 1));
        }
    }
}

TEST_CASE("a solver that does not converge says so on all ranks") {
    Settings settings = problem("gcr", 3, "line", {12, 10, 6});
    settings.set("iterations", std::int64_t{3});
    CHECK_THROWS_AS(solve_on(some_ranks(4), settings), Error);
}

TEST_CASE("the Helmholtz problem refuses what does not fit") {
    const auto refuses = [](const char* key, const Settings::Value& value) {
        Settings settings = problem("pipelined_gcr");
        settings.set(key, value);
        CAPTURE(key);
        CHECK_THROWS_AS(make_plan(settings, 4, 25), ConfigError);
    };
    refuses("grid", std::vector<std::int64_t>{64, 48});
    refuses("grid", std::vector<std::int64_t>{2, 48, 4});
    refuses("processes", std::vector<std::int64_t>{3, 1});
    refuses("method", std::string("cg"));
    refuses("preconditioner", std::string("ilu"));
    refuses("algorithm", std::string("ring"));
    refuses("tolerance", 0.0);
    refuses("restart", std::int64_t{0});
    refuses("slots", std::int64_t{1});
}
