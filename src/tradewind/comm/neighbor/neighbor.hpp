/// neighbor: every rank sends messages to some ranks and receives messages from some; the table of
/// its algorithms.
#pragma once

#include <memory>
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

class NeighborConnection;

/// The data of one rank's exchange, which the caller keeps alive until the task has finished. Both
/// buffers are null on all ranks or on none.
struct NeighborExchange {
    ConstBuffer send;
    Buffer receive;
    const Neighborhood* neighbors = nullptr;
    /// The connection that the algorithm has prepared for these neighbours and buffers, if it needs
    /// one.
    NeighborConnection* connection = nullptr;
};

/// The state that an algorithm keeps between exchanges with the same neighbours and buffers, such
/// as a window or persistent requests. It must not outlive the communicator.
class NeighborConnection {
public:
    NeighborConnection() = default;
    NeighborConnection(const NeighborConnection&) = delete;
    NeighborConnection& operator=(const NeighborConnection&) = delete;
    virtual ~NeighborConnection() = default;

    /// Makes the preparations that need other ranks; all ranks call it once.
    [[nodiscard]] virtual Task connect(Comm& comm) = 0;
    /// Starts the messages of the next exchange, where they need no call until `exchange`; most
    /// algorithms have nothing to start early.
    virtual void begin(Comm& /*comm*/, const NeighborExchange& /*data*/) {}
    [[nodiscard]] virtual Task exchange(Comm& comm, NeighborExchange data) = 0;
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
    /// A function that prepares the connection that the algorithm needs, collective; null if it
    /// needs none. Buffers and neighbours must live as long as the connection.
    std::unique_ptr<NeighborConnection> (*prepare)(Comm& comm,
                                                   const NeighborExchange& data) = nullptr;
    /// True if other ranks can write to the receive buffer, which must live as long as `comm`.
    bool exposes_memory = false;
    /// True if the messages are those of Comm::prepare, so that a schedule can start each alone.
    bool is_persistent = false;
    /// True if `NeighborConnection::begin` starts the messages.
    bool begins_early = false;
};

[[nodiscard]] std::span<const NeighborAlgorithm> neighbor_algorithms();
/// Returns the neighbourhood collectives of MPI libraries, which simulated ranks do not have.
[[nodiscard]] std::span<const NeighborAlgorithm> neighbor_natives();
/// Returns the algorithm or native collective called `name`; throws a ConfigError that names the
/// known algorithms.
[[nodiscard]] const NeighborAlgorithm& neighbor_algorithm(std::string_view name);

}  // namespace tradewind
