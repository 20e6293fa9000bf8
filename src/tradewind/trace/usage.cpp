/// The count of the collectives of all ranks.
#include "tradewind/trace/usage.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "tradewind/base/interrupts.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/neighbor/neighbor.hpp"
#include "tradewind/trace/call.hpp"

namespace tradewind::trace {

namespace {

/// The calls of one operation.
struct CallSums {
    double bytes = 0.0;
    double messages = 0.0;
    std::int64_t most_calls = 0;
    /// The calls by the size of their communicator.
    std::map<Rank, std::int64_t> by_size;
};

constexpr std::string_view operations[] = {allreduce_operation.name, alltoallv_operation.name,
                                           neighbor_operation.name};

/// Returns the place in `operations`; -1 for other calls.
[[nodiscard]] int operation_of(Call call) noexcept {
    switch (call) {
        case Call::allreduce:
            return 0;
        case Call::alltoall:
        case Call::alltoallv:
            return 1;
        case Call::neighbor_allgatherv:
        case Call::neighbor_alltoallv:
            return 2;
        default:
            return -1;
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
    RankCounter(const TraceView& trace, Rank rank, std::vector<CallSums>& sums)
        : trace_(trace), rank_(std::size_t(rank)), sums_(sums), calls_(sums.size()) {}

    void count() {
        const auto stream = std::size_t(trace_.stream[rank_]);
        const auto first = std::size_t(trace_.stream_first[stream]);
        count_items(first, std::size_t(trace_.stream_first[stream + 1]), 1);
        for (std::size_t i = 0; i < sums_.size(); ++i)
            sums_[i].most_calls = std::max(sums_[i].most_calls, calls_[i]);
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
        const int operation = operation_of(Call(head[0]));
        if (operation < 0) return;
        CallSums& sums = sums_[std::size_t(operation)];
        calls_[std::size_t(operation)] += turns;
        sums.by_size[size_of(head[1])] += turns;
        add_bytes(Call(head[0]),
                  trace_.arguments.subspan(std::size_t(head[4]), std::size_t(head[5])),
                  double(turns), sums);
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
    std::vector<CallSums>& sums_;
    std::vector<std::int64_t> calls_;
};

}  // namespace

std::vector<OperationUse> operations_of(const TraceView& trace) {
    std::vector<CallSums> sums(std::size(operations));
    for (Rank rank = 0; rank < Rank(trace.stream.size()); ++rank)
        RankCounter(trace, rank, sums).count();
    std::vector<OperationUse> uses;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        if (sums[i].most_calls == 0) continue;
        const auto most = std::ranges::max_element(sums[i].by_size, {},
                                                   [](const auto& entry) { return entry.second; });
        const Bytes mean = Bytes(sums[i].bytes / std::max(1.0, sums[i].messages));
        uses.push_back({std::string(operations[i]), most->first, mean, "", sums[i].most_calls,
                        std::string(operations[i])});
    }
    return uses;
}

}  // namespace tradewind::trace
