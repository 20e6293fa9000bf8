/// Binomial bcast: the number of ranks that have the data doubles in each stage.
///
///     p = 8       rank 0    1    2    3    4    5    6    7
///     start       x
///     stage 1     x                        x
///     stage 2     x              x         x         x
///     stage 3     x         x    x    x    x    x    x    x
///
/// ceil(log2 p) stages, p-1 messages of n bytes in total. The implementation is the tree of radix
/// 2. thakur2005.
#include "tradewind/comm/bcast/algorithms.hpp"

namespace tradewind {

namespace {

Task bcast_binomial(Comm& comm, Bcast message, Options options) {
    options.radix = 2;
    return bcast_tree(comm, message, options);
}

}  // namespace

extern const BcastAlgorithm bcast_binomial_entry;
constinit const BcastAlgorithm bcast_binomial_entry = {
    .name = "binomial",
    .summary = "binomial tree, ceil(log2 P) stages",
    .run = bcast_binomial,
    .total = bcast_tree_totals,
};

}  // namespace tradewind
