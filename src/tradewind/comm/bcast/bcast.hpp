/// bcast: every rank gets the root's data; the table of its algorithms.
#pragma once

#include <span>
#include <string_view>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/options.hpp"

namespace tradewind {

struct Bcast {
    Buffer data;
    Rank root = 0;
};

struct BcastAlgorithm {
    std::string_view name;
    Task (*run)(Comm& comm, Bcast data, Options options);
    /// The smallest allowed `options.radix`; 0 if the algorithm has no radix.
    std::int64_t smallest_radix;
    std::int64_t default_radix;
    std::string_view summary;
};

[[nodiscard]] std::span<const BcastAlgorithm> bcast_algorithms();
[[nodiscard]] const BcastAlgorithm& bcast_algorithm(std::string_view name);

}  // namespace tradewind
