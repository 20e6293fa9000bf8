/// The table of allreduce algorithms.
#include "tradewind/comm/catalogue.hpp"

#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/comm/native.hpp"

namespace tradewind {

namespace {

constexpr AllreduceAlgorithm table[] = {
    {"recursive_doubling", allreduce_recursive_doubling, 0, 0,
     "pairs exchange whole vectors, log2 P stages", true},
    {"recursive_k", allreduce_recursive_k, 2, 16,
     "groups of `radix` exchange whole vectors (zheng2018)", true},
    {"rabenseifner", allreduce_rabenseifner, 0, 0,
     "reduce-scatter by halving, allgather by doubling", true},
    {"ring", allreduce_ring, 0, 0, "reduce-scatter and allgather round a ring", true},
    {"tree", allreduce_tree, 2, 2, "reduction to rank 0 and broadcast along a `radix`-nomial tree",
     true},
    {"swing", allreduce_swing, 0, 0,
     "rabenseifner with near partners for long messages (desensi2024)", true},
    {"bine", allreduce_bine, 0, 0,
     "reduction and broadcast along a tree of near partners "
     "(desensi2025)",
     true},
    {"hierarchical", allreduce_hierarchical, 2, 16,
     "within groups of `radix` ranks, among their first ones, and back"},
    {"exchsum", allreduce_recursive_doubling, 0, 0,
     "recursive doubling: log2 P SWAPs of whole vectors (worley1998)", true},
    {"halfsum", allreduce_rabenseifner, 0, 0,
     "rabenseifner: SWAPs of halves, quarters, ... and back (worley1998)", true},
    {"ringsum", allreduce_ring, 0, 0, "the ring: 2(P-1) SENDRECVs (worley1998)", true},
    {"ringpipe", allreduce_ringpipe, 0, 0,
     "two rings of half the vector, one adds while the other sends (worley1998)", true},
};

constexpr AllreduceAlgorithm library{native, allreduce_native, 0, 0,
                                     "MPI_Allreduce of the library below"};

}  // namespace

std::span<const AllreduceAlgorithm> allreduce_algorithms() {
    return table;
}

const AllreduceAlgorithm& allreduce_algorithm(std::string_view name) {
    return name == native ? library : find_algorithm(allreduce_algorithms(), "allreduce", name);
}

}  // namespace tradewind
