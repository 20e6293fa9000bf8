/// Blocks and neighbours from the arguments of calls.
#include "tradewind/trace/messages.hpp"

#include "tradewind/base/errors.hpp"

namespace tradewind::trace {

namespace {

/// Reads a list of pairs (peer, bytes) after its length, from `at` on.
[[nodiscard]] std::vector<Neighbor> edges_of(const ReplayRank& state, const Comm& comm,
                                             Numbers numbers, std::size_t& at) {
    std::vector<Neighbor> edges;
    Bytes offset = 0;
    const std::size_t end = at + 1 + 2 * std::size_t(numbers[at]);
    for (++at; at < end; at += 2) {
        if (numbers[at] == no_peer) continue;
        edges.push_back({state.peer(comm, numbers[at]), numbers[at + 1], offset});
        offset += numbers[at + 1];
    }
    return edges;
}

}  // namespace

std::vector<Bytes> offsets_of(Numbers sizes) {
    std::vector<Bytes> offsets{0};
    for (const Bytes size : sizes) offsets.push_back(offsets.back() + size);
    return offsets;
}

BlockLists blocks_of(const ReplayRank& state, const CallView& call, Rank ranks) {
    const auto count = std::size_t(ranks);
    if (call.arguments.size() != 2 * count)
        state.fail(text("has ", call.arguments.size() / 2, " blocks for ", ranks, " ranks"));
    const auto begin = call.arguments.begin();
    const auto middle = begin + std::ptrdiff_t(count);
    BlockLists lists;
    lists.to.assign(begin, middle);
    lists.from.assign(middle, call.arguments.end());
    lists.to_offset = offsets_of(lists.to);
    lists.from_offset = offsets_of(lists.from);
    return lists;
}

Neighborhood neighbors_of(const ReplayRank& state, const CallView& call, const Comm& comm) {
    std::size_t at = 0;
    Neighborhood result;
    result.destinations = edges_of(state, comm, call.arguments, at);
    result.sources = edges_of(state, comm, call.arguments, at);
    return result;
}

}  // namespace tradewind::trace
