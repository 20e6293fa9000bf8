/// Collectives: every algorithm of one operation, and the collective of the MPI library if there is
/// one.
///
/// `bytes` is the size of each block (alltoallv, allgather), of the vector (allreduce) or of the
/// message (bcast); a barrier has none. Before each repetition the ranks write to their buffers,
/// since data that have not changed since they were last sent would come from the receiver's own
/// cache.
#include <algorithm>

#include "tradewind/comm/allgather/allgather.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/barrier/barrier.hpp"
#include "tradewind/comm/bcast/bcast.hpp"
#include "tradewind/comm/catalogue.hpp"
#include "tradewind/comm/native.hpp"
#include "tradewind/comm/read_options.hpp"
#include "tradewind/measure/measurement.hpp"
#include "tradewind/measure/timing.hpp"

namespace tradewind::measure {

namespace {

/// The buffers of an operation, each large enough for all blocks.
struct OperationBuffers {
    ConstBuffer send;
    Buffer receive;
};
/// A named algorithm and the program that runs it once.
struct Case {
    std::string name;
    Program body;
};

/// Returns the default options, with the given radix if the algorithm has one and allows it.
template <class Algorithm>
Options options_with(const Algorithm& algorithm, std::int64_t radix) {
    Options options = default_options(algorithm);
    if (algorithm.smallest_radix > 0 && radix >= algorithm.smallest_radix) options.radix = radix;
    return options;
}

Task run_one(Comm& comm, const AlltoallvAlgorithm& algorithm, Options options, Bytes bytes,
             OperationBuffers space) {
    const UniformBlocks blocks(bytes);
    const Bytes all = bytes * comm.size();
    const Alltoallv data{{space.send.data(), all}, {space.receive.data(), all}, &blocks};
    co_await algorithm.run(comm, data, options);
}
Task run_one(Comm& comm, const AllgatherAlgorithm& algorithm, Options options, Bytes bytes,
             OperationBuffers space) {
    const Allgather data{{space.send.data(), bytes}, {space.receive.data(), bytes * comm.size()}};
    co_await algorithm.run(comm, data, options);
}
Task run_one(Comm& comm, const AllreduceAlgorithm& algorithm, Options options, Bytes bytes,
             OperationBuffers space) {
    const Bytes whole = bytes / Bytes(sizeof(double)) * Bytes(sizeof(double));
    const Allreduce data{{space.receive.data(), whole}, sum<double>()};
    co_await algorithm.run(comm, data, options);
}
Task run_one(Comm& comm, const BcastAlgorithm& algorithm, Options options, Bytes bytes,
             OperationBuffers space) {
    const Bcast data{{space.receive.data(), bytes}, 0};
    co_await algorithm.run(comm, data, options);
}
Task run_one(Comm& comm, const BarrierAlgorithm& algorithm, Options options, Bytes /*bytes*/,
             OperationBuffers /*space*/) {
    co_await algorithm.run(comm, options);
}

struct CollectivePlan;

/// An operation that is measured.
struct MeasuredOperation {
    Operation operation;
    /// Makes the cases of its algorithms.
    std::vector<Case> (*cases)(const CollectivePlan& plan, Bytes bytes, OperationBuffers space);
    /// True if a buffer holds a block for each rank.
    bool has_blocks = false;
    /// True if no rank can finish before the root has begun, but before the others have.
    bool waits_for_root = false;
    bool has_data = true;
};

struct CollectivePlan {
    const MeasuredOperation* what = nullptr;
    std::string algorithm;
    std::int64_t radix = 0;
    std::vector<Bytes> sizes;
    Repetitions repetitions;
    bool payload = true;
    std::vector<Native> natives;
};

/// The word for all algorithms.
constexpr std::string_view every = "all";

template <auto table>
std::vector<Case> cases(const CollectivePlan& plan, Bytes bytes, OperationBuffers space) {
    const bool wants_all = plan.algorithm == every;
    if (!wants_all && plan.algorithm != native)
        (void)find_algorithm(table(), plan.what->operation.name, plan.algorithm);
    std::vector<Case> result;
    for (const auto& algorithm : table()) {
        if (!wants_all && algorithm.name != plan.algorithm) continue;
        const Options options = options_with(algorithm, plan.radix);
        result.push_back({std::string(algorithm.name), [=, &algorithm](Comm& comm) {
                              return run_one(comm, algorithm, options, bytes, space);
                          }});
    }
    return result;
}

constexpr MeasuredOperation measured[] = {
    {.operation = alltoallv_operation, .cases = cases<alltoallv_algorithms>, .has_blocks = true},
    {.operation = allreduce_operation, .cases = cases<allreduce_algorithms>},
    {.operation = allgather_operation, .cases = cases<allgather_algorithms>, .has_blocks = true},
    {.operation = bcast_operation, .cases = cases<bcast_algorithms>, .waits_for_root = true},
    {.operation = barrier_operation, .cases = cases<barrier_algorithms>, .has_data = false},
};

constexpr auto operation = declare::one_of<const MeasuredOperation*>(
                               "operation", "operation whose algorithms are measured",
                               {{alltoallv_operation.name, &measured[0]},
                                {allreduce_operation.name, &measured[1]},
                                {allgather_operation.name, &measured[2]},
                                {bcast_operation.name, &measured[3]},
                                {barrier_operation.name, &measured[4]}})
                               .required();
constexpr auto algorithm = declare::word(
    "algorithm", "algorithm, \"native\" for the MPI library's own, or \"all\"", every);
constexpr auto radix =
    declare::whole("radix", "radix of algorithms that have one; 0: their default", 0)
        .within(0, 1'000'000);
constexpr const Declaration* own_settings[] = {&operation, &algorithm, &radix};
constexpr auto settings_of_collectives = joined(own_settings, given::usual);

std::vector<Case> cases_of(const CollectivePlan& plan, Bytes bytes, OperationBuffers space) {
    std::vector<Case> result = plan.what->cases(plan, bytes, space);
    for (const Native& one : plan.natives) {
        const bool asked = plan.algorithm == every || plan.algorithm == native;
        if (!asked || one.operation != plan.what->operation.name) continue;
        result.push_back({one.name, [=](Comm& comm) {
                              return one.run(comm, bytes, space.send, space.receive);
                          }});
    }
    return result;
}

[[nodiscard]] Bytes memory_for(const CollectivePlan& plan, Rank ranks, Bytes size) {
    return plan.what->has_blocks ? size * ranks : size;
}

Task run(Comm& comm, const CollectivePlan& plan, Rows* rows) {
    const Bytes most = memory_for(plan, comm.size(), *std::ranges::max_element(plan.sizes));
    Memory send(most, plan.payload);
    Memory receive(most, plan.payload);
    const bool is_waited_for = !plan.what->waits_for_root || comm.rank() == 0;
    std::vector<double> seconds;
    for (const Bytes bytes : plan.sizes) {
        const OperationBuffers space{send.first(send.size()), receive.first(receive.size())};
        const std::vector<Case> all = cases_of(plan, bytes, space);
        const std::function<void()> renew = [&, used = memory_for(plan, comm.size(), bytes)] {
            send.touch(used);
            receive.touch(used);
        };
        for (const Case& one : all) {
            co_await time_collectively(comm, one.body, plan.repetitions, is_waited_for, seconds,
                                       renew);
            if (rows != nullptr) rows->push_back({one.name, bytes, seconds});
        }
    }
}

Program make_collectives(const Settings& settings, Rank /*ranks*/, const Platform& platform,
                         Rows& rows) {
    CollectivePlan plan{operation.of(settings),
                        algorithm.of(settings),
                        radix.of(settings),
                        read_sizes(settings),
                        read_repetitions(settings),
                        given::payload.of(settings),
                        {platform.natives.begin(), platform.natives.end()}};
    if (!plan.what->has_data) plan.sizes = {0};
    if (cases_of(plan, 0, {}).empty()) {
        throw ConfigError(text("collectives: ", plan.what->operation.name,
                               " has no native form on this communicator"));
    }
    return
        [plan, &rows](Comm& comm) { return run(comm, plan, comm.rank() == 0 ? &rows : nullptr); };
}

}  // namespace

extern const MeasurementEntry collectives_entry;
constinit const MeasurementEntry collectives_entry = {
    .name = "collectives",
    .summary = "every algorithm of an operation, beside that of the MPI library",
    .settings = settings_of_collectives,
    .prepare = make_collectives,
};

}  // namespace tradewind::measure
