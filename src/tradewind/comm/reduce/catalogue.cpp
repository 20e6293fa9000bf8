/// The table of reduce algorithms.
#include "tradewind/comm/catalogue.hpp"

#include "tradewind/comm/reduce/reduce.hpp"

namespace tradewind {

#define ALGORITHM(entry) extern const ReduceAlgorithm entry;
#include "tradewind/comm/reduce/algorithms.def"
#undef ALGORITHM

std::span<const ReduceAlgorithm> reduce_algorithms() {
#define ALGORITHM(entry) entry,
    static const ReduceAlgorithm table[] = {
#include "tradewind/comm/reduce/algorithms.def"
    };
#undef ALGORITHM
    return table;
}

const ReduceAlgorithm& reduce_algorithm(std::string_view name) {
    return find_algorithm(reduce_algorithms(), reduce_operation.name, name);
}

}  // namespace tradewind
