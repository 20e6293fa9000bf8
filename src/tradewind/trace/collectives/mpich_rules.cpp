/// The rules of MPICH: thakur2005, with the default limits of its control variables
/// (MPIR_CVAR_BCAST_SHORT_MSG_SIZE and others) in versions 3 to 5. Its two-level algorithms for
/// ranks on one node are left out.
#include <bit>

#include "tradewind/trace/collectives/library_rows.hpp"

namespace tradewind::trace {

namespace {

/// The place of an algorithm among those of its operation, for small, medium and large calls.
enum CallClass : std::uint8_t { small, medium, large };

constexpr std::string_view barrier_names[] = {"dissemination"};
constexpr std::string_view bcast_names[] = {"binomial", "scatter_doubling", "scatter_allgather"};
constexpr std::string_view reduce_names[] = {"binomial", "near_halving"};
constexpr std::string_view gather_names[] = {"binomial"};
constexpr std::string_view scatter_names[] = {"binomial"};
constexpr std::string_view scan_names[] = {"recursive_doubling"};
constexpr std::string_view reduce_scatter_names[] = {"recursive_halving", "pairwise"};
constexpr std::string_view allreduce_names[] = {"recursive_doubling", "near_halving"};
constexpr std::string_view allgather_names[] = {"recursive_doubling", "bruck", "ring"};
constexpr std::string_view alltoall_names[] = {"bruck", "burst", "pairwise"};
constexpr std::string_view neighbor_names[] = {"burst"};

constexpr OperationRow mpich_table[] = {
    {"barrier", barrier_names},
    {"bcast", bcast_names},
    {"reduce", reduce_names},
    {"gather", gather_names},
    {"scatter", scatter_names},
    {"scan", scan_names},
    {"reduce_scatter", reduce_scatter_names},
    {"allreduce", allreduce_names},
    {"allgather", allgather_names},
    {"alltoallv", alltoall_names},
    {"neighbor", neighbor_names},
};

constexpr Rank least_ranks_of_long_bcast = 8;
constexpr Rank least_ranks_of_bruck = 8;
constexpr Bytes short_bcast = 12288;
constexpr Bytes long_bcast = 524288;
constexpr Bytes short_reduction = 2048;
constexpr Bytes short_allgather = 81920;
constexpr Bytes long_allgather = 524288;
constexpr Bytes long_reduce_scatter = 524288;
constexpr Bytes short_alltoall = 256;
constexpr Bytes medium_alltoall = 32768;
/// The bytes of an element, which a trace does not hold.
constexpr Bytes element = 8;

/// Returns whether a vector is short, or has fewer elements than the largest power of two of ranks.
[[nodiscard]] bool is_short_reduction(Rank ranks, Bytes bytes) noexcept {
    return bytes <= short_reduction ||
           bytes / element < Bytes(std::bit_floor(std::uint64_t(ranks)));
}

[[nodiscard]] CallClass class_of_bcast(Rank ranks, Bytes bytes) noexcept {
    if (bytes < short_bcast || ranks < least_ranks_of_long_bcast) return small;
    return bytes < long_bcast && std::has_single_bit(std::uint64_t(ranks)) ? medium : large;
}

[[nodiscard]] CallClass class_of_allgather(Rank ranks, Bytes bytes) noexcept {
    if (bytes < long_allgather && std::has_single_bit(std::uint64_t(ranks))) return small;
    return bytes < short_allgather ? medium : large;
}

}  // namespace

std::span<const OperationRow> mpich_rows() noexcept {
    return mpich_table;
}

std::size_t mpich_choice(Call call, Rank ranks, Bytes bytes) noexcept {
    switch (call) {
        case Call::bcast:
            return class_of_bcast(ranks, bytes);
        case Call::reduce:
        case Call::allreduce:
            return is_short_reduction(ranks, bytes) ? small : medium;
        case Call::allgather:
        case Call::allgatherv:
            return class_of_allgather(ranks, bytes);
        case Call::reduce_scatter:
        case Call::reduce_scatter_block:
            return bytes < long_reduce_scatter ? small : medium;
        case Call::alltoall:
            if (bytes <= short_alltoall && ranks >= least_ranks_of_bruck) return small;
            return bytes <= medium_alltoall ? medium : large;
        case Call::alltoallv:
            return medium;
        default:
            return small;
    }
}

}  // namespace tradewind::trace
