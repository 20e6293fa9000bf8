/// The allreduce algorithms by name; each is described in the file of its name.
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
/// In no table: simulated ranks have none.
Task allreduce_native(Comm& comm, Allreduce vector, Options options);

}  // namespace tradewind
