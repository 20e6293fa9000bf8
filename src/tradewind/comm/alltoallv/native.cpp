/// "native": the alltoallv of the library below, MPI_Alltoallv. No entry of the table, since
/// simulated ranks have none.
#include "tradewind/comm/native.hpp"
#include "tradewind/comm/alltoallv/algorithms.hpp"

namespace tradewind {

Task alltoallv_native(Comm& comm, Alltoallv data, Options options) {
    library_of(comm, options, "alltoallv").alltoallv(comm, data);
    co_return;
}

}  // namespace tradewind
