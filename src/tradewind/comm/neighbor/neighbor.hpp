/// neighbor: every rank sends messages to some ranks and receives messages from some; the table of
/// its algorithms.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/message_totals.hpp"
#include "tradewind/comm/operation.hpp"
#include "tradewind/comm/options.hpp"

namespace tradewind {

inline constexpr Operation neighbor_operation{"neighbor", "burst"};

/// One end of an edge: the other rank, and `size` bytes at `offset` of the rank's own buffer.
struct Neighbor {
    Rank rank = 0;
    Bytes size = 0;
    Bytes offset = 0;
};

/// The sources and destinations of one rank, as of a process of a distributed graph (MPI-3.1,
/// 7.5.4). The two lists may name different ranks and have different lengths. Either may be empty,
/// name a rank several times (its messages arrive in order), or name the rank itself. Both ends of
/// an edge must give the same size; empty messages are not sent.
struct Neighborhood {
    std::vector<Neighbor> sources;
    std::vector<Neighbor> destinations;
};

class NeighborWindow;

/// The data of one rank's exchange, which the caller keeps alive until the task has finished. Both
/// buffers are null on all ranks or on none.
struct NeighborExchange {
    ConstBuffer send;
    Buffer receive;
    const Neighborhood* neighbors = nullptr;
    /// The window into `receive` for these neighbours; only one-sided algorithms read it.
    NeighborWindow* window = nullptr;
};

struct NeighborAlgorithm {
    std::string_view name;
    std::string_view summary;
    Task (*run)(Comm& comm, NeighborExchange data, Options options) = nullptr;
    /// Returns what all ranks send in that many exchanges, set-up included, if the messages of one
    /// have the totals `edges`; the tests compare it with what they count.
    MessageTotals (*total)(MessageTotals edges, std::int64_t exchanges) = nullptr;
    /// The smallest allowed `options.radix`; 0, since no algorithm has a radix yet.
    std::int64_t smallest_radix = 0;
    std::int64_t default_radix = 0;
    /// True if the algorithm follows `options.protocol`; otherwise it accepts only the default.
    bool has_protocols = false;
    static constexpr bool has_transports = false;
    /// True if the algorithm needs a connected NeighborWindow.
    bool needs_window = false;
};

[[nodiscard]] std::span<const NeighborAlgorithm> neighbor_algorithms();
/// Returns the algorithm called `name`; throws a ConfigError that names the known ones.
[[nodiscard]] const NeighborAlgorithm& neighbor_algorithm(std::string_view name);

}  // namespace tradewind
