/// alltoallv: every rank sends a block of its own to every other rank; the table of its algorithms.
#pragma once

#include <span>
#include <string_view>

#include "tradewind/comm/alltoallv/blocks.hpp"
#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/options.hpp"

namespace tradewind {

/// The caller keeps buffers and blocks alive until the task has finished. Both buffers may be null,
/// on all ranks or on none: also a rank without any data of its own forwards real data of others if
/// one of them is not null.
struct Alltoallv {
    ConstBuffer send;
    Buffer receive;
    const Blocks* blocks = nullptr;
};

struct AlltoallvAlgorithm {
    std::string_view name;
    Task (*run)(Comm& comm, Alltoallv data, Options options);
    /// Smallest allowed `options.radix`; 0 if the algorithm has none.
    std::int64_t smallest_radix;
    std::int64_t default_radix;
    std::string_view summary;
    /// Follows `options.protocol` and `options.transport`; refuses any but the default otherwise.
    bool has_protocols = false;
    /// A message holds the blocks of several ranks.
    bool combines_blocks = false;
};

/// Bytes of the longest message among `ranks` ranks whose blocks have at most `block` bytes: for
/// the channel of a transport by puts. Algorithms that combine blocks send at most half of them (8
/// bytes each, where they first tell the sizes).
[[nodiscard]] inline Bytes longest_message(const AlltoallvAlgorithm& algorithm, Bytes block,
                                           Rank ranks) noexcept {
    constexpr Bytes size_bytes = 8;
    return algorithm.combines_blocks ? (ranks / 2) * (block > size_bytes ? block : size_bytes)
                                     : block;
}

[[nodiscard]] std::span<const AlltoallvAlgorithm> alltoallv_algorithms();
/// Throws ConfigError, naming the known ones. "native" is the collective of the MPI library below.
[[nodiscard]] const AlltoallvAlgorithm& alltoallv_algorithm(std::string_view name);

}  // namespace tradewind
