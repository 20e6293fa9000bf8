/// Parts shared by the reduce algorithms: the check of the arguments and the totals of a tree.
#pragma once

#include "tradewind/comm/allreduce/pieces.hpp"
#include "tradewind/comm/allreduce/totals.hpp"
#include "tradewind/comm/reduce/reduce.hpp"
#include "tradewind/comm/root.hpp"

namespace tradewind {

/// Throws ConfigError unless the root is a rank and the vector consists of whole elements.
inline void require_reducible(const Comm& comm, const Reduce& vector, std::string_view algorithm) {
    require_root(comm, vector.root, algorithm);
    require_whole_elements({vector.data, vector.reduction}, algorithm);
}

/// Returns the totals of any tree: each rank but the root sends one vector, unless it is empty.
[[nodiscard]] constexpr MessageTotals reduce_tree_totals(Rank ranks, std::int64_t /*radix*/,
                                                         std::int64_t length) noexcept {
    const std::int64_t messages = length > 0 ? ranks - 1 : 0;
    return {messages, messages * length * word_bytes};
}

}  // namespace tradewind
