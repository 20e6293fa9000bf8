/// The alltoallv algorithms that other files call.
#pragma once

#include <vector>

#include "tradewind/comm/alltoallv/alltoallv.hpp"

namespace tradewind {

/// Starts a burst: copies the own block, and posts all receives and all sends. Returns what to wait
/// for.
[[nodiscard]] std::vector<Request> start_burst(Comm& comm, const Alltoallv& data);
Task alltoallv_ring(Comm& comm, Alltoallv data, Options options);
Task alltoallv_bruck_k(Comm& comm, Alltoallv data, Options options);
/// Calls the collective of the MPI library; simulated ranks have none, so it is not in the table.
Task alltoallv_native(Comm& comm, Alltoallv data, Options options);

}  // namespace tradewind
