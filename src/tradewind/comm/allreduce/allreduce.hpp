/// allreduce: every rank gets the element-wise combination of all ranks' vectors; the table of its
/// algorithms.
#pragma once

#include <span>
#include <string_view>

#include "tradewind/comm/allreduce/reduction.hpp"
#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/options.hpp"

namespace tradewind {

/// In place: `data` holds the rank's own vector before and the result afterwards. It may be null;
/// its size must be a multiple of the element size, equal on all ranks.
struct Allreduce {
    Buffer data;
    Reduction reduction;
};

struct AllreduceAlgorithm {
    std::string_view name;
    Task (*run)(Comm& comm, Allreduce vector, Options options);
    /// Smallest allowed `options.radix`; 0 if the algorithm has none.
    std::int64_t smallest_radix;
    std::int64_t default_radix;
    std::string_view summary;
    /// Follows `options.protocol` and `options.transport`; refuses any but the default otherwise.
    bool has_protocols = false;
};

[[nodiscard]] std::span<const AllreduceAlgorithm> allreduce_algorithms();
/// Throws ConfigError, naming the known ones. "native" is the collective of the MPI library below.
[[nodiscard]] const AllreduceAlgorithm& allreduce_algorithm(std::string_view name);

}  // namespace tradewind
