/// scatter: every rank gets its block from the root; the table of its algorithms.
#pragma once

#include <span>
#include <string_view>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/message_totals.hpp"
#include "tradewind/comm/operation.hpp"
#include "tradewind/comm/options.hpp"
#include "tradewind/comm/rank_blocks.hpp"

namespace tradewind {

inline constexpr Operation scatter_operation{"scatter", "binomial"};

/// The buffers of one rank: all `blocks`, at the root only, and its own block. Both may be null, on
/// all ranks or on none: a rank without data of its own still needs a buffer that is not null,
/// since it may forward those of others.
struct Scatter {
    ConstBuffer all;
    Buffer mine;
    RankBlocks blocks;
    Rank root = 0;
};

struct ScatterAlgorithm {
    std::string_view name;
    std::string_view summary;
    Task (*run)(Comm& comm, Scatter data, Options options) = nullptr;
    /// Returns what all ranks send; the tests compare it with what they count.
    MessageTotals (*total)(Rank ranks, std::int64_t radix, const RankBlocks& blocks,
                           Rank root) = nullptr;
    /// The smallest allowed `options.radix`; 0 if the algorithm has no radix.
    std::int64_t smallest_radix = 0;
    std::int64_t default_radix = 0;
};

[[nodiscard]] std::span<const ScatterAlgorithm> scatter_algorithms();
[[nodiscard]] const ScatterAlgorithm& scatter_algorithm(std::string_view name);

}  // namespace tradewind
