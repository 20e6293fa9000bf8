/// The allreduce algorithms that other files call.
#pragma once

#include "tradewind/comm/allreduce/allreduce.hpp"

namespace tradewind {

Task allreduce_recursive_doubling(Comm& comm, Allreduce vector, Options options);
Task allreduce_recursive_k(Comm& comm, Allreduce vector, Options options);
/// Calls the collective of the MPI library; simulated ranks have none, so it is not in the table.
Task allreduce_native(Comm& comm, Allreduce vector, Options options);

}  // namespace tradewind
