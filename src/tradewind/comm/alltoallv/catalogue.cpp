/// The table of alltoallv algorithms.
#include "tradewind/comm/catalogue.hpp"

#include "tradewind/comm/alltoallv/algorithms.hpp"
#include "tradewind/comm/native.hpp"

namespace tradewind {

namespace {

constexpr AlltoallvAlgorithm table[] = {
    {"burst", alltoallv_burst, 0, 0, "everything posted at once"},
    {"pairwise", alltoallv_pairwise, 0, 0,
     "one partner per stage, by exclusive or if P is a power of two", true},
    {"ring", alltoallv_ring, 0, 0, "stage i sends to rank + i and receives from rank - i", true},
    {"ring_k", alltoallv_ring_k, 1, 4, "ring with `radix` partners per stage (zheng2018)", true},
    {"spread_out", alltoallv_spread_out, 0, 0,
     "at most `window` sends and receives in flight, always refilled"},
    {"bruck", alltoallv_bruck, 0, 0, "combined blocks over ceil(log2 P) hops", true, true},
    {"bruck_k", alltoallv_bruck_k, 2, 4, "combined blocks, one hop per digit of base `radix`", true,
     true},
    {"srtrans", alltoallv_ring, 0, 0, "the ring: P-1 SENDRECVs (worley1998)", true},
    {"swtrans", alltoallv_swtrans, 0, 0, "P-1 SWAPs with rank xor i (worley1998)", true},
    {"logtrans", alltoallv_logtrans, 0, 0,
     "log2 P SWAPs of half the data; bruck if P is not a power of two (worley1998)", true, true},
};

constexpr AlltoallvAlgorithm library{native, alltoallv_native, 0, 0,
                                     "MPI_Alltoallv of the library below"};

}  // namespace

std::span<const AlltoallvAlgorithm> alltoallv_algorithms() {
    return table;
}

const AlltoallvAlgorithm& alltoallv_algorithm(std::string_view name) {
    return name == native ? library : find_algorithm(alltoallv_algorithms(), "alltoallv", name);
}

}  // namespace tradewind
