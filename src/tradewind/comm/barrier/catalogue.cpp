/// The table of barrier algorithms.
#include "tradewind/comm/catalogue.hpp"

#include "tradewind/comm/barrier/barrier.hpp"

namespace tradewind {

#define ALGORITHM(entry) extern const BarrierAlgorithm entry;
#include "tradewind/comm/barrier/algorithms.def"
#undef ALGORITHM

std::span<const BarrierAlgorithm> barrier_algorithms() {
#define ALGORITHM(entry) entry,
    static const BarrierAlgorithm table[] = {
#include "tradewind/comm/barrier/algorithms.def"
    };
#undef ALGORITHM
    return table;
}

const BarrierAlgorithm& barrier_algorithm(std::string_view name) {
    return find_algorithm(barrier_algorithms(), barrier_operation.name, name);
}

}  // namespace tradewind
