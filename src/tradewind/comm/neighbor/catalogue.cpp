/// The table of algorithms of the neighbourhood exchange.
#include "tradewind/comm/catalogue.hpp"

#include "tradewind/comm/neighbor/algorithms.hpp"

namespace tradewind {

namespace {

constexpr NeighborAlgorithm table[] = {
    {"burst", neighbor_burst, 0, 0, "everything posted at once"},
    {"pairwise", neighbor_pairwise, 0, 0,
     "one partner after the other, in the order of rank xor partner", true},
    {"puts", neighbor_puts, 0, 0, "one-sided puts into the receive buffers, after a go-ahead each",
     false, true},
};

}  // namespace

std::span<const NeighborAlgorithm> neighbor_algorithms() {
    return table;
}

const NeighborAlgorithm& neighbor_algorithm(std::string_view name) {
    return find_algorithm(neighbor_algorithms(), "neighbor", name);
}

}  // namespace tradewind
