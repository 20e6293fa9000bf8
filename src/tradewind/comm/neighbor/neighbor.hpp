/// neighbor: every rank sends messages to some ranks and receives from some; the table of
/// algorithms.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/options.hpp"

namespace tradewind {

/// One end of an edge: the other rank, and `size` bytes at `offset` of the own buffer.
struct Neighbor {
    Rank rank = 0;
    Bytes size = 0;
    Bytes offset = 0;
};

/// Whom one rank receives from and sends to: a process of a distributed graph (MPI-3.1, 7.5.4). The
/// two lists may name other ranks and have other lengths; either may be empty, name a rank several
/// times (its messages arrive in their order), or the rank itself. Both ends of an edge must know
/// the same size; an empty message travels on neither side.
struct Neighborhood {
    std::vector<Neighbor> sources;
    std::vector<Neighbor> destinations;
};

class NeighborWindow;

/// The caller keeps all of it alive until the task has finished. Both buffers may be null, on all
/// ranks or on none.
struct NeighborExchange {
    ConstBuffer send;
    Buffer receive;
    const Neighborhood* neighbors = nullptr;
    /// Of `receive` and these neighbours; only one-sided algorithms read it.
    NeighborWindow* window = nullptr;
};

struct NeighborAlgorithm {
    std::string_view name;
    Task (*run)(Comm& comm, NeighborExchange data, Options options);
    /// As in the other tables; no algorithm has a radix yet.
    std::int64_t smallest_radix;
    std::int64_t default_radix;
    std::string_view summary;
    /// Follows `options.protocol`; refuses any but the default otherwise.
    bool has_protocols = false;
    /// Needs a NeighborWindow that has been connected.
    bool needs_window = false;
};

[[nodiscard]] std::span<const NeighborAlgorithm> neighbor_algorithms();
/// Throws ConfigError, naming the known ones.
[[nodiscard]] const NeighborAlgorithm& neighbor_algorithm(std::string_view name);

}  // namespace tradewind
