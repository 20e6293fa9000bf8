/// bcast: every rank gets the root's data; the table of its algorithms.
#pragma once

#include <span>
#include <string_view>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/message_totals.hpp"
#include "tradewind/comm/operation.hpp"
#include "tradewind/comm/options.hpp"

namespace tradewind {

inline constexpr Operation bcast_operation{"bcast", "binomial"};

struct Bcast {
    Buffer data;
    Rank root = 0;
};

struct BcastAlgorithm {
    std::string_view name;
    std::string_view summary;
    Task (*run)(Comm& comm, Bcast data, Options options) = nullptr;
    /// Returns what all ranks send for a message of `bytes` bytes; the tests compare it with what
    /// they count.
    MessageTotals (*total)(Rank ranks, std::int64_t radix, Bytes bytes) = nullptr;
    /// The smallest allowed `options.radix`; 0 if the algorithm has no radix.
    std::int64_t smallest_radix = 0;
    std::int64_t default_radix = 0;
};

[[nodiscard]] std::span<const BcastAlgorithm> bcast_algorithms();
[[nodiscard]] const BcastAlgorithm& bcast_algorithm(std::string_view name);

}  // namespace tradewind
