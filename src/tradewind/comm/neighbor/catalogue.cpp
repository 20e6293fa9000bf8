/// The table of algorithms of the neighbourhood exchange.
#include "tradewind/comm/catalogue.hpp"

#include <algorithm>

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
    const auto natives = neighbor_natives();
    const auto found = std::ranges::find(natives, name, &NeighborAlgorithm::name);
    if (found != natives.end()) return *found;
    return find_algorithm(neighbor_algorithms(), neighbor_operation.name, name);
}

}  // namespace tradewind
