/// Nonblocking collectives of a replay: the messages are those of the blocking call.
#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "support/machine.hpp"
#include "testing.hpp"
#include "tradewind/base/errors.hpp"
#include "tradewind/trace/builder.hpp"
#include "tradewind/trace/replay_plan.hpp"

using namespace support;
using namespace tradewind::trace;

namespace {

using Arguments = std::vector<std::int64_t>;

/// Returns bytes that differ by pair; some pairs have none.
[[nodiscard]] Bytes between(Rank from, Rank to) {
    return 100 * ((3 * from + to + 1) % 4);
}

[[nodiscard]] Arguments nothing(Rank /*rank*/, Rank /*ranks*/) {
    return {};
}
[[nodiscard]] Arguments equal(Rank /*rank*/, Rank /*ranks*/) {
    return {240};
}
[[nodiscard]] Arguments rooted(Rank /*rank*/, Rank ranks) {
    return {1 % ranks, 240};
}
[[nodiscard]] Arguments counted(Rank /*rank*/, Rank ranks) {
    Arguments counts;
    for (Rank other = 0; other < ranks; ++other) counts.push_back(80 * (other + 1));
    return counts;
}
[[nodiscard]] Arguments rooted_counts(Rank rank, Rank ranks) {
    const Rank root = 1 % ranks;
    Arguments result = {root, 80 * (rank + 1)};
    const Arguments counts = counted(rank, ranks);
    if (rank == root) result.insert(result.end(), counts.begin(), counts.end());
    return result;
}
[[nodiscard]] Arguments blocks(Rank rank, Rank ranks) {
    Arguments result;
    for (Rank other = 0; other < ranks; ++other) result.push_back(between(rank, other));
    for (Rank other = 0; other < ranks; ++other) result.push_back(between(other, rank));
    return result;
}

/// Returns a ring whose ranks are neighbours of themselves, with bytes of the own rank and of
/// those on its two sides.
[[nodiscard]] Arguments ring(Rank rank, Rank ranks, Bytes (*bytes)(Rank from, Bytes side)) {
    const Rank right = (rank + 1) % ranks;
    const Rank left = (rank + ranks - 1) % ranks;
    return {
        3, 0, bytes(rank, 100), right - rank, bytes(rank, 200), left - rank,  bytes(rank, 300),
        3, 0, bytes(rank, 100), left - rank,  bytes(left, 200), right - rank, bytes(right, 300)};
}
[[nodiscard]] Arguments ring_of_equal(Rank rank, Rank ranks) {
    return ring(rank, ranks, [](Rank from, Bytes) { return 100 * (from + 1); });
}
[[nodiscard]] Arguments ring_of_different(Rank rank, Rank ranks) {
    return ring(rank, ranks, [](Rank from, Bytes side) { return side + 8 * from; });
}

/// A collective, and the arguments with which each rank calls it.
struct CollectiveCase {
    Call call;
    Arguments (*arguments)(Rank rank, Rank ranks);
};
constexpr CollectiveCase collectives[] = {
    {Call::barrier, nothing},
    {Call::bcast, rooted},
    {Call::reduce, rooted},
    {Call::gather, rooted},
    {Call::gatherv, rooted_counts},
    {Call::scatter, rooted},
    {Call::scatterv, rooted_counts},
    {Call::allreduce, equal},
    {Call::scan, equal},
    {Call::exscan, equal},
    {Call::reduce_scatter_block, equal},
    {Call::reduce_scatter, counted},
    {Call::allgather, equal},
    {Call::allgatherv, counted},
    {Call::alltoall, equal},
    {Call::alltoallv, blocks},
    {Call::neighbor_allgatherv, ring_of_equal},
    {Call::neighbor_alltoallv, ring_of_different},
};

/// The forms of a collective: MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init.
enum class Form : std::uint8_t { blocking, nonblocking, persistent };

[[nodiscard]] Trace record(const CollectiveCase& one, Rank ranks, Form form) {
    TraceBuilder builder(ranks);
    const std::int64_t flags =
        form == Form::persistent ? flag::nonblocking | flag::persistent : flag::nonblocking;
    const auto add = [&](Rank rank, Call call, std::int64_t flags_of_call, Arguments arguments) {
        builder.add(rank, builder.event({call, world, flags_of_call, none, std::move(arguments)}),
                    {});
    };
    for (Rank rank = 0; rank < ranks; ++rank) {
        for (int turn = 0; turn < 2; ++turn) {
            Arguments arguments = one.arguments(rank, ranks);
            if (form == Form::blocking) {
                add(rank, one.call, 0, arguments);
                continue;
            }
            arguments.push_back(0);
            add(rank, one.call, flags, arguments);
            add(rank, Call::wait, 0, {0});
        }
    }
    return builder.finish();
}

/// Returns a machine with a rank on each node, in which copies take time, and which keeps all
/// messages.
[[nodiscard]] Sections machine_of(Rank ranks) {
    Sections machine = star_machine(ranks);
    machine["node"].set("copy_bandwidth", 1e9);
    machine["simulation"].set("timeline", true);
    return machine;
}

/// Replays two calls of a collective, by default algorithms but for one that is named.
[[nodiscard]] simcomm::RunResult replayed(const CollectiveCase& one, Rank ranks, Form form,
                                          std::string_view alltoallv = {}) {
    const Trace trace = record(one, ranks, form);
    ReplayPlan plan = plan_replay(view_of(trace));
    if (!alltoallv.empty())
        plan.choices.all.alltoallv = choose(alltoallv_algorithms(), "alltoallv", alltoallv);
    return simcomm::simulate(
               machine_of(ranks), [&](Comm& comm) { return replay(comm, plan); }, ranks)
        .run;
}

/// Returns sender, receiver and bytes of all messages.
[[nodiscard]] auto messages_of(const simcomm::RunResult& run) {
    std::vector<std::tuple<std::uint32_t, std::uint32_t, Bytes>> messages;
    for (const sim::TimelineRecord& one : run.network.timeline)
        messages.emplace_back(one.source_rank, one.destination_rank, one.bytes);
    std::ranges::sort(messages);
    return messages;
}

void check_same_messages(const simcomm::RunResult& one, const simcomm::RunResult& other) {
    CHECK_EQ(one.messages, other.messages);
    CHECK_EQ(one.bytes, other.bytes);
    CHECK(messages_of(one) == messages_of(other));
}

}  // namespace

TEST_CASE("nonblocking and persistent collectives send the messages of the blocking ones") {
    for (const CollectiveCase& one : collectives) {
        for (const Rank ranks : {1, 2, 5, 8}) {
            CAPTURE(call_infos[std::size_t(one.call)].name, ranks);
            const simcomm::RunResult blocking = replayed(one, ranks, Form::blocking);
            check_same_messages(replayed(one, ranks, Form::nonblocking), blocking);
            check_same_messages(replayed(one, ranks, Form::persistent), blocking);
            if (ranks == 1) CHECK_EQ(blocking.messages, 0);
        }
    }
}

TEST_CASE("a nonblocking alltoall sends the messages of the algorithm that is named") {
    const CollectiveCase alltoall{Call::alltoall, equal};
    const CollectiveCase alltoallv{Call::alltoallv, blocks};
    for (const AlltoallvAlgorithm& algorithm : alltoallv_algorithms()) {
        for (const Rank ranks : {5, 8}) {
            CAPTURE(algorithm.name, ranks);
            const auto run = [&](const CollectiveCase& one, Form form) {
                return replayed(one, ranks, form, algorithm.name);
            };
            check_same_messages(run(alltoall, Form::nonblocking), run(alltoall, Form::blocking));
            // Ranks of a recorded alltoallv do not know the blocks of others.
            if (!algorithm.combines_blocks) {
                check_same_messages(run(alltoallv, Form::nonblocking),
                                    run(alltoallv, Form::blocking));
                continue;
            }
            const auto refusal = [&](Form form) {
                return message_of<ConfigError>([&] { (void)run(alltoallv, form); });
            };
            CHECK(says(refusal(Form::blocking), "the size of every block"));
            CHECK_EQ(refusal(Form::nonblocking), refusal(Form::blocking));
        }
    }
}

TEST_CASE("exchanges that start at once copy the own block as a burst does, and take as long") {
    for (const CollectiveCase& one : collectives) {
        if (one.call < Call::alltoall) continue;
        for (const Rank ranks : {1, 2, 5, 8}) {
            CAPTURE(call_infos[std::size_t(one.call)].name, ranks);
            const auto time = [&](Form form) { return replayed(one, ranks, form, "burst").time; };
            CHECK(time(Form::blocking) > 0);
            CHECK_EQ(time(Form::nonblocking), time(Form::blocking));
        }
    }
}
