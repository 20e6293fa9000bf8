/// The table of bcast algorithms.
#include "tradewind/comm/catalogue.hpp"

#include "tradewind/comm/bcast/algorithms.hpp"

namespace tradewind {

#define ALGORITHM(entry) extern const BcastAlgorithm entry;
#include "tradewind/comm/bcast/algorithms.def"
#undef ALGORITHM

std::span<const BcastAlgorithm> bcast_algorithms() {
#define ALGORITHM(entry) entry,
    static const BcastAlgorithm table[] = {
#include "tradewind/comm/bcast/algorithms.def"
    };
#undef ALGORITHM
    return table;
}

const BcastAlgorithm& bcast_algorithm(std::string_view name) {
    return find_algorithm(bcast_algorithms(), bcast_operation.name, name);
}

}  // namespace tradewind
