/// allreduce: every rank gets the element-wise combination of all ranks' vectors; the table of its
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

inline constexpr Operation allreduce_operation{"allreduce", "recursive_k"};

/// An allreduce in place: `data` holds the rank's own vector before and the result afterwards. It
/// may be null. Its size must be a multiple of the element size and equal on all ranks.
struct Allreduce {
    Buffer data;
    Reduction reduction;
};

struct AllreduceAlgorithm {
    std::string_view name;
    std::string_view summary;
    Task (*run)(Comm& comm, Allreduce vector, Options options) = nullptr;
    /// Returns what all ranks send for a vector of `length` elements of 8 bytes; the tests compare
    /// it with what they count.
    MessageTotals (*total)(Rank ranks, std::int64_t radix, std::int64_t length) = nullptr;
    /// The smallest allowed `options.radix`; 0 if the algorithm has no radix.
    std::int64_t smallest_radix = 0;
    std::int64_t default_radix = 0;
    /// True if the algorithm follows `options.protocol` and `options.transport`; otherwise it
    /// accepts only the defaults.
    bool has_protocols = false;
    static constexpr bool has_transports = true;
};

[[nodiscard]] std::span<const AllreduceAlgorithm> allreduce_algorithms();
/// Returns the algorithm called `name`; throws a ConfigError that names the known ones. "native" is
/// the collective of the underlying MPI library.
[[nodiscard]] const AllreduceAlgorithm& allreduce_algorithm(std::string_view name);

}  // namespace tradewind
