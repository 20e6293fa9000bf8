/// Gcr: the number and the lengths of its reductions.
#include "tradewind/skeleton/gcr.hpp"

#include <algorithm>
#include <cmath>

#include "testing.hpp"
#include "tradewind/simcomm/virtual_ranks.hpp"

using namespace tradewind;
using namespace tradewind::skeleton;

namespace {

int allreduces = 0;
std::vector<Bytes> lengths;

/// Replaces an algorithm and records the allreduces of rank 0.
Task noted(Comm& comm, Allreduce vector, Options /*options*/) {
    if (comm.rank() == 0) {
        ++allreduces;
        lengths.push_back(vector.data.size());
    }
    co_return;
}

const AllreduceAlgorithm noting{.name = "noted", .summary = "notes the calls", .run = noted};

/// Returns the sums that all ranks hold at the end if each starts with ones.
std::vector<double> solve(const Gcr& plan, Rank ranks) {
    const auto length = std::size_t(longest_reduction(plan));
    std::vector<std::vector<double>> sums(std::size_t(ranks), std::vector<double>(length, 1.0));
    simcomm::run_virtual(ranks, [&](Comm& comm) {
        return solve_gcr(comm, plan, Buffer(std::span<double>(sums[std::size_t(comm.rank())])));
    });
    for (const auto& other : sums) CHECK(other == sums.front());
    return sums.front();
}

}  // namespace

TEST_CASE("25 iterations make the 50 allreduces of zheng2018, section 4.4") {
    Gcr plan;
    plan.algorithm = &noting;
    allreduces = 0;
    lengths.clear();
    simcomm::run_virtual(3, [&](Comm& comm) { return solve_gcr(comm, plan); });
    CHECK_EQ(allreduces, 50);
    const std::vector<Bytes> expected{8, 16, 16, 16, 24, 16, 24, 16};
    CHECK(std::ranges::equal(expected, std::span(lengths).first(8)));
    CHECK_EQ(std::ranges::count(lengths, 24), 23);
}

TEST_CASE("every allreduce sums the leading doubles over all ranks") {
    for (const AllreduceAlgorithm& algorithm : allreduce_algorithms()) {
        for (const Rank ranks : {1, 2, 5, 6}) {
            CAPTURE(algorithm.name, ranks);
            Gcr plan;
            plan.iterations = 5;
            plan.algorithm = &algorithm;
            plan.options.radix = std::max<std::int64_t>(algorithm.default_radix, 2);
            // Each of m sums over P equal values multiplies by P: exact in a double.
            const auto sums = solve(plan, ranks);
            CHECK_EQ(sums.size(), 3U);
            CHECK_EQ(sums[0], std::pow(double(ranks), 10));
            CHECK_EQ(sums[1], std::pow(double(ranks), 9));
            CHECK_EQ(sums[2], std::pow(double(ranks), 3));
        }
    }
}

TEST_CASE("a restart longer than the solution never reaches its full length") {
    Gcr plan;
    plan.iterations = 2;
    plan.restart = 10;
    CHECK_EQ(longest_reduction(plan), 2);
    plan.iterations = 4;
    CHECK_EQ(longest_reduction(plan), 4);
    plan.algorithm = &allreduce_algorithms()[0];
    plan.options.radix = std::max<std::int64_t>(plan.algorithm->default_radix, 2);
    CHECK_EQ(solve(plan, 2)[3], 2.0);
}

TEST_CASE("repeated systems start anew") {
    Gcr plan;
    plan.iterations = 3;
    plan.repeat = 2;
    plan.algorithm = &noting;
    plan.work = {1e3, 1000};
    lengths.clear();
    simcomm::run_virtual(2, [&](Comm& comm) { return solve_gcr(comm, plan); });
    const std::vector<Bytes> expected{8, 16, 16, 16, 24, 16, 8, 16, 16, 16, 24, 16};
    CHECK(lengths == expected);
}
