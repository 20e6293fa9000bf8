/// Repetition of single operations, and the estimates of one of them.
#include "tradewind/skeleton/operations.hpp"

#include "tradewind/comm/neighbor/graph.hpp"
#include "tradewind/comm/protocol/put_channel.hpp"

namespace tradewind::skeleton {

namespace {

/// Returns the options with the channel that they need on `comm`.
[[nodiscard]] Options opened(Comm& comm, const RepeatedAllreduce& plan, bool has_data) {
    return with_channel(plan.options,
                        open_channel(comm, plan.options.transport, plan.bytes, has_data));
}
[[nodiscard]] Options opened(Comm& comm, const RepeatedAlltoallv& plan, bool has_data) {
    const Bytes longest = longest_message(*plan.algorithm, plan.blocks.send_size(0), comm.size());
    return with_channel(plan.options,
                        open_channel(comm, plan.options.transport, longest, has_data));
}

}  // namespace

Task allreduce(Comm& comm, const RepeatedAllreduce& plan, Buffer data) {
    comm.begin_phase("allreduce");
    const Allreduce vector{data.part(0, plan.bytes), sum<double>()};
    const Options options = opened(comm, plan, !data.is_null());
    for (std::int64_t i = 0; i < plan.repeat; ++i) {
        co_await plan.algorithm->run(comm, vector, options);
    }
}

Task alltoallv(Comm& comm, const RepeatedAlltoallv& plan, ConstBuffer send, Buffer receive) {
    comm.begin_phase("alltoallv");
    const Bytes all = comm.size() * plan.blocks.send_size(0);
    const Alltoallv data{send.part(0, all), receive.part(0, all), &plan.blocks};
    const Options options = opened(comm, plan, !send.is_null() || !receive.is_null());
    for (std::int64_t i = 0; i < plan.repeat; ++i) {
        co_await plan.algorithm->run(comm, data, options);
    }
}

Task exchange_neighbors(Comm& comm, const RepeatedNeighbor& plan) {
    comm.begin_phase("neighbor");
    const auto& grid = plan.processes;
    const Neighborhood neighbors =
        grid_graph(grid.cx, grid.cy, plan.corners, plan.bytes)(comm.rank());
    const NeighborExchange data{ConstBuffer(extent(neighbors.destinations)),
                                Buffer(extent(neighbors.sources)), &neighbors};
    for (std::int64_t i = 0; i < plan.repeat; ++i) {
        co_await plan.algorithm->run(comm, data, plan.options);
    }
}

Task pingpong(Comm& comm, const Pingpong& plan, Buffer data) {
    const Rank last = comm.size() - 1;
    const bool plays = last > 0 && (comm.rank() == 0 || comm.rank() == last);
    const Rank other = last - comm.rank();
    comm.begin_phase("pingpong");
    // Rank 0 sends in even turns, the last rank in odd ones.
    for (std::int64_t turn = 0; plays && turn < 2 * plan.repeat; ++turn) {
        const bool sends = (turn % 2 == 0) == (comm.rank() == 0);
        const Buffer message = data.part(0, plan.bytes);
        Request request = sends ? comm.isend(other, message) : comm.irecv(other, message);
        co_await comm.wait(request);
    }
}

Estimate estimate(const RepeatedAllreduce& plan, Rank ranks) {
    const auto run = [&](Comm& comm) {
        return plan.algorithm->run(comm, {Buffer(plan.bytes), sum<double>()},
                                   opened(comm, plan, false));
    };
    return double(plan.repeat) * count_messages(ranks, run);
}

Estimate estimate(const RepeatedAlltoallv& plan, Rank ranks) {
    const auto run = [&](Comm& comm) {
        const Bytes all = ranks * plan.blocks.send_size(0);
        return plan.algorithm->run(comm, {ConstBuffer(all), Buffer(all), &plan.blocks},
                                   opened(comm, plan, false));
    };
    // All ranks do the same, except for the go-aheads of ordered protocols.
    const Rank most_counted = plan.options.protocol.is_ordered() ? ranks : 1;
    return double(plan.repeat) * count_messages(ranks, run, most_counted);
}

Estimate estimate(const RepeatedNeighbor& plan, Rank ranks) {
    RepeatedNeighbor once = plan;
    once.repeat = 1;
    const auto run = [&](Comm& comm) { return exchange_neighbors(comm, once); };
    return double(plan.repeat) * count_messages(ranks, run);
}

Estimate estimate(const Pingpong& plan) {
    return 2.0 * double(plan.repeat) * Estimate{1.0, double(plan.bytes), 1.0};
}

}  // namespace tradewind::skeleton
