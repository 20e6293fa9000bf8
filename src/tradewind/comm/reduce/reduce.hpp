/// reduce: the root gets the element-wise combination of all ranks' vectors; the table of its
/// algorithms.
#pragma once

#include <span>
#include <string_view>

#include "tradewind/comm/allreduce/reduction.hpp"
#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/message_totals.hpp"
#include "tradewind/comm/operation.hpp"
#include "tradewind/comm/options.hpp"

namespace tradewind {

inline constexpr Operation reduce_operation{"reduce", "binomial"};

/// A reduce in place: `data` holds the rank's own vector before. Afterwards it holds the result at
/// the root, and partial results on other ranks. It may be null. Its size must be a multiple of the
/// element size and equal on all ranks.
struct Reduce {
    Buffer data;
    Reduction reduction;
    Rank root = 0;
};

struct ReduceAlgorithm {
    std::string_view name;
    std::string_view summary;
    Task (*run)(Comm& comm, Reduce vector, Options options) = nullptr;
    /// Returns what all ranks send for a vector of `length` elements of 8 bytes; the tests compare
    /// it with what they count.
    MessageTotals (*total)(Rank ranks, std::int64_t radix, std::int64_t length) = nullptr;
    /// The smallest allowed `options.radix`; 0 if the algorithm has no radix.
    std::int64_t smallest_radix = 0;
    std::int64_t default_radix = 0;
};

[[nodiscard]] std::span<const ReduceAlgorithm> reduce_algorithms();
[[nodiscard]] const ReduceAlgorithm& reduce_algorithm(std::string_view name);

}  // namespace tradewind
