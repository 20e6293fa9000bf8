/// The table of scatter algorithms.
#include "tradewind/comm/catalogue.hpp"

#include "tradewind/comm/scatter/scatter.hpp"

namespace tradewind {

#define ALGORITHM(entry) extern const ScatterAlgorithm entry;
#include "tradewind/comm/scatter/algorithms.def"
#undef ALGORITHM

std::span<const ScatterAlgorithm> scatter_algorithms() {
#define ALGORITHM(entry) entry,
    static const ScatterAlgorithm table[] = {
#include "tradewind/comm/scatter/algorithms.def"
    };
#undef ALGORITHM
    return table;
}

const ScatterAlgorithm& scatter_algorithm(std::string_view name) {
    return find_algorithm(scatter_algorithms(), scatter_operation.name, name);
}

}  // namespace tradewind
