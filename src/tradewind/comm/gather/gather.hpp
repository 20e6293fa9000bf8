/// gather: the root gets every rank's block; the table of its algorithms.
#pragma once

#include <span>
#include <string_view>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/message_totals.hpp"
#include "tradewind/comm/operation.hpp"
#include "tradewind/comm/options.hpp"
#include "tradewind/comm/rank_blocks.hpp"

namespace tradewind {

inline constexpr Operation gather_operation{"gather", "binomial"};

/// The buffers of one rank: its own block and, at the root only, all `blocks`. Both may be null, on
/// all ranks or on none: a rank without data of its own still needs a buffer that is not null,
/// since it may forward those of others.
struct Gather {
    ConstBuffer mine;
    Buffer all;
    RankBlocks blocks;
    Rank root = 0;
};

struct GatherAlgorithm {
    std::string_view name;
    std::string_view summary;
    Task (*run)(Comm& comm, Gather data, Options options) = nullptr;
    /// Returns what all ranks send; the tests compare it with what they count.
    MessageTotals (*total)(Rank ranks, std::int64_t radix, const RankBlocks& blocks,
                           Rank root) = nullptr;
    /// The smallest allowed `options.radix`; 0 if the algorithm has no radix.
    std::int64_t smallest_radix = 0;
    std::int64_t default_radix = 0;
};

[[nodiscard]] std::span<const GatherAlgorithm> gather_algorithms();
[[nodiscard]] const GatherAlgorithm& gather_algorithm(std::string_view name);

}  // namespace tradewind
