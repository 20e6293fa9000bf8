/// The table of allreduce algorithms.
#include "tradewind/comm/catalogue.hpp"

#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/comm/native.hpp"

namespace tradewind {

#define ALGORITHM(entry) extern const AllreduceAlgorithm entry;
#include "tradewind/comm/allreduce/algorithms.def"
#undef ALGORITHM

namespace {

constexpr AllreduceAlgorithm library{
    .name = native, .summary = "MPI_Allreduce of the library below", .run = allreduce_native};

}  // namespace

std::span<const AllreduceAlgorithm> allreduce_algorithms() {
#define ALGORITHM(entry) entry,
    static const AllreduceAlgorithm table[] = {
#include "tradewind/comm/allreduce/algorithms.def"
    };
#undef ALGORITHM
    return table;
}

const AllreduceAlgorithm& allreduce_algorithm(std::string_view name) {
    return name == native ? library
                          : find_algorithm(allreduce_algorithms(), allreduce_operation.name, name);
}

}  // namespace tradewind
