/// The rules of MPICH: thakur2005, with the default limits of its control variables
/// (MPIR_CVAR_BCAST_SHORT_MSG_SIZE and others) in versions 3 to 5. Its two-level algorithms for
/// ranks on one node are left out.
#include "tradewind/trace/collectives/library_rules.hpp"

#include <algorithm>
#include <bit>

#include "tradewind/base/errors.hpp"

namespace tradewind::trace {

namespace {

/// The algorithms of an operation for small, medium and large calls.
struct RuleRow {
    std::string_view operation;
    std::string_view algorithms[3];
};

constexpr RuleRow mpich_rows[] = {
    {"barrier", {"dissemination", "dissemination", "dissemination"}},
    {"bcast", {"binomial", "scatter_allgather", "scatter_allgather"}},
    {"reduce", {"binomial", "rabenseifner", "rabenseifner"}},
    {"gather", {"binomial", "binomial", "binomial"}},
    {"scatter", {"binomial", "binomial", "binomial"}},
    {"scan", {"recursive_doubling", "recursive_doubling", "recursive_doubling"}},
    {"reduce_scatter", {"recursive_halving", "recursive_halving", "pairwise"}},
    {"allreduce", {"recursive_doubling", "rabenseifner", "rabenseifner"}},
    {"allgather", {"recursive_doubling", "bruck", "ring"}},
    {"alltoallv", {"bruck", "burst", "pairwise"}},
    {"neighbor", {"burst", "burst", "burst"}},
};

constexpr Rank least_ranks_of_long_bcast = 8;
constexpr Rank least_ranks_of_bruck = 8;
constexpr Bytes short_bcast = 12288;
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

[[nodiscard]] CallClass class_of_allgather(Rank ranks, Bytes bytes) noexcept {
    if (bytes < long_allgather && std::has_single_bit(std::uint64_t(ranks)))
        return CallClass::small;
    return bytes < short_allgather ? CallClass::medium : CallClass::large;
}

}  // namespace

std::string_view algorithm_by(ChoiceRules rules, std::string_view operation, CallClass calls) {
    const auto row = std::ranges::find(mpich_rows, operation, &RuleRow::operation);
    if (rules == ChoiceRules::none || row == std::end(mpich_rows))
        throw Error(text("no library has rules for ", operation));
    return row->algorithms[std::size_t(calls)];
}

CallClass class_of(ChoiceRules rules, Call call, Rank ranks, Bytes bytes) noexcept {
    if (rules == ChoiceRules::none) return CallClass::small;
    switch (call) {
        case Call::bcast:
            return bytes < short_bcast || ranks < least_ranks_of_long_bcast ? CallClass::small
                                                                            : CallClass::medium;
        case Call::reduce:
        case Call::allreduce:
            return is_short_reduction(ranks, bytes) ? CallClass::small : CallClass::medium;
        case Call::allgather:
        case Call::allgatherv:
            return class_of_allgather(ranks, bytes);
        case Call::reduce_scatter:
        case Call::reduce_scatter_block:
            return bytes < long_reduce_scatter ? CallClass::small : CallClass::large;
        case Call::alltoall:
            if (bytes <= short_alltoall && ranks >= least_ranks_of_bruck) return CallClass::small;
            return bytes <= medium_alltoall ? CallClass::medium : CallClass::large;
        case Call::alltoallv:
            return CallClass::medium;
        default:
            return CallClass::small;
    }
}

}  // namespace tradewind::trace
