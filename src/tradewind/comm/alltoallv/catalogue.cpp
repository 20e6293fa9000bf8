/// The table of alltoallv algorithms.
#include "tradewind/comm/catalogue.hpp"

#include "tradewind/comm/alltoallv/algorithms.hpp"
#include "tradewind/comm/native.hpp"

namespace tradewind {

#define ALGORITHM(entry) extern const AlltoallvAlgorithm entry;
#include "tradewind/comm/alltoallv/algorithms.def"
#undef ALGORITHM

namespace {

constexpr AlltoallvAlgorithm library{
    .name = native, .summary = "MPI_Alltoallv of the library below", .run = alltoallv_native};

}  // namespace

std::span<const AlltoallvAlgorithm> alltoallv_algorithms() {
#define ALGORITHM(entry) entry,
    static const AlltoallvAlgorithm table[] = {
#include "tradewind/comm/alltoallv/algorithms.def"
    };
#undef ALGORITHM
    return table;
}

const AlltoallvAlgorithm& alltoallv_algorithm(std::string_view name) {
    return name == native ? library
                          : find_algorithm(alltoallv_algorithms(), alltoallv_operation.name, name);
}

}  // namespace tradewind
