/// The verification of the exchange between parts of a mesh.
#pragma once

#include <string_view>

#include "tradewind/comm/mesh/mesh_exchange.hpp"

namespace tradewind::verification {

/// Exchanges two fields twice, by the choice that `choice` describes, between items that are
/// scattered over the ranks. `right` tells whether each point has the sum of all that it shares, or
/// the copies of its neighbours. `factor` scales the layers. Work between send and receive changes
/// nothing.
Task try_mesh(Comm& comm, MeshCombination combination, std::string_view choice, std::int64_t factor,
              bool& right);

}  // namespace tradewind::verification
