/// The alltoallv algorithms; each is described in the file of the same name.
#pragma once

#include "tradewind/comm/alltoallv/alltoallv.hpp"

namespace tradewind {

Task alltoallv_burst(Comm& comm, Alltoallv data, Options options);
Task alltoallv_pairwise(Comm& comm, Alltoallv data, Options options);
Task alltoallv_ring(Comm& comm, Alltoallv data, Options options);
Task alltoallv_ring_k(Comm& comm, Alltoallv data, Options options);
Task alltoallv_spread_out(Comm& comm, Alltoallv data, Options options);
Task alltoallv_bruck(Comm& comm, Alltoallv data, Options options);
Task alltoallv_bruck_k(Comm& comm, Alltoallv data, Options options);
Task alltoallv_swtrans(Comm& comm, Alltoallv data, Options options);
Task alltoallv_logtrans(Comm& comm, Alltoallv data, Options options);
/// Calls the collective of the MPI library; simulated ranks have none, so it is not in the table.
Task alltoallv_native(Comm& comm, Alltoallv data, Options options);

}  // namespace tradewind
