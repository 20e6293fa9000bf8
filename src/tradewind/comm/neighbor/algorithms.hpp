/// The algorithms of the neighbourhood exchange; each is described in the file of the same name.
#pragma once

#include "tradewind/comm/neighbor/neighbor.hpp"

namespace tradewind {

Task neighbor_burst(Comm& comm, NeighborExchange data, Options options);
Task neighbor_pairwise(Comm& comm, NeighborExchange data, Options options);
Task neighbor_puts(Comm& comm, NeighborExchange data, Options options);

}  // namespace tradewind
