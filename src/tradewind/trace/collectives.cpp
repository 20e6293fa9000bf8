/// The collectives of a replay, by the tables of algorithms.
#include "tradewind/trace/collectives.hpp"

#include "tradewind/base/errors.hpp"
#include "tradewind/comm/neighbor/graph.hpp"
#include "tradewind/trace/messages.hpp"

namespace tradewind::trace {

namespace {

/// Returns a sum whose elements divide the vector. All sums take equally long.
[[nodiscard]] Reduction sum_of(Bytes bytes) {
    return bytes % Bytes(sizeof(double)) == 0 ? sum<double>() : sum<std::int8_t>();
}

Task run_alltoall(Comm& comm, const ReplayPlan& plan, CallView call) {
    const Bytes block = call.arguments[0];
    const UniformBlocks blocks(block);
    const Alltoallv data{ConstBuffer(block * comm.size()), Buffer(block * comm.size()), &blocks};
    co_await plan.alltoallv.algorithm->run(comm, data, plan.alltoallv.options);
}

Task run_alltoallv(Comm& comm, const RankState& state, const ReplayPlan& plan, CallView call) {
    const BlockLists lists = blocks_of(state, call, comm.size());
    const ArrayBlocks blocks(lists.to, lists.to_offset, lists.from, lists.from_offset);
    const Alltoallv data{ConstBuffer(lists.to.back() + lists.to_offset.back()),
                         Buffer(lists.from.back() + lists.from_offset.back()), &blocks};
    co_await plan.alltoallv.algorithm->run(comm, data, plan.alltoallv.options);
}

Task run_neighbors(Comm& comm, const RankState& state, const ReplayPlan& plan, CallView call) {
    const Neighborhood neighbors = neighbors_of(state, call, comm);
    const NeighborExchange data{ConstBuffer(extent(neighbors.destinations)),
                                Buffer(extent(neighbors.sources)), &neighbors};
    co_await plan.neighbor.algorithm->run(comm, data, plan.neighbor.options);
}

[[nodiscard]] Rank root_of(const RankState& state, const CallView& call, const Comm& comm) {
    const Rank root = call.arguments[0];
    if (root >= comm.size())
        state.fail(text("has root ", root, " in a communicator of ", comm.size()));
    return root;
}

}  // namespace

bool is_collective(Call call) noexcept {
    return call >= Call::barrier && call <= Call::neighbor_alltoallv;
}

Task run_collective(Comm& /*world*/, RankState& state, const ReplayPlan& plan, CallView call) {
    SubComm& comm = *state.comm(call.comm).collectives;
    const Bytes bytes = call.arguments.empty() ? 0 : call.arguments.back();
    switch (call.call) {
        case Call::barrier:
            return plan.barrier.algorithm->run(comm, plan.barrier.options);
        case Call::bcast:
            return plan.bcast.algorithm->run(
                comm, {Buffer(bytes), root_of(state, call, comm)}, plan.bcast.options);
        case Call::allreduce:
            return plan.allreduce.algorithm->run(comm, {Buffer(bytes), sum_of(bytes)},
                                                 plan.allreduce.options);
        case Call::allgather:
            return plan.allgather.algorithm->run(
                comm, {ConstBuffer(bytes), Buffer(bytes * comm.size())}, plan.allgather.options);
        case Call::alltoall:
            return run_alltoall(comm, plan, call);
        case Call::alltoallv:
            return run_alltoallv(comm, state, plan, call);
        case Call::neighbor_allgatherv:
        case Call::neighbor_alltoallv:
            return run_neighbors(comm, state, plan, call);
        default:
            state.fail("is recorded, but cannot be replayed");
    }
}

bool starts_at_once(Call call) noexcept {
    return call == Call::alltoall || call == Call::alltoallv || call == Call::neighbor_alltoallv ||
           call == Call::neighbor_allgatherv;
}

void start_collective(RankState& state, const CallView& call) {
    SubComm& comm = *state.comm(call.comm).started;
    OpenRequest& request = state.open(call.slot);
    const auto receive = [&](Rank from, Bytes size) {
        if (size > 0) request.messages.push_back(comm.irecv(from, Buffer(size)));
    };
    const auto send = [&](Rank to, Bytes size) {
        if (size > 0) request.messages.push_back(comm.isend(to, ConstBuffer(size)));
    };
    if (call.call == Call::alltoall || call.call == Call::alltoallv) {
        const Rank ranks = comm.size();
        const BlockLists lists = blocks_of(state, call, ranks);
        for (Rank i = 1; i <= ranks; ++i) {
            const Rank from = (comm.rank() + i) % ranks;
            receive(from, lists.from[std::size_t(from)]);
        }
        for (Rank i = 1; i <= ranks; ++i) {
            const Rank to = (comm.rank() + ranks - i) % ranks;
            send(to, lists.to[std::size_t(to)]);
        }
        return;
    }
    const Neighborhood neighbors = neighbors_of(state, call, comm);
    for (const Neighbor& one : neighbors.sources) receive(one.rank, one.size);
    for (const Neighbor& one : neighbors.destinations) send(one.rank, one.size);
}

}  // namespace tradewind::trace
