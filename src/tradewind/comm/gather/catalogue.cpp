/// The table of gather algorithms.
#include "tradewind/comm/catalogue.hpp"

#include "tradewind/comm/gather/gather.hpp"

namespace tradewind {

#define ALGORITHM(entry) extern const GatherAlgorithm entry;
#include "tradewind/comm/gather/algorithms.def"
#undef ALGORITHM

std::span<const GatherAlgorithm> gather_algorithms() {
#define ALGORITHM(entry) entry,
    static const GatherAlgorithm table[] = {
#include "tradewind/comm/gather/algorithms.def"
    };
#undef ALGORITHM
    return table;
}

const GatherAlgorithm& gather_algorithm(std::string_view name) {
    return find_algorithm(gather_algorithms(), gather_operation.name, name);
}

}  // namespace tradewind
