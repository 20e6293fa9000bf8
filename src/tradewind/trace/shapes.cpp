/// The shapes of arguments, and the consistency of the arrays of a trace.
#include "tradewind/trace/shapes.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "tradewind/base/errors.hpp"

namespace tradewind::trace {

namespace {

constexpr std::int64_t most_tag = std::int64_t{1} << 31;

[[nodiscard]] bool is_size(std::int64_t value) noexcept {
    return value >= 0 && value <= most_bytes;
}

[[nodiscard]] bool is_peer(std::int64_t value) noexcept {
    return value == no_peer || (value > -most_ranks && value < most_ranks);
}

[[nodiscard]] bool is_message(Numbers n) noexcept {
    return is_peer(n[0]) && n[1] >= -1 && n[1] <= most_tag && is_size(n[2]);
}

/// Returns whether a list of pairs (peer, bytes) after its length begins at `at`, which moves on.
[[nodiscard]] bool are_edges(Numbers n, std::size_t& at) {
    if (at >= n.size() || n[at] < 0 || std::size_t(n[at]) > (n.size() - at - 1) / 2) return false;
    const std::size_t end = at + 1 + 2 * std::size_t(n[at]);
    for (++at; at < end; at += 2) {
        if (!is_peer(n[at]) || !is_size(n[at + 1])) return false;
    }
    return true;
}

[[nodiscard]] bool is_graph(Numbers n) {
    std::size_t at = 0;
    return are_edges(n, at) && are_edges(n, at) && at == n.size();
}

/// Returns whether a window may have a signal of that number.
[[nodiscard]] bool is_signal(std::int64_t window, std::int64_t signal) noexcept {
    return window >= 0 && window < most_windows && signal >= 0 && signal < most_signals;
}

[[nodiscard]] bool are_slots(Numbers n) {
    return std::ranges::all_of(n, [](std::int64_t s) { return s >= 0 && s < most_slots; });
}

[[nodiscard]] bool is_root(Numbers n) {
    return n.size() >= 2 && n[0] >= 0 && n[0] < most_ranks &&
           std::ranges::all_of(n.subspan(1), is_size);
}

[[nodiscard]] bool has_shape(ArgumentShape shape, Numbers n) {
    switch (shape) {
        case ArgumentShape::none:
            return n.empty();
        case ArgumentShape::message:
            return n.size() == 3 && is_message(n);
        case ArgumentShape::exchange:
            return n.size() == 6 && is_message(n) && is_message(n.subspan(3));
        case ArgumentShape::slots:
            return are_slots(n);
        case ArgumentShape::bytes:
            return n.size() == 1 && is_size(n[0]);
        case ArgumentShape::root:
            return n.size() == 2 && is_root(n);
        case ArgumentShape::root_counts:
            return is_root(n);
        case ArgumentShape::counts:
            return !n.empty() && std::ranges::all_of(n, is_size);
        case ArgumentShape::blocks:
            return !n.empty() && n.size() % 2 == 0 && std::ranges::all_of(n, is_size);
        case ArgumentShape::graph:
            return is_graph(n);
        case ArgumentShape::number:
            return n.size() == 1 && n[0] >= none;
        case ArgumentShape::window:
            return n.size() == 2 && n[0] >= 0 && is_size(n[1]);
        case ArgumentShape::access:
            return n.size() == 3 && n[0] >= 0 && is_peer(n[1]) && is_size(n[2]);
        case ArgumentShape::peers:
            return !n.empty() && n[0] >= 0 && std::ranges::all_of(n.subspan(1), is_peer);
        case ArgumentShape::signalled:
            return n.size() == 4 && is_signal(n[0], n[3]) && is_peer(n[1]) && is_size(n[2]);
        case ArgumentShape::awaited:
            return n.size() == 3 && is_signal(n[0], n[1]) && n[2] >= -most_turns;
    }
    return false;
}

/// Throws TraceError unless `first` holds `count` + 1 increasing places in an array of `size`.
void check_first(std::string_view name, Numbers first, std::size_t count, std::size_t size) {
    const bool fits = first.size() == count + 1 && first.front() == 0 &&
                      first.back() == std::int64_t(size) && std::ranges::is_sorted(first);
    if (!fits) throw TraceError(text("the array ", name, " is damaged"));
}

void check_indices(std::string_view name, Numbers values, std::size_t size) {
    const bool fits = std::ranges::all_of(
        values, [&](std::int64_t value) { return value >= 0 && value < std::int64_t(size); });
    if (!fits) throw TraceError(text("the array ", name, " is damaged"));
}

void check_events(const TraceView& trace) {
    if (trace.events.size() % event_size != 0) throw TraceError("the array events is damaged");
    const auto strings = std::int64_t(trace.string_first.size()) - 1;
    for (std::size_t e = 0; e < trace.events.size(); e += event_size) {
        const Numbers event = trace.events.subspan(e, event_size);
        const bool fits = event[0] >= 0 && event[0] < std::int64_t(std::size(call_infos)) &&
                          event[1] >= 0 && event[3] >= none && event[3] < strings &&
                          event[4] >= 0 && event[5] >= 0 &&
                          event[4] <= std::int64_t(trace.arguments.size()) - event[5];
        if (!fits) throw TraceError(text("event ", e / event_size, " is damaged"));
        check_shape(Call(event[0]), event[2],
                    trace.arguments.subspan(std::size_t(event[4]), std::size_t(event[5])));
    }
}

/// Checks the items of one stream: events exist, and loops end within the loop around them.
void check_items(Numbers items, std::size_t events, std::size_t stream) {
    std::vector<std::size_t> ends{items.size() / 2};
    for (std::size_t i = 0; i < items.size() / 2; ++i) {
        while (i == ends.back()) ends.pop_back();
        const std::int64_t value = items[2 * i];
        const std::int64_t length = items[2 * i + 1];
        const bool is_call = value >= 0 && value < std::int64_t(events) && length == 0;
        const bool is_loop = value < 0 && value >= -most_turns && length > 0 &&
                             length < std::int64_t(ends.back() - i) && ends.size() < deepest_loop;
        if (!is_call && !is_loop)
            throw TraceError(text("item ", i, " of stream ", stream, " is damaged"));
        if (is_loop) ends.push_back(i + 1 + std::size_t(length));
    }
}

void check_streams(const TraceView& trace, std::size_t ranks) {
    const std::size_t streams = trace.stream_first.empty() ? 0 : trace.stream_first.size() - 1;
    check_first("stream_first", trace.stream_first, streams, trace.items.size() / 2);
    check_indices("stream", trace.stream, streams);
    for (std::size_t s = 0; s < streams; ++s) {
        const auto first = std::size_t(trace.stream_first[s]);
        const auto end = std::size_t(trace.stream_first[s + 1]);
        check_items(trace.items.subspan(2 * first, 2 * (end - first)),
                    trace.events.size() / event_size, s);
    }
    for (std::size_t r = 0; r < ranks; ++r) {
        const auto s = std::size_t(trace.stream[r]);
        if (trace.time_first[r + 1] - trace.time_first[r] !=
            trace.stream_first[s + 1] - trace.stream_first[s])
            throw TraceError(text("the times of rank ", r, " are not those of its calls"));
    }
}

/// A call of a stream that names the communicator with the largest number.
struct NamedCommunicator {
    std::int64_t number = self;
    Call call = Call::init;
};

/// Returns that call of each stream.
[[nodiscard]] std::vector<NamedCommunicator> largest_communicators(const TraceView& trace) {
    std::vector<NamedCommunicator> largest;
    for (std::size_t s = 0; s + 1 < trace.stream_first.size(); ++s) {
        NamedCommunicator found;
        const auto end = std::size_t(trace.stream_first[s + 1]);
        for (auto i = std::size_t(trace.stream_first[s]); i < end; ++i) {
            const std::int64_t event = trace.items[2 * i];
            if (event < 0) continue;
            const Numbers head = trace.events.subspan(std::size_t(event) * event_size, 2);
            if (head[1] > found.number) found = {head[1], Call(head[0])};
        }
        largest.push_back(found);
    }
    return largest;
}

/// Returns the ranks of each group in order; throws TraceError if one is twice in a group.
[[nodiscard]] std::vector<std::int64_t> sorted_groups(const TraceView& trace) {
    std::vector<std::int64_t> sorted(trace.group_ranks.begin(), trace.group_ranks.end());
    for (std::size_t g = 0; g + 1 < trace.group_first.size(); ++g) {
        const auto first = sorted.begin() + trace.group_first[g];
        const auto end = sorted.begin() + trace.group_first[g + 1];
        std::sort(first, end);
        if (std::adjacent_find(first, end) != end)
            throw TraceError(text("a rank is twice in group ", g));
    }
    return sorted;
}

/// Checks that ranks are in their own communicators, and have all that their calls name.
void check_communicators(const TraceView& trace) {
    const std::vector<std::int64_t> sorted = sorted_groups(trace);
    const std::vector<NamedCommunicator> largest = largest_communicators(trace);
    for (std::size_t r = 0; r < trace.stream.size(); ++r) {
        const Numbers groups =
            trace.comm_group.subspan(std::size_t(trace.comm_first[r]),
                                     std::size_t(trace.comm_first[r + 1] - trace.comm_first[r]));
        if (groups.size() <= self)
            throw TraceError(text("rank ", r, " lacks the communicators of all and of itself"));
        const NamedCommunicator& named = largest[std::size_t(trace.stream[r])];
        if (named.number >= std::int64_t(groups.size()))
            throw TraceError(text("rank ", r, ": ", call_infos[std::size_t(named.call)].name,
                                  " names communicator ", named.number, "; it has ",
                                  groups.size()));
        for (const std::int64_t group : groups) {
            const auto first = sorted.begin() + trace.group_first[std::size_t(group)];
            const auto end = sorted.begin() + trace.group_first[std::size_t(group) + 1];
            if (!std::binary_search(first, end, std::int64_t(r)))
                throw TraceError(text("rank ", r, " has a communicator that it is not in"));
        }
    }
}

void check_times(const TraceView& trace) {
    for (const Numbers times : {trace.computed, trace.processor, trace.inside}) {
        if (times.size() != trace.inside_min.size() || times.size() != trace.inside_max.size())
            throw TraceError("the arrays of times have different lengths");
        if (std::ranges::any_of(times, [](std::int64_t t) { return t < 0; }))
            throw TraceError("a time is negative");
    }
}

}  // namespace

void check_shape(Call call, std::int64_t flags, Numbers arguments) {
    const CallInfo& info = call_infos[std::size_t(call)];
    const bool has_slot = (flags & flag::nonblocking) != 0;
    const bool fits = flags >= 0 && flags <= flag::all &&
                      (!has_slot || (!arguments.empty() && are_slots(arguments.last(1)))) &&
                      has_shape(info.shape, arguments_of(flags, arguments));
    if (!fits) {
        throw TraceError(text("a call of ", info.name, " with ", arguments.size(),
                              " arguments does not have its shape"));
    }
}

void check(const TraceView& trace) {
    const std::size_t ranks = trace.stream.size();
    if (ranks < 1 || Rank(ranks) > most_ranks)
        throw TraceError(text("it has ", ranks, " ranks; allowed are 1..", most_ranks));
    check_first("string_first", trace.string_first,
                trace.string_first.empty() ? 0 : trace.string_first.size() - 1,
                trace.strings.size());
    check_events(trace);
    check_times(trace);
    check_first("time_first", trace.time_first, ranks, trace.computed.size());
    check_streams(trace, ranks);
    const std::size_t groups = trace.group_first.empty() ? 0 : trace.group_first.size() - 1;
    check_first("comm_first", trace.comm_first, ranks, trace.comm_group.size());
    check_first("group_first", trace.group_first, groups, trace.group_ranks.size());
    check_indices("comm_group", trace.comm_group, groups);
    check_indices("group_ranks", trace.group_ranks, ranks);
    check_communicators(trace);
}

}  // namespace tradewind::trace
