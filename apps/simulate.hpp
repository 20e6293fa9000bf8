/// `tradewind-mpi simulate`: one simulation that all processes share.
#pragma once

#include <span>
#include <string>

#include "tradewind/mpi/runtime.hpp"

namespace tradewind {

/// Returns the body that runs the simulation and prints one JSON object on the first process.
/// Settings are words such as `topology.name=torus` and `program.ranks=64`, in base units; the
/// section `program` names the program.
[[nodiscard]] mpi::Body simulation(std::span<const std::string> words);

}  // namespace tradewind
