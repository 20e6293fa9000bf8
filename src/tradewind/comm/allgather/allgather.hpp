/// allgather: every rank gets every rank's block; the table of its algorithms.
#pragma once

#include <span>
#include <string_view>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/options.hpp"

namespace tradewind {

/// The buffers of one rank. `all` has size() times the size of `mine`; block i comes from rank i.
/// Both may be null.
struct Allgather {
    ConstBuffer mine;
    Buffer all;
};

struct AllgatherAlgorithm {
    std::string_view name;
    Task (*run)(Comm& comm, Allgather data, Options options);
    /// The smallest allowed `options.radix`; 0 if the algorithm has no radix.
    std::int64_t smallest_radix;
    std::int64_t default_radix;
    std::string_view summary;
};

[[nodiscard]] std::span<const AllgatherAlgorithm> allgather_algorithms();
[[nodiscard]] const AllgatherAlgorithm& allgather_algorithm(std::string_view name);

}  // namespace tradewind
