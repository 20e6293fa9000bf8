/// alltoallv: every rank sends an individual block to every other rank; the table of its
/// algorithms.
#pragma once

#include <span>
#include <string_view>

#include "tradewind/comm/alltoallv/blocks.hpp"
#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/message_totals.hpp"
#include "tradewind/comm/operation.hpp"
#include "tradewind/comm/options.hpp"

namespace tradewind {

inline constexpr Operation alltoallv_operation{"alltoallv", "ring_k"};

/// The buffers and blocks of one rank, which the caller keeps alive until the task has finished.
/// Both buffers are null on all ranks or on none. A rank without data of its own still needs one
/// buffer that is not null, since it may forward real data of others.
struct Alltoallv {
    ConstBuffer send;
    Buffer receive;
    const Blocks* blocks = nullptr;
};

/// The sizes of all blocks, and whether every rank knows those among the others.
struct BlockSizes {
    Bytes (*size)(Rank from, Rank to) = nullptr;
    bool known_to_all = true;
};

struct AlltoallvAlgorithm {
    std::string_view name;
    std::string_view summary;
    Task (*run)(Comm& comm, Alltoallv data, Options options) = nullptr;
    /// Returns what all ranks send; the tests compare it with what they count.
    MessageTotals (*total)(Rank ranks, std::int64_t radix, const BlockSizes& blocks) = nullptr;
    /// The smallest allowed `options.radix`; 0 if the algorithm has no radix.
    std::int64_t smallest_radix = 0;
    std::int64_t default_radix = 0;
    /// True if the algorithm follows `options.protocol` and `options.transport`; otherwise it
    /// accepts only the defaults.
    bool has_protocols = false;
    static constexpr bool has_transports = true;
    /// True if the algorithm reads `options.window`.
    bool has_window = false;
    /// True if a message holds the blocks of several ranks.
    bool combines_blocks = false;
};

/// Returns the bytes of the longest message among `ranks` ranks whose blocks have at most `block`
/// bytes, for the channel of a transport by puts. Algorithms that combine blocks send at most half
/// of the blocks in one message (8 bytes per block in messages of sizes).
[[nodiscard]] inline Bytes longest_message(const AlltoallvAlgorithm& algorithm, Bytes block,
                                           Rank ranks) noexcept {
    constexpr Bytes size_bytes = 8;
    return algorithm.combines_blocks ? (ranks / 2) * (block > size_bytes ? block : size_bytes)
                                     : block;
}

[[nodiscard]] std::span<const AlltoallvAlgorithm> alltoallv_algorithms();
/// Returns the algorithm called `name`; throws a ConfigError that names the known ones. "native" is
/// the collective of the underlying MPI library.
[[nodiscard]] const AlltoallvAlgorithm& alltoallv_algorithm(std::string_view name);

}  // namespace tradewind
