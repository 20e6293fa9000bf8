/// The table of algorithms of the neighbourhood exchange.
#include "tradewind/comm/catalogue.hpp"

#include "tradewind/comm/neighbor/algorithms.hpp"

namespace tradewind {

#define ALGORITHM(entry) extern const NeighborAlgorithm entry;
#include "tradewind/comm/neighbor/algorithms.def"
#undef ALGORITHM

std::span<const NeighborAlgorithm> neighbor_algorithms() {
#define ALGORITHM(entry) entry,
    static const NeighborAlgorithm table[] = {
#include "tradewind/comm/neighbor/algorithms.def"
    };
#undef ALGORITHM
    return table;
}

const NeighborAlgorithm& neighbor_algorithm(std::string_view name) {
    return find_algorithm(neighbor_algorithms(), neighbor_operation.name, name);
}

}  // namespace tradewind
