/// reduce_scatter: every rank gets its block of the element-wise combination of all ranks' vectors;
/// the table of its algorithms.
#pragma once

#include <span>
#include <string_view>

#include "tradewind/comm/allreduce/reduction.hpp"
#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/message_totals.hpp"
#include "tradewind/comm/operation.hpp"
#include "tradewind/comm/options.hpp"
#include "tradewind/comm/rank_blocks.hpp"

namespace tradewind {

inline constexpr Operation reduce_scatter_operation{"reduce_scatter", "recursive_halving"};

/// A reduce-scatter in place: `data` holds all blocks of the rank's own vector before. Afterwards
/// the rank's own block of it holds the result, and the others partial results. It may be null.
/// Blocks consist of whole elements.
struct ReduceScatter {
    Buffer data;
    Reduction reduction;
    RankBlocks blocks;
};

struct ReduceScatterAlgorithm {
    std::string_view name;
    std::string_view summary;
    Task (*run)(Comm& comm, ReduceScatter vector, Options options) = nullptr;
    /// Returns what all ranks send; the tests compare it with what they count.
    MessageTotals (*total)(Rank ranks, std::int64_t radix, const RankBlocks& blocks) = nullptr;
    /// The smallest allowed `options.radix`; 0 if the algorithm has no radix.
    std::int64_t smallest_radix = 0;
    std::int64_t default_radix = 0;
};

[[nodiscard]] std::span<const ReduceScatterAlgorithm> reduce_scatter_algorithms();
[[nodiscard]] const ReduceScatterAlgorithm& reduce_scatter_algorithm(std::string_view name);

}  // namespace tradewind
