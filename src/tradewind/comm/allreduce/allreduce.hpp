/// allreduce: every rank gets the element-wise combination of all ranks' vectors; the table of its
/// algorithms.
#pragma once

#include <span>
#include <string_view>

#include "tradewind/comm/allreduce/reduction.hpp"
#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/options.hpp"

namespace tradewind {

/// An allreduce in place: `data` holds the rank's own vector before and the result afterwards. It
/// may be null. Its size must be a multiple of the element size and equal on all ranks.
struct Allreduce {
    Buffer data;
    Reduction reduction;
};

struct AllreduceAlgorithm {
    std::string_view name;
    Task (*run)(Comm& comm, Allreduce vector, Options options);
    /// The smallest allowed `options.radix`; 0 if the algorithm has no radix.
    std::int64_t smallest_radix;
    std::int64_t default_radix;
    std::string_view summary;
    /// True if the algorithm follows `options.protocol` and `options.transport`; otherwise it
    /// accepts only the defaults.
    bool has_protocols = false;
};

[[nodiscard]] std::span<const AllreduceAlgorithm> allreduce_algorithms();
/// Returns the algorithm called `name`; throws a ConfigError that names the known ones. "native" is
/// the collective of the underlying MPI library.
[[nodiscard]] const AllreduceAlgorithm& allreduce_algorithm(std::string_view name);

}  // namespace tradewind
