/// The table of reduce_scatter algorithms.
#include "tradewind/comm/catalogue.hpp"

#include "tradewind/comm/reduce_scatter/reduce_scatter.hpp"

namespace tradewind {

#define ALGORITHM(entry) extern const ReduceScatterAlgorithm entry;
#include "tradewind/comm/reduce_scatter/algorithms.def"
#undef ALGORITHM

std::span<const ReduceScatterAlgorithm> reduce_scatter_algorithms() {
#define ALGORITHM(entry) entry,
    static const ReduceScatterAlgorithm table[] = {
#include "tradewind/comm/reduce_scatter/algorithms.def"
    };
#undef ALGORITHM
    return table;
}

const ReduceScatterAlgorithm& reduce_scatter_algorithm(std::string_view name) {
    return find_algorithm(reduce_scatter_algorithms(), reduce_scatter_operation.name, name);
}

}  // namespace tradewind
