/// scan: every rank gets the element-wise combination of the vectors of the ranks up to its own;
/// the table of its algorithms.
#pragma once

#include <span>
#include <string_view>

#include "tradewind/comm/allreduce/reduction.hpp"
#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/message_totals.hpp"
#include "tradewind/comm/operation.hpp"
#include "tradewind/comm/options.hpp"

namespace tradewind {

inline constexpr Operation scan_operation{"scan", "recursive_doubling"};

/// A scan in place: `data` holds the rank's own vector before and the result afterwards. It may be
/// null. Its size must be a multiple of the element size and equal on all ranks.
struct Scan {
    Buffer data;
    Reduction reduction;
    /// True if the result leaves out the rank's own vector. Rank 0 then has no result, and keeps
    /// its data.
    bool exclusive = false;
};

struct ScanAlgorithm {
    std::string_view name;
    std::string_view summary;
    Task (*run)(Comm& comm, Scan vector, Options options) = nullptr;
    /// Returns what all ranks send for a vector of `length` elements of 8 bytes, inclusive or
    /// exclusive; the tests compare it with what they count.
    MessageTotals (*total)(Rank ranks, std::int64_t radix, std::int64_t length) = nullptr;
    /// The smallest allowed `options.radix`; 0 if the algorithm has no radix.
    std::int64_t smallest_radix = 0;
    std::int64_t default_radix = 0;
};

[[nodiscard]] std::span<const ScanAlgorithm> scan_algorithms();
[[nodiscard]] const ScanAlgorithm& scan_algorithm(std::string_view name);

}  // namespace tradewind
