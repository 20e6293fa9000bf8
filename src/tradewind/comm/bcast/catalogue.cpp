/// The table of bcast algorithms.
#include "tradewind/comm/catalogue.hpp"

#include "tradewind/comm/bcast/algorithms.hpp"

namespace tradewind {

namespace {

constexpr BcastAlgorithm table[] = {
    {"binomial", bcast_binomial, 0, 0, "binomial tree, ceil(log2 P) stages"},
    {"tree", bcast_tree, 2, 4, "`radix`-nomial tree"},
    {"bine", bcast_bine, 0, 0, "binary tree of near partners (desensi2025)"},
    {"scatter_allgather", bcast_scatter_allgather, 0, 0,
     "binomial scatter of segments, ring allgather"},
};

}  // namespace

std::span<const BcastAlgorithm> bcast_algorithms() {
    return table;
}

const BcastAlgorithm& bcast_algorithm(std::string_view name) {
    return find_algorithm(bcast_algorithms(), "bcast", name);
}

}  // namespace tradewind
