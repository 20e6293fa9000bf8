/// barrier: no rank leaves before every rank has entered; the table of its algorithms.
#pragma once

#include <span>
#include <string_view>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/options.hpp"

namespace tradewind {

struct BarrierAlgorithm {
    std::string_view name;
    Task (*run)(Comm& comm, Options options);
    /// The smallest allowed `options.radix`; 0 if the algorithm has no radix.
    std::int64_t smallest_radix;
    std::int64_t default_radix;
    std::string_view summary;
};

[[nodiscard]] std::span<const BarrierAlgorithm> barrier_algorithms();
[[nodiscard]] const BarrierAlgorithm& barrier_algorithm(std::string_view name);

}  // namespace tradewind
