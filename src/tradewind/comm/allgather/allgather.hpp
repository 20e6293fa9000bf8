/// allgather: every rank gets every rank's block; the table of its algorithms.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/message_totals.hpp"
#include "tradewind/comm/operation.hpp"
#include "tradewind/comm/options.hpp"
#include "tradewind/comm/rank_blocks.hpp"

namespace tradewind {

inline constexpr Operation allgather_operation{"allgather", "ring"};

/// The buffers of one rank: its own block and all blocks; block i comes from rank i. Both may be
/// null.
struct Allgather {
    ConstBuffer mine;
    Buffer all;
    /// The sizes of the blocks, which all ranks know; without them all have the size of `mine`.
    std::optional<RankBlocks> blocks = {};
};

struct AllgatherAlgorithm {
    std::string_view name;
    std::string_view summary;
    Task (*run)(Comm& comm, Allgather data, Options options) = nullptr;
    /// Returns what all ranks send; the tests compare it with what they count.
    MessageTotals (*total)(Rank ranks, std::int64_t radix, const RankBlocks& blocks) = nullptr;
    /// The smallest allowed `options.radix`; 0 if the algorithm has no radix.
    std::int64_t smallest_radix = 0;
    std::int64_t default_radix = 0;
};

[[nodiscard]] std::span<const AllgatherAlgorithm> allgather_algorithms();
[[nodiscard]] const AllgatherAlgorithm& allgather_algorithm(std::string_view name);

}  // namespace tradewind
