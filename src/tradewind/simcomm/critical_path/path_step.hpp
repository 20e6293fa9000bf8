/// PathStep: a piece of the critical path of a run.
#pragma once

#include <array>
#include <cstdint>

#include "tradewind/base/units.hpp"

namespace tradewind::simcomm {

/// The kinds of steps, by what takes their time.
enum class PathKind : std::uint8_t {
    compute,          ///< the computation of a rank
    local_work,       ///< copies and sums of a rank
    overhead,         ///< the processor's time for messages
    progress,         ///< a partner that computes and makes no call (weak progress)
    injection_queue,  ///< behind other messages of the same interface
    back_pressure,    ///< the interface is held up by the network
    port_queue,       ///< behind other packets at a port
    credit,           ///< no room behind a port
    memory,           ///< behind others at the memory of a node
    wire,             ///< latencies, and the bytes themselves
    node_copy,        ///< a copy within a node
    rendezvous,       ///< announcements and answers of long messages
};
/// The names of the kinds, in their order.
inline constexpr std::array path_kind_names = {
    "compute",    "local_work", "overhead", "progress", "injection_queue", "back_pressure",
    "port_queue", "credit",     "memory",   "wire",     "node_copy",       "rendezvous"};
static_assert(path_kind_names.size() == std::size_t(PathKind::rendezvous) + 1);

/// A step between `begin` and `end`. Steps of a message name its source as `rank` and its
/// destination as `partner`; others have the same rank in both. Waits at a port name it.
struct PathStep {
    static constexpr std::int32_t no_port = -1;

    PathKind kind = PathKind::compute;
    Picoseconds begin = 0;
    Picoseconds end = 0;
    std::uint32_t rank = 0;
    std::uint32_t partner = 0;
    /// The index among the phases of the run; -1 for none.
    std::int32_t phase = -1;
    std::int32_t location = no_port;
    std::int32_t port = no_port;
    /// The switch behind the port, or -1 for a node, and the class of the link.
    std::int32_t to = no_port;
    std::int32_t link_class = no_port;
};

}  // namespace tradewind::simcomm
