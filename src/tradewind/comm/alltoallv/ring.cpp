/// Ring alltoallv: in stage i every rank sends to rank + i and receives from rank - i, one stage at
/// a time.
///
///     p = 4       rank 0      rank 1      rank 2      rank 3
///     stage 1     to 1        to 2        to 3        to 0
///     stage 2     to 2        to 3        to 0        to 1
///     stage 3     to 3        to 0        to 1        to 2
///
/// p-1 stages of one message, n bytes per rank. Shifted sendrecvs: PSTSWM's "srtrans" (worley1998);
/// ring_k of zheng2018 with k = 1.
#include "tradewind/comm/alltoallv/algorithms.hpp"
#include "tradewind/comm/alltoallv/staged.hpp"
#include "tradewind/comm/alltoallv/totals.hpp"

namespace tradewind {

Task alltoallv_ring(Comm& comm, Alltoallv data, Options options) {
    return run_stages<AlltoallvStages<shift_blocks>>(comm, data, options, comm.size() - 1);
}

extern const AlltoallvAlgorithm alltoallv_ring_entry;
constinit const AlltoallvAlgorithm alltoallv_ring_entry = {
    .name = "ring",
    .summary = "stage i sends to rank + i and receives from rank - i",
    .run = alltoallv_ring,
    .total = direct_totals,
    .has_protocols = true,
};

extern const AlltoallvAlgorithm alltoallv_srtrans_entry;
constinit const AlltoallvAlgorithm alltoallv_srtrans_entry = {
    .name = "srtrans",
    .summary = "the ring: P-1 SENDRECVs (worley1998)",
    .run = alltoallv_ring,
    .total = direct_totals,
    .has_protocols = true,
};

}  // namespace tradewind
