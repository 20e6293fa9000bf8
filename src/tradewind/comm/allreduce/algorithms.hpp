/// The allreduce algorithms; each is described in the file of the same name.
#pragma once

#include "tradewind/comm/allreduce/allreduce.hpp"

namespace tradewind {

Task allreduce_recursive_doubling(Comm& comm, Allreduce vector, Options options);
Task allreduce_recursive_k(Comm& comm, Allreduce vector, Options options);
Task allreduce_rabenseifner(Comm& comm, Allreduce vector, Options options);
Task allreduce_ring(Comm& comm, Allreduce vector, Options options);
Task allreduce_tree(Comm& comm, Allreduce vector, Options options);
Task allreduce_swing(Comm& comm, Allreduce vector, Options options);
Task allreduce_bine(Comm& comm, Allreduce vector, Options options);
Task allreduce_hierarchical(Comm& comm, Allreduce vector, Options options);
Task allreduce_ringpipe(Comm& comm, Allreduce vector, Options options);
/// Calls the collective of the MPI library; simulated ranks have none, so it is not in the table.
Task allreduce_native(Comm& comm, Allreduce vector, Options options);

}  // namespace tradewind
