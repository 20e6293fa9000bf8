/// barrier: no rank leaves before every rank has entered; the table of its algorithms.
#pragma once

#include <span>
#include <string_view>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/message_totals.hpp"
#include "tradewind/comm/operation.hpp"
#include "tradewind/comm/options.hpp"

namespace tradewind {

inline constexpr Operation barrier_operation{"barrier", "dissemination"};

struct BarrierAlgorithm {
    std::string_view name;
    std::string_view summary;
    Task (*run)(Comm& comm, Options options) = nullptr;
    /// Returns what all ranks send; the tests compare it with what they count.
    MessageTotals (*total)(Rank ranks, std::int64_t radix) = nullptr;
    /// The smallest allowed `options.radix`; 0 if the algorithm has no radix.
    std::int64_t smallest_radix = 0;
    std::int64_t default_radix = 0;
};

[[nodiscard]] std::span<const BarrierAlgorithm> barrier_algorithms();
[[nodiscard]] const BarrierAlgorithm& barrier_algorithm(std::string_view name);

}  // namespace tradewind
