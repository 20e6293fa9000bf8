/// StartedAllreduce: the same bits as the blocking allreduce, for any number of calls of `advance`.
#include "tradewind/comm/allreduce/started.hpp"

#include <cmath>
#include <memory>

#include "support/ranks.hpp"
#include "testing.hpp"
#include "tradewind/comm/allreduce/algorithms.hpp"

using namespace tradewind;

namespace {

std::vector<double> vector_of(Rank rank) {
    return {std::sin(double(rank)), 1.0 / double(rank + 1), 1e10 * double(rank % 3)};
}

Allreduce sum_of(std::vector<double>& values) {
    return {Buffer(std::span<double>(values)), sum<double>()};
}

/// Advances the reduction a number of times that depends on the rank, and exchanges other messages
/// meanwhile.
Task overlapped(Comm& comm, std::vector<double>& values, std::int64_t radix) {
    StartedAllreduce reduction(comm, sum_of(values), radix);
    const Rank right = (comm.rank() + 1) % comm.size();
    const Rank left = (comm.rank() + comm.size() - 1) % comm.size();
    for (Rank turn = 0; turn < comm.rank() % 4; ++turn) {
        co_await comm.compute({1000.0, 0});
        co_await advance(comm, reduction);
    }
    double sent = double(comm.rank());
    double received = -1.0;
    co_await comm.exchange(right, ConstBuffer(std::span<const double>(&sent, 1)), left,
                           Buffer(std::span<double>(&received, 1)));
    co_await advance(comm, reduction);
    co_await finish(comm, reduction);
    if (received != double(left) || !reduction.is_finished()) values[0] = -1.0;
}

}  // namespace

TEST_CASE("a started allreduce gives the bits of recursive_k") {
    for (const Rank ranks : runnable({1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33})) {
        for (const std::int64_t radix : {2, 3, 16}) {
            CAPTURE(ranks, radix);
            std::vector<std::vector<double>> started;
            for (Rank rank = 0; rank < ranks; ++rank) started.push_back(vector_of(rank));
            auto waited = started;
            run_ranks(ranks, [&](Comm& comm) {
                return overlapped(comm, started[std::size_t(comm.rank())], radix);
            });
            run_ranks(ranks, [&](Comm& comm) {
                Options options;
                options.radix = radix;
                return allreduce_recursive_k(comm, sum_of(waited[std::size_t(comm.rank())]),
                                             options);
            });
            for (const Rank rank : visible(ranks))
                CHECK(started[std::size_t(rank)] == waited[std::size_t(rank)]);
        }
    }
}

TEST_CASE("a started allreduce refuses radix 1 and half elements") {
    const Rank ranks = some_ranks(2);
    const auto start = [&](Bytes bytes, std::int64_t radix) {
        run_ranks(ranks, [&](Comm& comm) -> Task {
            StartedAllreduce reduction(comm, {Buffer(bytes), sum<double>()}, radix);
            co_await finish(comm, reduction);
        });
    };
    CHECK_THROWS_AS(start(8, 1), ConfigError);
    CHECK_THROWS_AS(start(12, 2), ConfigError);
    start(16, 2);
}
