/// Rabenseifner's allreduce: reduce-scatter by recursive halving, then allgather by recursive
/// doubling.
///
///     p = 4           rank 0     rank 1     rank 2     rank 3       (segments 0 1 2 3; * reduced)
///     halving 2       01         01         23         23           with the rank at distance 2
///     halving 1       0*         1*         2*         3*           with the rank at distance 1
///     doubling 1      01*        01*        23*        23*
///     doubling 2      0123*      0123*      0123*      0123*
///
/// 2 floor(log2 p) messages and 2n(p-1)/p bytes per rank. If p is not a power of two, the ranks
/// beyond the largest power of two fold their vector into a core rank first and get the result
/// last: 2 more messages of n bytes. Segments are whole elements; empty ones are not sent. Each
/// segment is reduced on one rank, so all ranks get the same bits. thakur2005; "halfsum" of PSTSWM
/// (worley1998).
#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/comm/allreduce/halving.hpp"

namespace tradewind {

namespace {

struct Cube {
    static Rank partner(Rank rank, int step, int levels) noexcept {
        return rank ^ (Rank{1} << (levels - 1 - step));
    }
    static Rank position(Rank rank, int /*levels*/) noexcept { return rank; }
};

}  // namespace

Task allreduce_rabenseifner(Comm& comm, Allreduce vector, Options options) {
    require_whole_elements(vector, "allreduce rabenseifner");
    return allreduce_by_halving<Cube>(comm, vector, options);
}

}  // namespace tradewind
