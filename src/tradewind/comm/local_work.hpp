/// Copies and reductions of a rank in its own memory, charged to its communicator. Null buffers
/// count as if they had data, so that a skeleton takes the time of the real program.
#pragma once

#include "tradewind/comm/allreduce/reduction.hpp"
#include "tradewind/comm/comm.hpp"

namespace tradewind {

/// Copies a buffer to another one of equal size.
inline void copy(Comm& comm, ConstBuffer from, Buffer to) {
    if (from.size() == 0) return;
    copy(from, to);
    comm.charge({from.size(), 1, 0});
}

/// Computes inout = inout (operation) in, element by element.
inline void combine(Comm& comm, const Reduction& reduction, ConstBuffer in, Buffer inout) {
    if (in.size() == 0) return;
    reduction(in, inout);
    comm.charge({0, 0, in.size()});
}

}  // namespace tradewind
