/// Recursive-k allreduce: in each stage groups of k ranks exchange whole vectors; `options.radix`
/// is k, at least 2.
///
///     p = 10, k = 3   rank 0  1     2     3     4     5     6     7     8     9
///     start           a       b     c     d     e     f     g     h     i     j
///     fold            a       b     c     d     e     f     g     h     ij    -
///     stage 1         abc     abc   abc   def   def   def   ghij  ghij  ghij  -
///     stage 2         a..j    a..j  a..j  a..j  a..j  a..j  a..j  a..j  a..j  -
///     return          a..j    a..j  a..j  a..j  a..j  a..j  a..j  a..j  a..j  a..j
///
/// s = floor(log_k p) stages of k-1 messages of n bytes per rank. The p - k^s extra ranks fold
/// their vectors into core ranks (the first k^s) first and get the result last: 2 more stages. An
/// extra rank folds into the rank p - k^s below it, as printed in zheng2018, section 3.3, which is
/// possible while p <= 2 k^s. For larger p, rank i folds into rank i mod k^s, and a core rank
/// serves up to k-1 extra ranks. Every group combines in the order of its ranks, so all ranks get
/// the same bits.
///
/// The default radix is 16: the paper's best radices lie between 5 and 32 with a median near 21,
/// and with a power of two the usual rank counts need few extra ranks.
#include "tradewind/comm/allreduce/recursive_k.hpp"

#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/comm/allreduce/totals.hpp"
#include "tradewind/comm/protocol/stages.hpp"

namespace tradewind {

Task allreduce_recursive_k(Comm& comm, Allreduce vector, Options options) {
    require_at_least(2, options.radix, "allreduce recursive_k");
    require_whole_elements(vector, "allreduce recursive_k");
    return run_stages<RecursiveK>(comm, vector, options, options.radix);
}

extern const AllreduceAlgorithm allreduce_recursive_k_entry;
constinit const AllreduceAlgorithm allreduce_recursive_k_entry = {
    .name = "recursive_k",
    .summary = "groups of `radix` exchange whole vectors (zheng2018)",
    .run = allreduce_recursive_k,
    .total = recursive_k_totals,
    .smallest_radix = 2,
    .default_radix = 16,
    .has_protocols = true,
};

}  // namespace tradewind
