/// The operations: repeated collectives and the ping-pong, with real data.
#include "tradewind/skeleton/operations.hpp"

#include <numeric>

#include "comm/counting_comm.hpp"
#include "testing.hpp"
#include "tradewind/simcomm/virtual_ranks.hpp"

using namespace tradewind;
using namespace tradewind::skeleton;

namespace {

template <class T>
Buffer buffer(std::vector<T>& values) {
    return Buffer(std::span<T>(values));
}

}  // namespace

TEST_CASE("repeated allreduces add up the results of the ones before") {
    const RepeatedAllreduce plan{24, 3, &allreduce_algorithm("recursive_k"), {}};
    std::vector<std::vector<double>> values(5, std::vector<double>{1.0, 2.0, 4.0});
    simcomm::run_virtual(5, [&](Comm& comm) {
        return allreduce(comm, plan, buffer(values[std::size_t(comm.rank())]));
    });
    for (const auto& mine : values) CHECK((mine == std::vector<double>{125.0, 250.0, 500.0}));
}

TEST_CASE("alltoallv gives every rank one block of each") {
    constexpr std::size_t ranks = 7;
    const RepeatedAlltoallv plan{UniformBlocks(8), 2, &alltoallv_algorithm("ring_k"), {}};
    std::vector<std::vector<std::int64_t>> sent(ranks, std::vector<std::int64_t>(ranks));
    auto received = sent;
    for (std::size_t r = 0; r < ranks; ++r)
        std::iota(sent[r].begin(), sent[r].end(), std::int64_t(100 * r));
    simcomm::run_virtual(Rank(ranks), [&](Comm& comm) {
        const auto me = std::size_t(comm.rank());
        return alltoallv(comm, plan, buffer(sent[me]), buffer(received[me]));
    });
    for (std::size_t r = 0; r < ranks; ++r) {
        for (std::size_t from = 0; from < ranks; ++from)
            CHECK_EQ(received[r][from], std::int64_t(100 * from + r));
    }
}

TEST_CASE("pingpong moves data from the first rank to the last and back") {
    const Pingpong plan{16, 4};
    for (const Rank ranks : {2, 5}) {
        std::vector<std::vector<std::int64_t>> values(std::size_t(ranks),
                                                      std::vector<std::int64_t>{-1, -1});
        values.front() = {42, 43};
        const Program program = [&](Comm& comm) {
            return pingpong(comm, plan, buffer(values[std::size_t(comm.rank())]));
        };
        const Counts sent = run_counted(ranks, program).total();
        CHECK(values.back() == values.front());
        CHECK((values.front() == std::vector<std::int64_t>{42, 43}));
        CHECK(ranks == 2 || values[1][0] == -1);
        CHECK_EQ(sent.messages, 8);
        CHECK_EQ(sent.bytes, 8 * 16);
    }
}
