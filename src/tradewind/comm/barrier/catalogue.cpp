/// The table of barrier algorithms.
#include "tradewind/comm/catalogue.hpp"

#include "tradewind/comm/barrier/algorithms.hpp"

namespace tradewind {

namespace {

constexpr BarrierAlgorithm table[] = {
    {"dissemination", barrier_dissemination, 0, 0, "ceil(log2 P) rounds, every rank sends in each"},
    {"tree", barrier_tree, 2, 4, "up and down a `radix`-nomial tree"},
};

}  // namespace

std::span<const BarrierAlgorithm> barrier_algorithms() {
    return table;
}

const BarrierAlgorithm& barrier_algorithm(std::string_view name) {
    return find_algorithm(barrier_algorithms(), "barrier", name);
}

}  // namespace tradewind
