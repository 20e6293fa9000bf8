/// Recursive doubling allreduce: partners at distance 1, 2, 4, ... exchange whole vectors and
/// combine them.
///
///     p = 4       rank 0    rank 1    rank 2    rank 3
///     start       a         b         c         d
///     stage 1     ab        ab        cd        cd
///     stage 2     abcd      abcd      abcd      abcd
///
/// floor(log2 p) messages of n bytes per rank; ranks beyond the largest power of two fold their
/// vector into another rank first and get the result last (+2 stages). The algorithm itself is
/// recursive_k with radix 2, with the same bits on all ranks. thakur2005; "exchsum" of PSTSWM
/// (worley1998).
#include "tradewind/comm/allreduce/algorithms.hpp"

namespace tradewind {

Task allreduce_recursive_doubling(Comm& comm, Allreduce vector, Options options) {
    options.radix = 2;
    return allreduce_recursive_k(comm, vector, options);
}

}  // namespace tradewind
