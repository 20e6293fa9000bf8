/// The alltoallv algorithms that other files call.
#pragma once

#include "tradewind/comm/alltoallv/alltoallv.hpp"

namespace tradewind {

Task alltoallv_ring(Comm& comm, Alltoallv data, Options options);
Task alltoallv_bruck_k(Comm& comm, Alltoallv data, Options options);
/// Calls the collective of the MPI library; simulated ranks have none, so it is not in the table.
Task alltoallv_native(Comm& comm, Alltoallv data, Options options);

}  // namespace tradewind
