/// The table of allreduce algorithms.
#include "tradewind/comm/catalogue.hpp"

#include "tradewind/comm/allreduce/algorithms.hpp"

namespace tradewind {

namespace {

constexpr AllreduceAlgorithm table[] = {
    {"recursive_doubling", allreduce_recursive_doubling, 0, 0,
     "pairs exchange whole vectors, log2 P stages"},
    {"recursive_k", allreduce_recursive_k, 2, 16,
     "groups of `radix` exchange whole vectors (zheng2018)"},
    {"rabenseifner", allreduce_rabenseifner, 0, 0,
     "reduce-scatter by halving, allgather by doubling"},
    {"ring", allreduce_ring, 0, 0, "reduce-scatter and allgather round a ring"},
    {"tree", allreduce_tree, 2, 2, "reduction to rank 0 and broadcast along a `radix`-nomial tree"},
};

}  // namespace

std::span<const AllreduceAlgorithm> allreduce_algorithms() {
    return table;
}

const AllreduceAlgorithm& allreduce_algorithm(std::string_view name) {
    return find_algorithm(allreduce_algorithms(), "allreduce", name);
}

}  // namespace tradewind
