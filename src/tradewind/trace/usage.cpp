/// The count of the collectives of all ranks.
#include "tradewind/trace/usage.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "tradewind/base/interrupts.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/neighbor/neighbor.hpp"
#include "tradewind/trace/call.hpp"

namespace tradewind::trace {

namespace {

/// The calls of one group.
struct CallSums {
    double bytes = 0.0;
    double messages = 0.0;
    std::int64_t most_calls = 0;
    /// The calls of the rank that is counted.
    std::int64_t calls = 0;
};

using Groups = std::map<CallGroup, CallSums>;

/// Groups of one operation and number of ranks are one entry of a tuning if their bytes are within
/// this factor.
constexpr double same_bytes = 1.5;
constexpr std::size_t most_groups = 8;

[[nodiscard]] std::string_view operation_of(Call call) noexcept {
    switch (call) {
        case Call::allreduce:
            return allreduce_operation.name;
        case Call::alltoall:
        case Call::alltoallv:
            return alltoallv_operation.name;
        case Call::neighbor_allgatherv:
        case Call::neighbor_alltoallv:
            return neighbor_operation.name;
        default:
            return {};
    }
}

/// Adds the bytes of one call, `times` over.
void add_bytes(Call call, Numbers arguments, double times, CallSums& sums) {
    const auto add = [&](std::int64_t bytes) {
        sums.bytes += times * double(bytes);
        sums.messages += times;
    };
    if (call == Call::allreduce || call == Call::alltoall) {
        add(arguments[0]);
    } else if (call == Call::alltoallv) {
        for (const std::int64_t bytes : arguments.first(arguments.size() / 2)) add(bytes);
    } else {
        const auto destinations = std::size_t(arguments[0]);
        for (std::size_t i = 0; i < destinations; ++i) add(arguments[2 + 2 * i]);
    }
}

/// Counts the calls of one rank.
class RankCounter {
public:
    RankCounter(const TraceView& trace, Rank rank, Groups& groups)
        : trace_(trace), rank_(std::size_t(rank)), groups_(groups) {}

    void count() {
        const auto stream = std::size_t(trace_.stream[rank_]);
        const auto first = std::size_t(trace_.stream_first[stream]);
        count_items(first, std::size_t(trace_.stream_first[stream + 1]), 1);
        for (auto& [group, sums] : groups_)
            sums.most_calls = std::max(sums.most_calls, std::exchange(sums.calls, 0));
    }

private:
    void count_items(std::size_t at, std::size_t end, std::int64_t turns) {
        while (at < end) {
            check_interrupts(16);
            const std::int64_t value = trace_.items[2 * at];
            const auto length = std::size_t(trace_.items[2 * at + 1]);
            if (value < 0) {
                count_items(at + 1, at + 1 + length, -value * turns);
            } else {
                count_call(std::size_t(value), turns);
            }
            at += 1 + length;
        }
    }

    void count_call(std::size_t event, std::int64_t turns) {
        const Numbers head = trace_.events.subspan(event_size * event, event_size);
        const auto call = Call(head[0]);
        if (operation_of(call).empty()) return;
        const Numbers arguments =
            trace_.arguments.subspan(std::size_t(head[4]), std::size_t(head[5]));
        CallSums& sums = groups_[group_of(call, arguments, size_of(head[1]))];
        sums.calls += turns;
        add_bytes(call, arguments, double(turns), sums);
    }

    /// Returns the ranks of a communicator; 1 if this rank does not have it.
    [[nodiscard]] Rank size_of(std::int64_t comm) const {
        const std::int64_t place = trace_.comm_first[rank_] + comm;
        if (comm < 0 || place >= trace_.comm_first[rank_ + 1]) return 1;
        const auto group = std::size_t(trace_.comm_group[std::size_t(place)]);
        return trace_.group_first[group + 1] - trace_.group_first[group];
    }

    const TraceView& trace_;
    std::size_t rank_;
    Groups& groups_;
};

/// Returns whether a tuning needs one entry for both.
[[nodiscard]] bool are_alike(const GroupUse& one, const GroupUse& other) {
    const auto [small, large] = std::minmax(one.bytes, other.bytes);
    return one.group.operation == other.group.operation && one.group.ranks == other.group.ranks &&
           double(large) <= same_bytes * double(small);
}

[[nodiscard]] std::string_view operation_of_use(const GroupUse& use) {
    return use.group.operation;
}

[[nodiscard]] double total_bytes(const GroupUse& use) {
    return double(use.bytes) * double(use.most_calls);
}

}  // namespace

CallGroup group_of(Call call, Numbers arguments, Rank ranks) noexcept {
    const bool have_equal_bytes = call == Call::allreduce || call == Call::alltoall;
    return {operation_of(call), ranks, have_equal_bytes ? arguments[0] : Bytes(-1)};
}

std::vector<GroupUse> groups_of(const TraceView& trace) {
    Groups groups;
    for (Rank rank = 0; rank < Rank(trace.stream.size()); ++rank)
        RankCounter(trace, rank, groups).count();
    std::vector<GroupUse> uses;
    for (const auto& [group, sums] : groups) {
        const Bytes mean = Bytes(sums.bytes / std::max(1.0, sums.messages));
        uses.push_back({group, mean, sums.most_calls});
    }
    return uses;
}

std::vector<OperationUse> operations_of(const TraceView& trace) {
    std::vector<GroupUse> groups = groups_of(trace);
    std::ranges::stable_sort(groups, std::greater(), total_bytes);
    std::vector<GroupUse> kept;
    for (const GroupUse& one : groups) {
        const auto known = std::ranges::find_if(
            kept, [&](const GroupUse& other) { return are_alike(one, other); });
        if (known != kept.end()) {
            known->most_calls += one.most_calls;
        } else if (std::ranges::count(kept, one.group.operation, operation_of_use) < most_groups) {
            kept.push_back(one);
        }
    }
    std::ranges::stable_sort(kept, {}, [](const GroupUse& use) { return use.group; });
    std::vector<OperationUse> uses;
    for (const GroupUse& use : kept) {
        const std::string operation(use.group.operation);
        uses.push_back({operation, use.group.ranks, use.bytes, "", use.most_calls, operation});
    }
    return uses;
}

}  // namespace tradewind::trace
