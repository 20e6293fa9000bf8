/// Tests of the simulated time of copies and sums in a rank's own memory.
#include <vector>

#include "support/machine.hpp"
#include "testing.hpp"
#include "tradewind/comm/allgather/allgather.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/gather/gather.hpp"
#include "tradewind/comm/reduce/reduce.hpp"
#include "tradewind/comm/reduce_scatter/reduce_scatter.hpp"
#include "tradewind/comm/scan/scan.hpp"
#include "tradewind/comm/scatter/scatter.hpp"
#include "tradewind/comm/sub_comm.hpp"

using namespace support;

namespace {

constexpr Bytes length = 2400;
constexpr double copy_ps = 250;
constexpr double sum_ps = 500;
constexpr Picoseconds block_time = 3000;

Sections plain_machine() {
    Sections sections = loggops_machine();
    sections["topology"] = torus_machine({8}).at("topology");
    return sections;
}

Sections rated_machine() {
    Sections sections = plain_machine();
    sections["node"] = Settings({{"copy_bandwidth", 1e12 / copy_ps},
                                 {"sum_bandwidth", 1e12 / sum_ps},
                                 {"copy_overhead", block_time}});
    return sections;
}

/// The memory of one rank; null without payload.
class Space {
public:
    Space(Bytes bytes, bool payload) : values_(payload ? std::size_t(bytes) : 0), bytes_(bytes) {}
    [[nodiscard]] Buffer all() noexcept {
        return {values_.empty() ? nullptr : values_.data(), bytes_};
    }

private:
    std::vector<std::byte> values_;
    Bytes bytes_;
};

template <class Algorithm>
Options default_options(const Algorithm& algorithm) {
    Options options;
    options.radix = algorithm.default_radix;
    return options;
}

Program allreduce_with(const AllreduceAlgorithm& algorithm, bool payload) {
    return [&algorithm, payload](Comm& comm) -> Task {
        Space vector(length, payload);
        co_await algorithm.run(comm, {vector.all(), sum<double>()}, default_options(algorithm));
    };
}

Program allgather_with(const AllgatherAlgorithm& algorithm, bool payload) {
    return [&algorithm, payload](Comm& comm) -> Task {
        Space mine(length, payload);
        Space all(length * comm.size(), payload);
        co_await algorithm.run(comm, {mine.all(), all.all()}, default_options(algorithm));
    };
}

Program alltoallv_with(const AlltoallvAlgorithm& algorithm, bool payload) {
    return [&algorithm, payload](Comm& comm) -> Task {
        Space send(length * comm.size(), payload);
        Space receive(length * comm.size(), payload);
        const UniformBlocks blocks(length);
        co_await algorithm.run(comm, {send.all(), receive.all(), &blocks},
                               default_options(algorithm));
    };
}

Program reduce_with(const ReduceAlgorithm& algorithm, bool payload) {
    return [&algorithm, payload](Comm& comm) -> Task {
        Space vector(length, payload);
        co_await algorithm.run(comm, {vector.all(), sum<double>(), 1}, default_options(algorithm));
    };
}

Program gather_with(const GatherAlgorithm& algorithm, bool payload) {
    return [&algorithm, payload](Comm& comm) -> Task {
        Space mine(length, payload);
        Space all(length * comm.size(), payload);
        co_await algorithm.run(comm, {mine.all(), all.all(), length, 1},
                               default_options(algorithm));
    };
}

Program scatter_with(const ScatterAlgorithm& algorithm, bool payload) {
    return [&algorithm, payload](Comm& comm) -> Task {
        Space mine(length, payload);
        Space all(length * comm.size(), payload);
        co_await algorithm.run(comm, {all.all(), mine.all(), length, 1},
                               default_options(algorithm));
    };
}

Program scan_with(const ScanAlgorithm& algorithm, bool payload, bool exclusive = false) {
    return [&algorithm, payload, exclusive](Comm& comm) -> Task {
        Space vector(length, payload);
        co_await algorithm.run(comm, {vector.all(), sum<double>(), exclusive},
                               default_options(algorithm));
    };
}

Program reduce_scatter_with(const ReduceScatterAlgorithm& algorithm, bool payload) {
    return [&algorithm, payload](Comm& comm) -> Task {
        Space vector(length * comm.size(), payload);
        co_await algorithm.run(comm, {vector.all(), sum<double>(), length},
                               default_options(algorithm));
    };
}

Picoseconds time_of(const Program& program, Rank ranks, const Sections& sections) {
    return simcomm::simulate(sections, program, ranks).run.time;
}

/// Returns the time that the rates of local work add to a program.
Picoseconds added(const Program& program, Rank ranks) {
    return time_of(program, ranks, rated_machine()) - time_of(program, ranks, plain_machine());
}

Picoseconds copying(Bytes bytes, std::int64_t blocks) {
    return Picoseconds(copy_ps * double(bytes)) + blocks * block_time;
}

/// Checks that every algorithm takes the same time with and without data, and longer by its local
/// work unless all of that may be done `meanwhile`, during messages.
template <class Algorithm, class Make>
void check_all(std::span<const Algorithm> table, const Make& make, bool meanwhile = false) {
    for (const Algorithm& algorithm : table) {
        for (const Rank ranks : {2, 5, 8}) {
            CAPTURE(algorithm.name, ranks);
            CHECK((meanwhile || added(make(algorithm, false), ranks) > 0));
            CHECK_EQ(time_of(make(algorithm, true), ranks, rated_machine()),
                     time_of(make(algorithm, false), ranks, rated_machine()));
        }
    }
}

}  // namespace

TEST_CASE("local work takes the same time with data and without") {
    check_all(allreduce_algorithms(), allreduce_with);
    check_all(allgather_algorithms(), allgather_with);
    check_all(alltoallv_algorithms(), alltoallv_with);
    check_all(reduce_algorithms(), reduce_with);
    check_all(gather_algorithms(), gather_with, true);
    check_all(scatter_algorithms(), scatter_with, true);
    for (const bool exclusive : {false, true}) {
        const auto make = [exclusive](const ScanAlgorithm& algorithm, bool payload) {
            return scan_with(algorithm, payload, exclusive);
        };
        check_all(scan_algorithms(), make, exclusive);
    }
    check_all(reduce_scatter_algorithms(), reduce_scatter_with);
}

TEST_CASE("an allreduce by recursive doubling adds one vector in each of its stages") {
    const auto program = allreduce_with(allreduce_algorithm("recursive_doubling"), false);
    // The second rank of a pair adds to the vector that has arrived and copies the sum.
    const Picoseconds copied = copying(length, 1);
    CHECK_EQ(added(program, 8), 3 * (Picoseconds(sum_ps * double(length)) + copied));
}

TEST_CASE("an allgather copies the own block, an alltoallv by Bruck packs what it forwards") {
    CHECK_EQ(added(allgather_with(allgather_algorithm("ring"), false), 8), copying(length, 1));
    const auto program = alltoallv_with(alltoallv_algorithm("bruck"), false);
    const Picoseconds packed = 3 * copying(4 * length, 4);
    CHECK_EQ(added(program, 8), copying(length, 1) + packed + copying(7 * length, 7));
}

TEST_CASE("a binomial reduce adds one vector in each of its stages, a linear one for each rank") {
    const auto adding = Picoseconds(sum_ps * double(length));
    CHECK_EQ(added(reduce_with(reduce_algorithm("binomial"), false), 8), 3 * adding);
    CHECK(added(reduce_with(reduce_algorithm("linear"), false), 8) >= adding);
    CHECK(added(reduce_with(reduce_algorithm("linear"), false), 8) <= 7 * adding);
}

TEST_CASE("a gather copies the own block during messages, blocks for both ends afterwards") {
    CHECK_EQ(added(gather_with(gather_algorithm("linear"), false), 8), 0);
    // Ranks 5, 6, 7 and 0 send to rank 1 in one message.
    CHECK_EQ(added(gather_with(gather_algorithm("binomial"), false), 8), copying(4 * length, 2));
}

TEST_CASE("a linear chain adds one vector after the other, and keeps the exclusive result") {
    const auto adding = Picoseconds(sum_ps * double(length));
    const ScanAlgorithm& linear = scan_algorithm("linear");
    CHECK_EQ(added(scan_with(linear, false), 8), 7 * adding);
    // The last rank need not add; rank 6 copies the result at the same time as it sends.
    CHECK_EQ(added(scan_with(linear, false, true), 8), 6 * adding);
}

TEST_CASE("local work of a sub-communicator is that of its rank") {
    const Program program = [](Comm& comm) -> Task {
        SubComm pair = row_of(comm, 2);
        const Picoseconds start = comm.now();
        pair.charge({100, 2, 10});
        CHECK(pair.times_local_work());
        CHECK_EQ(comm.now() - start, copying(100, 2) + Picoseconds(sum_ps * 10.0));
        co_return;
    };
    (void)time_of(program, 4, rated_machine());
    const Program plain = [](Comm& comm) -> Task {
        comm.charge({100, 2, 10});
        CHECK(!comm.times_local_work());
        CHECK_EQ(comm.now(), 0);
        co_return;
    };
    (void)time_of(plain, 4, plain_machine());
}
