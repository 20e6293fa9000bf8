/// The tables of a trace that grows: events, strings, groups, and the folded calls of each rank.
#include "tradewind/trace/builder.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "tradewind/base/errors.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/trace/fold.hpp"
#include "tradewind/trace/shapes.hpp"

namespace tradewind::trace {

namespace {

/// Smaller deviations are those of caches and clocks.
constexpr Picoseconds least_deviation = 2'000'000;

struct HashOfNumbers {
    std::size_t operator()(const std::vector<std::int64_t>& numbers) const noexcept {
        std::uint64_t hash = numbers.size();
        for (const std::int64_t number : numbers) hash = mix(hash, std::uint64_t(number));
        return hash;
    }
};

/// Different lists of numbers one after the other, each of which is kept once.
class ListTable {
public:
    explicit ListTable(std::vector<std::int64_t>& first, std::vector<std::int64_t>& numbers)
        : first_(first), numbers_(numbers) {
        first_ = {0};
    }
    /// Returns the index of a list.
    std::int64_t find(const std::vector<std::int64_t>& list) {
        const auto [entry, is_new] = known_.try_emplace(list, std::int64_t(known_.size()));
        if (is_new) {
            numbers_.insert(numbers_.end(), list.begin(), list.end());
            first_.push_back(std::int64_t(numbers_.size()));
        }
        return entry->second;
    }

private:
    std::vector<std::int64_t>& first_;
    std::vector<std::int64_t>& numbers_;
    std::unordered_map<std::vector<std::int64_t>, std::int64_t, HashOfNumbers> known_;
};

void append(Trace& result, const SummedTimes& times) {
    result.computed.push_back(times.computed);
    result.processor.push_back(times.processor);
    result.inside.push_back(times.inside);
    result.inside_min.push_back(times.inside_min);
    result.inside_max.push_back(times.inside_max);
}

}  // namespace

struct TraceBuilder::Tables {
    explicit Tables(Rank ranks) : folders(std::size_t(ranks)), communicators(std::size_t(ranks)) {
        result.string_first = {0};
    }

    Trace result;
    std::map<std::string, std::int64_t, std::less<>> strings;
    std::unordered_map<std::vector<std::int64_t>, std::int64_t, HashOfNumbers> events;
    ListTable groups{result.group_first, result.group_ranks};
    std::vector<StreamFolder> folders;
    /// The groups of the communicators of each rank.
    std::vector<std::vector<std::int64_t>> communicators;
};

TraceBuilder::TraceBuilder(Rank ranks) {
    if (ranks < 1 || ranks > most_ranks)
        throw TraceError(text("a trace of ", ranks, " ranks: allowed are 1..", most_ranks));
    state_ = std::make_unique<Tables>(ranks);
    std::vector<Rank> all(static_cast<std::size_t>(ranks));
    for (Rank r = 0; r < ranks; ++r) all[std::size_t(r)] = r;
    for (Rank r = 0; r < ranks; ++r) {
        communicator(r, all);
        communicator(r, {r});
    }
}

TraceBuilder::~TraceBuilder() = default;

std::int64_t TraceBuilder::string(std::string_view text) {
    Trace& result = state_->result;
    const auto found = state_->strings.find(text);
    if (found != state_->strings.end()) return found->second;
    const auto number = std::int64_t(state_->strings.size());
    state_->strings.emplace(text, number);
    result.strings += text;
    result.string_first.push_back(std::int64_t(result.strings.size()));
    return number;
}

std::int64_t TraceBuilder::event(const TracedCall& event) {
    check_shape(event.call, event.flags, event.arguments);
    std::vector<std::int64_t> key{std::int64_t(event.call), event.comm, event.flags, event.site};
    key.insert(key.end(), event.arguments.begin(), event.arguments.end());
    const auto [entry, is_new] =
        state_->events.try_emplace(std::move(key), std::int64_t(state_->events.size()));
    if (is_new) {
        Trace& result = state_->result;
        result.events.insert(
            result.events.end(),
            {std::int64_t(event.call), event.comm, event.flags, event.site,
             std::int64_t(result.arguments.size()), std::int64_t(event.arguments.size())});
        result.arguments.insert(result.arguments.end(), event.arguments.begin(),
                                event.arguments.end());
    }
    return entry->second;
}

std::int64_t TraceBuilder::communicator(Rank rank, const std::vector<Rank>& members) {
    auto& own = state_->communicators.at(std::size_t(rank));
    own.push_back(state_->groups.find(members));
    return std::int64_t(own.size()) - 1;
}

void TraceBuilder::add(Rank rank, std::int64_t event, const CallTimes& times, std::int64_t place) {
    if (event < 0 || std::size_t(event) >= state_->events.size())
        throw TraceError(text("a trace has no event ", event));
    state_->folders.at(std::size_t(rank))
        .add(event, {times.computed, times.processor, times.inside, times.inside, times.inside},
             place);
}

Variation TraceBuilder::variation(Rank rank) const {
    Variation result;
    Picoseconds most = 0;
    std::vector<std::int64_t> items;
    std::vector<SummedTimes> times;
    flatten(state_->folders.at(std::size_t(rank)).nodes(), items, times);
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (items[2 * i] < 0) continue;
        result.processor += times[i].processor;
        const SummedTimes& one = times[i];
        const Picoseconds per_turn = one.deviation / one.turns;
        if (per_turn < least_deviation) continue;
        result.deviation += one.deviation;
        if (one.deviation <= most) continue;
        most = one.deviation;
        result.event = items[2 * i];
        result.mean = one.processor / one.turns;
        result.deviation_per_turn = per_turn;
    }
    return result;
}

Trace TraceBuilder::finish() {
    Trace& result = state_->result;
    std::unordered_map<std::vector<std::int64_t>, std::int64_t, HashOfNumbers> streams;
    result.stream_first = {0};
    result.time_first = {0};
    result.comm_first = {0};
    for (std::size_t r = 0; r < state_->folders.size(); ++r) {
        std::vector<std::int64_t> items;
        std::vector<SummedTimes> times;
        flatten(state_->folders[r].nodes(), items, times);
        state_->folders[r] = {};
        for (const SummedTimes& one : times) append(result, one);
        result.time_first.push_back(std::int64_t(result.computed.size()));
        const auto& own = state_->communicators[r];
        result.comm_group.insert(result.comm_group.end(), own.begin(), own.end());
        result.comm_first.push_back(std::int64_t(result.comm_group.size()));
        const auto [entry, is_new] =
            streams.try_emplace(std::move(items), std::int64_t(streams.size()));
        result.stream.push_back(entry->second);
        if (!is_new) continue;
        result.items.insert(result.items.end(), entry->first.begin(), entry->first.end());
        result.stream_first.push_back(std::int64_t(result.items.size()) / 2);
    }
    Trace done = std::move(result);
    state_ = std::make_unique<Tables>(0);
    return done;
}

}  // namespace tradewind::trace
