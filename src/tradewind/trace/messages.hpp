/// The messages of calls that exchange blocks: who gets how many bytes from whom.
#pragma once

#include "tradewind/comm/neighbor/neighbor.hpp"
#include "tradewind/trace/replay_rank.hpp"

namespace tradewind::trace {

/// Returns where blocks that follow each other begin, and where the last one ends.
[[nodiscard]] std::vector<Bytes> offsets_of(Numbers sizes);

/// The bytes from and to every rank of a communicator, with their places one after the other.
struct BlockLists {
    std::vector<Bytes> to;
    std::vector<Bytes> from;
    std::vector<Bytes> to_offset;
    std::vector<Bytes> from_offset;
};

/// Returns the blocks of an alltoallv, on a communicator with `ranks` ranks. Throws
/// TraceError if the call has another number of them.
[[nodiscard]] BlockLists blocks_of(const ReplayRank& state, const CallView& call, Rank ranks);

/// Returns the neighbours of a neighbourhood collective.
[[nodiscard]] Neighborhood neighbors_of(const ReplayRank& state, const CallView& call,
                                        const Comm& comm);

}  // namespace tradewind::trace
