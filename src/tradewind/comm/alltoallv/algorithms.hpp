/// The alltoallv algorithms by name; each is described in the file of its name.
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
/// In no table: simulated ranks have none.
Task alltoallv_native(Comm& comm, Alltoallv data, Options options);

}  // namespace tradewind
