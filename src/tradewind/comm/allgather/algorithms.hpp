/// The allgather algorithms; each is described in the file of the same name.
#pragma once

#include "tradewind/comm/allgather/allgather.hpp"

namespace tradewind {

Task allgather_ring(Comm& comm, Allgather data, Options options);
Task allgather_bruck(Comm& comm, Allgather data, Options options);
Task allgather_recursive_doubling(Comm& comm, Allgather data, Options options);

}  // namespace tradewind
