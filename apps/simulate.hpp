/// `tradewind-mpi simulate`: the processes share one simulation.
#pragma once

#include <span>
#include <string>

#include "tradewind/mpi/runtime.hpp"

namespace tradewind {

/// Settings are words such as `topology.name=torus` and `program.ranks=64`, in base units; the
/// section `program` names the program. Prints one JSON object on the first process.
[[nodiscard]] mpi::Body simulation(std::span<const std::string> words);

}  // namespace tradewind
