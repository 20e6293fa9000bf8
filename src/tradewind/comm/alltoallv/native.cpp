/// "native": the alltoallv of the underlying library, MPI_Alltoallv. It is not in the table, since
/// simulated ranks have no such library.
#include "tradewind/comm/native.hpp"
#include "tradewind/comm/alltoallv/algorithms.hpp"

namespace tradewind {

Task alltoallv_native(Comm& comm, Alltoallv data, Options options) {
    library_of(comm, options, "alltoallv").alltoallv(comm, data);
    co_return;
}

}  // namespace tradewind
