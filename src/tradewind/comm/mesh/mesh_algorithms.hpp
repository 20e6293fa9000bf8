/// The algorithms of the mesh exchange: schedules, each with the carriers that its messages can
/// have.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tradewind/comm/mesh/mesh_exchange.hpp"
#include "tradewind/comm/operation.hpp"

namespace tradewind {

inline constexpr Operation mesh_operation{"mesh", "synchronous"};

/// A schedule, an order of sums and a carrier under one name:
///
///     SCHEDULE              by isend and irecv
///     SCHEDULE.persistent   by persistent requests
///     CARRIER               synchronous, by an algorithm or native collective of neighbor
struct MeshAlgorithm {
    std::string name;
    std::string summary;
    MeshSchedule schedule = MeshSchedule::synchronous;
    MeshOrder order = MeshOrder::fixed;
    /// An algorithm of neighbor; empty: isend and irecv.
    std::string_view carrier;
    /// True if the name says when messages are unpacked, and how they are summed.
    bool names_schedule = false;
    /// True if the carrier follows `options.protocol`.
    bool has_protocols = false;
    static constexpr std::int64_t smallest_radix = 0;
    static constexpr std::int64_t default_radix = 0;
    static constexpr bool has_transports = false;
};

/// Returns the algorithms of any communicator.
[[nodiscard]] std::span<const MeshAlgorithm> mesh_algorithms();
/// Returns those by the neighbourhood collectives of MPI libraries.
[[nodiscard]] std::span<const MeshAlgorithm> mesh_natives();
/// Returns the algorithm called `name`; throws a ConfigError that names the known ones for messages
/// that are combined so.
[[nodiscard]] const MeshAlgorithm& mesh_algorithm_for(MeshCombination combination,
                                                      std::string_view name);
[[nodiscard]] inline const MeshAlgorithm& mesh_algorithm(std::string_view name) {
    return mesh_algorithm_for(MeshCombination::sum, name);
}

}  // namespace tradewind
