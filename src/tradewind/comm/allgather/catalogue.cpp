/// The table of allgather algorithms.
#include "tradewind/comm/catalogue.hpp"

#include "tradewind/comm/allgather/algorithms.hpp"

namespace tradewind {

#define ALGORITHM(entry) extern const AllgatherAlgorithm entry;
#include "tradewind/comm/allgather/algorithms.def"
#undef ALGORITHM

std::span<const AllgatherAlgorithm> allgather_algorithms() {
#define ALGORITHM(entry) entry,
    static const AllgatherAlgorithm table[] = {
#include "tradewind/comm/allgather/algorithms.def"
    };
#undef ALGORITHM
    return table;
}

const AllgatherAlgorithm& allgather_algorithm(std::string_view name) {
    return find_algorithm(allgather_algorithms(), allgather_operation.name, name);
}

}  // namespace tradewind
