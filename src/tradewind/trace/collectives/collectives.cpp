/// The collectives of a replay, by the tables of algorithms.
#include "tradewind/trace/collectives/collectives.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tradewind/base/errors.hpp"
#include "tradewind/comm/alltoallv/algorithms.hpp"
#include "tradewind/comm/neighbor/algorithms.hpp"
#include "tradewind/comm/neighbor/graph.hpp"
#include "tradewind/trace/messages.hpp"

namespace tradewind::trace {

namespace {

/// Returns a sum whose elements divide each of the vectors. All sums take equally long.
[[nodiscard]] Reduction sum_of(Numbers sizes) {
    const bool are_doubles =
        std::ranges::all_of(sizes, [](Bytes size) { return size % Bytes(sizeof(double)) == 0; });
    return are_doubles ? sum<double>() : sum<std::int8_t>();
}
[[nodiscard]] Reduction sum_of(Bytes bytes) {
    return sum_of(Numbers(&bytes, 1));
}

/// Returns the data of an alltoall on a number of ranks.
[[nodiscard]] Alltoallv data_of(const UniformBlocks& blocks, Rank ranks) {
    const Bytes all = blocks.everywhere() * ranks;
    return {ConstBuffer(all), Buffer(all), &blocks};
}

/// The blocks of an alltoallv, and its data.
struct ListedBlocks {
    explicit ListedBlocks(BlockLists of_call) : lists(std::move(of_call)) {}
    ListedBlocks(const ListedBlocks&) = delete;
    ListedBlocks& operator=(const ListedBlocks&) = delete;

    BlockLists lists;
    ArrayBlocks blocks{lists.to, lists.to_offset, lists.from, lists.from_offset};
    Alltoallv data{ConstBuffer(lists.to_offset.back()), Buffer(lists.from_offset.back()), &blocks};
};

[[nodiscard]] NeighborExchange data_of(const Neighborhood& neighbors) {
    return {ConstBuffer(extent(neighbors.destinations)), Buffer(extent(neighbors.sources)),
            &neighbors};
}

Task run_alltoall(Comm& comm, const ReplayChoices& choices, CallView call) {
    const UniformBlocks blocks(call.arguments[0]);
    const Alltoallv data = data_of(blocks, comm.size());
    co_await choices.alltoallv.algorithm->run(comm, data, choices.alltoallv.options);
}

Task run_alltoallv(Comm& comm, const ReplayRank& state, const ReplayChoices& choices,
                   CallView call) {
    const ListedBlocks listed(blocks_of(state, call, comm.size()));
    co_await choices.alltoallv.algorithm->run(comm, listed.data, choices.alltoallv.options);
}

/// Returns the offsets of the blocks of a gatherv or scatterv. Ranks other than the root know their
/// own block alone.
[[nodiscard]] std::vector<Bytes> rooted_offsets(const Comm& comm, const ReplayRank& state,
                                                const CallView& call) {
    const Numbers counts = call.arguments.subspan(2);
    const auto ranks = std::size_t(comm.size());
    if (comm.rank() == call.arguments[0]) {
        if (counts.size() != ranks)
            state.fail(text("has ", counts.size(), " counts for ", ranks, " ranks"));
        return offsets_of(counts);
    }
    std::vector<Bytes> offsets(ranks + 1, 0);
    std::fill(offsets.begin() + comm.rank() + 1, offsets.end(), call.arguments[1]);
    return offsets;
}

/// Runs a gatherv or scatterv by the linear algorithm, as libraries do: no other rank than the root
/// knows the blocks of the others.
Task run_rooted(Comm& comm, const ReplayRank& state, CallView call) {
    const std::vector<Bytes> offsets = rooted_offsets(comm, state, call);
    const RankBlocks blocks{std::span(offsets)};
    const Bytes own = blocks.size(comm.rank());
    const Rank root = call.arguments[0];
    if (call.call == Call::gatherv) {
        const Gather data{ConstBuffer(own), Buffer(offsets.back()), blocks, root};
        co_await gather_algorithm("linear").run(comm, data, {});
    } else {
        const Scatter data{ConstBuffer(offsets.back()), Buffer(own), blocks, root};
        co_await scatter_algorithm("linear").run(comm, data, {});
    }
}

/// Runs an allgatherv or a reduce_scatter, whose blocks all ranks know.
Task run_counts(Comm& comm, const ReplayRank& state, const ReplayChoices& choices, CallView call) {
    if (Rank(call.arguments.size()) != comm.size())
        state.fail(text("has ", call.arguments.size(), " counts for ", comm.size(), " ranks"));
    const std::vector<Bytes> offsets = offsets_of(call.arguments);
    const RankBlocks blocks{std::span(offsets)};
    if (call.call == Call::allgatherv) {
        const Allgather data{ConstBuffer(blocks.size(comm.rank())), Buffer(offsets.back()), blocks};
        co_await choices.allgather.algorithm->run(comm, data, choices.allgather.options);
    } else {
        const ReduceScatter data{Buffer(offsets.back()), sum_of(call.arguments), blocks};
        co_await choices.reduce_scatter.algorithm->run(comm, data, choices.reduce_scatter.options);
    }
}

Task run_neighbors(Comm& comm, const ReplayRank& state, const ReplayChoices& choices,
                   CallView call) {
    const Neighborhood neighbors = neighbors_of(state, call, comm);
    const NeighborExchange data = data_of(neighbors);
    co_await choices.neighbor.algorithm->run(comm, data, choices.neighbor.options);
}

[[nodiscard]] Rank root_of(const ReplayRank& state, const CallView& call, const Comm& comm) {
    const Rank root = call.arguments[0];
    if (root >= comm.size())
        state.fail(text("has root ", root, " in a communicator of ", comm.size()));
    return root;
}

/// Runs a collective from or to a root with equal blocks.
Task run_from_root(Comm& comm, const ReplayRank& state, const ReplayChoices& choices,
                   const CallView& call) {
    const Rank root = root_of(state, call, comm);
    const Bytes bytes = call.arguments[1];
    const Bytes all = bytes * comm.size();
    switch (call.call) {
        case Call::reduce:
            return choices.reduce.algorithm->run(comm, {Buffer(bytes), sum_of(bytes), root},
                                                 choices.reduce.options);
        case Call::gather:
            return choices.gather.algorithm->run(
                comm, {ConstBuffer(bytes), Buffer(all), bytes, root}, choices.gather.options);
        case Call::scatter:
            return choices.scatter.algorithm->run(
                comm, {ConstBuffer(all), Buffer(bytes), bytes, root}, choices.scatter.options);
        default:
            return choices.bcast.algorithm->run(comm, {Buffer(bytes), root}, choices.bcast.options);
    }
}

/// Runs a collective in which all ranks pass as many bytes.
Task run_equal(Comm& comm, const ReplayChoices& choices, const CallView& call) {
    const Bytes bytes = call.arguments[0];
    const Bytes all = bytes * comm.size();
    switch (call.call) {
        case Call::scan:
        case Call::exscan:
            return choices.scan.algorithm->run(
                comm, {Buffer(bytes), sum_of(bytes), call.call == Call::exscan},
                choices.scan.options);
        case Call::reduce_scatter_block:
            return choices.reduce_scatter.algorithm->run(comm, {Buffer(all), sum_of(bytes), bytes},
                                                         choices.reduce_scatter.options);
        case Call::allgather:
            return choices.allgather.algorithm->run(comm, {ConstBuffer(bytes), Buffer(all)},
                                                    choices.allgather.options);
        case Call::alltoall:
            return run_alltoall(comm, choices, call);
        default:
            return choices.allreduce.algorithm->run(comm, {Buffer(bytes), sum_of(bytes)},
                                                    choices.allreduce.options);
    }
}

}  // namespace

bool is_collective(Call call) noexcept {
    return call >= Call::barrier && call <= Call::neighbor_alltoallv;
}

/// Returns the bytes of a call that rules of libraries compare with their limits.
[[nodiscard]] static Bytes compared_bytes(const CallView& call, Rank ranks) {
    switch (call_infos[std::size_t(call.call)].shape) {
        case ArgumentShape::root:
            return call.arguments[1];
        case ArgumentShape::counts:
            return std::reduce(call.arguments.begin(), call.arguments.end(), Bytes{0});
        case ArgumentShape::bytes: {
            const bool is_of_all =
                call.call == Call::allgather || call.call == Call::reduce_scatter_block;
            return call.arguments[0] * (is_of_all ? ranks : 1);
        }
        default:
            return 0;
    }
}

/// Returns whether a library makes a collective of two others.
[[nodiscard]] static bool is_via_root(Call call, const ReplayChoices& choices) {
    switch (call) {
        case Call::allreduce:
            return choices.allreduce.algorithm == nullptr;
        case Call::allgatherv:
            return choices.allgather.algorithm == nullptr;
        case Call::reduce_scatter:
        case Call::reduce_scatter_block:
            return choices.reduce_scatter.algorithm == nullptr;
        default:
            return false;
    }
}

/// Runs a collective as one to rank 0 and then one from it, each by its own algorithm.
static Task run_via_root(SubComm& comm, ReplayRank& state, const ReplayPlan& plan, CallView call) {
    const Bytes all = compared_bytes(call, comm.size());
    const auto rank = std::size_t(comm.rank());
    std::vector<std::int64_t> to_root = {0, all};
    std::vector<std::int64_t> from_root = {0, all};
    CallView first = call;
    CallView second = call;
    first.call = Call::reduce;
    second.call = Call::bcast;
    if (call.call == Call::reduce_scatter_block) {
        second.call = Call::scatter;
        from_root[1] = call.arguments[0];
    } else if (call.call != Call::allreduce) {
        const bool gathers = call.call == Call::allgatherv;
        std::vector<std::int64_t>& counted = gathers ? to_root : from_root;
        (gathers ? first : second).call = gathers ? Call::gatherv : Call::scatterv;
        counted[1] = call.arguments[rank];
        if (rank == 0) counted.insert(counted.end(), call.arguments.begin(), call.arguments.end());
    }
    first.arguments = to_root;
    second.arguments = from_root;
    co_await run_collective(comm, state, plan, first);
    co_await run_collective(comm, state, plan, second);
}

/// Returns the algorithms for a call on a communicator of some ranks.
[[nodiscard]] static const ReplayChoices& choices_for(const ReplayPlan& plan, const CallView& call,
                                                      Rank ranks) {
    const std::size_t choice = choice_by(plan.rules, call.call, ranks, compared_bytes(call, ranks));
    const ChoiceTable& table = plan.choices_of(call.site);
    const CallGroup group =
        table.of_group.empty() ? CallGroup() : group_of(call.call, call.arguments, ranks);
    return table.of(group, choice);
}

Task run_collective(SubComm& comm, ReplayRank& state, const ReplayPlan& plan, CallView call) {
    const ReplayChoices& choices = choices_for(plan, call, comm.size());
    if (is_via_root(call.call, choices)) return run_via_root(comm, state, plan, call);
    switch (call_infos[std::size_t(call.call)].shape) {
        case ArgumentShape::none:
            return choices.barrier.algorithm->run(comm, choices.barrier.options);
        case ArgumentShape::root:
            return run_from_root(comm, state, choices, call);
        case ArgumentShape::root_counts:
            (void)root_of(state, call, comm);
            return run_rooted(comm, state, call);
        case ArgumentShape::counts:
            return run_counts(comm, state, choices, call);
        case ArgumentShape::bytes:
            return run_equal(comm, choices, call);
        case ArgumentShape::blocks:
            return run_alltoallv(comm, state, choices, call);
        case ArgumentShape::graph:
            return run_neighbors(comm, state, choices, call);
        default:
            state.fail("is recorded, but cannot be replayed");
    }
}

namespace {

Task run_beside(Comm& comm, ReplayRank& state, const ReplayPlan& plan, CallView call) {
    const std::unique_ptr<SubComm> members = state.comm_beside(comm, call.comm);
    members->keep_phase();
    co_await run_collective(*members, state, plan, call);
}

}  // namespace

void start_beside(ReplayRank& state, const ReplayPlan& plan, const CallView& call) {
    OpenRequest& request = state.open(call.slot);
    request.is_task = true;
    const Request started = state.calls().run_beside(
        [&state, &plan, call](Comm& comm) { return run_beside(comm, state, plan, call); });
    if (!started.is_null()) request.messages.push_back(started);
}

bool starts_at_once(ReplayRank& state, const ReplayPlan& plan, const CallView& call) {
    switch (call.call) {
        case Call::alltoall:
        case Call::alltoallv: {
            const Rank ranks = state.comm(call.comm).started->size();
            return !choices_for(plan, call, ranks).alltoallv.algorithm->combines_blocks;
        }
        case Call::neighbor_alltoallv:
        case Call::neighbor_allgatherv:
            return true;
        default:
            return false;
    }
}

void start_collective(ReplayRank& state, const CallView& call) {
    SubComm& comm = *state.comm(call.comm).started;
    OpenRequest& request = state.open(call.slot);
    if (call.call == Call::alltoall) {
        const UniformBlocks blocks(call.arguments[0]);
        request.messages = start_burst(comm, data_of(blocks, comm.size()));
    } else if (call.call == Call::alltoallv) {
        const ListedBlocks listed(blocks_of(state, call, comm.size()));
        request.messages = start_burst(comm, listed.data);
    } else {
        const Neighborhood neighbors = neighbors_of(state, call, comm);
        request.messages = start_burst(comm, data_of(neighbors));
    }
}

}  // namespace tradewind::trace
