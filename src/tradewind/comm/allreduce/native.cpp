/// "native": the allreduce of the underlying library, MPI_Allreduce. It is not in the table, since
/// simulated ranks have no such library.
#include "tradewind/comm/native.hpp"

#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/comm/allreduce/pieces.hpp"

namespace tradewind {

Task allreduce_native(Comm& comm, Allreduce vector, Options options) {
    require_whole_elements(vector, "allreduce native");
    library_of(comm, options, "allreduce").allreduce(comm, vector);
    co_return;
}

}  // namespace tradewind
