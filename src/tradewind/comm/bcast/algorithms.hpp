/// The bcast algorithms; each is described in the file of the same name.
#pragma once

#include "tradewind/comm/bcast/bcast.hpp"

namespace tradewind {

Task bcast_binomial(Comm& comm, Bcast message, Options options);
Task bcast_tree(Comm& comm, Bcast message, Options options);
Task bcast_bine(Comm& comm, Bcast message, Options options);
Task bcast_scatter_allgather(Comm& comm, Bcast message, Options options);

}  // namespace tradewind
