/// The table of allgather algorithms.
#include "tradewind/comm/catalogue.hpp"

#include "tradewind/comm/allgather/algorithms.hpp"

namespace tradewind {

namespace {

constexpr AllgatherAlgorithm table[] = {
    {"ring", allgather_ring, 0, 0, "blocks travel round a ring, P - 1 stages"},
    {"bruck", allgather_bruck, 0, 0, "ceil(log2 P) stages for any P"},
    {"recursive_doubling", allgather_recursive_doubling, 0, 0,
     "log2 P stages in place; Bruck for other P"},
};

}  // namespace

std::span<const AllgatherAlgorithm> allgather_algorithms() {
    return table;
}

const AllgatherAlgorithm& allgather_algorithm(std::string_view name) {
    return find_algorithm(allgather_algorithms(), "allgather", name);
}

}  // namespace tradewind
