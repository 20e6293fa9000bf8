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
#include "tradewind/comm/read_options.hpp"
#include "tradewind/measure/measurements.hpp"
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

template <class Algorithm>
std::vector<Case> cases(std::span<const Algorithm> table, const std::string& operation,
                        const std::string& name, std::int64_t radix, Bytes bytes,
                        OperationBuffers space) {
    if (name != "all" && name != "native") (void)find_algorithm(table, operation, name);
    std::vector<Case> result;
    for (const Algorithm& algorithm : table) {
        if (name != "all" && algorithm.name != name) continue;
        const Options options = options_with(algorithm, radix);
        result.push_back({std::string(algorithm.name), [=, &algorithm](Comm& comm) {
                              return run_one(comm, algorithm, options, bytes, space);
                          }});
    }
    return result;
}

struct CollectivePlan {
    std::string operation;
    std::string algorithm;
    std::int64_t radix = 0;
    std::vector<Bytes> sizes;
    Repetitions repetitions;
    bool payload = true;
    std::vector<Native> natives;
};

std::vector<Case> cases_of(const CollectivePlan& plan, Bytes bytes, OperationBuffers space) {
    const auto of = [&](auto table) {
        return cases(table, plan.operation, plan.algorithm, plan.radix, bytes, space);
    };
    const std::string& operation = plan.operation;
    std::vector<Case> result;
    if (operation == "alltoallv") result = of(alltoallv_algorithms());
    if (operation == "allreduce") result = of(allreduce_algorithms());
    if (operation == "allgather") result = of(allgather_algorithms());
    if (operation == "bcast") result = of(bcast_algorithms());
    if (operation == "barrier") result = of(barrier_algorithms());
    for (const Native& native : plan.natives) {
        const bool asked = plan.algorithm == "all" || plan.algorithm == "native";
        if (!asked || native.operation != operation) continue;
        result.push_back({native.name, [=](Comm& comm) {
                              return native.run(comm, bytes, space.send, space.receive);
                          }});
    }
    return result;
}

[[nodiscard]] Bytes memory_for(const CollectivePlan& plan, Rank ranks, Bytes size) {
    const bool has_blocks = plan.operation == "alltoallv" || plan.operation == "allgather";
    return has_blocks ? size * ranks : size;
}

Task run(Comm& comm, const CollectivePlan& plan, Rows* rows) {
    const Bytes most = memory_for(plan, comm.size(), *std::ranges::max_element(plan.sizes));
    Memory send(most, plan.payload);
    Memory receive(most, plan.payload);
    const bool is_waited_for = plan.operation != "bcast" || comm.rank() == 0;
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

}  // namespace

Program make_collectives(const Settings& settings, Rank ranks, std::span<const Native> natives,
                         Rows& rows) {
    CollectivePlan plan{settings.need<std::string>("operation"),
                        settings.get<std::string>("algorithm", "all"),
                        settings.whole("radix", 0, 0, ranks < 2 ? 2 : 1'000'000),
                        read_sizes(settings),
                        read_repetitions(settings),
                        settings.get<bool>("payload", true),
                        {natives.begin(), natives.end()}};
    constexpr std::string_view operations[] = {"alltoallv", "allreduce", "allgather", "bcast",
                                               "barrier"};
    if (std::ranges::find(operations, plan.operation) == std::end(operations)) {
        throw ConfigError(text("collectives: there is no operation '", plan.operation,
                               "'; known are: alltoallv, allreduce, allgather, bcast, barrier"));
    }
    if (plan.operation == "barrier") plan.sizes = {0};
    if (cases_of(plan, 0, {}).empty()) {
        throw ConfigError(
            text("collectives: ", plan.operation, " has no native form on this communicator"));
    }
    return
        [plan, &rows](Comm& comm) { return run(comm, plan, comm.rank() == 0 ? &rows : nullptr); };
}

}  // namespace tradewind::measure
