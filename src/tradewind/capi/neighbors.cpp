/// The exchange with listed ranks: all receives and sends at once.
#include "tradewind/capi/arrays.hpp"
#include "tradewind/capi/same_call.hpp"

namespace tradewind::capi {

namespace {

/// A tag above those of halo exchanges and below those of the collective operations.
constexpr Tag neighbor_tag = 31000;

struct Neighbors {
    std::span<const int> ranks;
    Pieces sent;
    Pieces received;
};

Task exchange(Comm& comm, const Neighbors& neighbors, ConstBuffer send, Buffer receive) {
    std::vector<Request> requests;
    for (std::size_t i = 0; i < neighbors.ranks.size(); ++i) {
        const Buffer piece =
            receive.part(neighbors.received.offsets[i], neighbors.received.sizes[i]);
        requests.push_back(comm.irecv(neighbors.ranks[i], piece, neighbor_tag));
    }
    for (std::size_t i = 0; i < neighbors.ranks.size(); ++i) {
        const ConstBuffer piece = send.part(neighbors.sent.offsets[i], neighbors.sent.sizes[i]);
        requests.push_back(comm.isend(neighbors.ranks[i], piece, neighbor_tag));
    }
    co_await comm.wait_all(requests);
}

void check_ranks(std::span<const int> ranks, Rank size) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (ranks[i] >= 0 && ranks[i] < size) continue;
        throw ConfigError(text("ranks[", i, "] = ", ranks[i],
                               " is not a rank of this communicator (0..", size - 1, ")"));
    }
}

/// Returns the bytes to or from each rank of the communicator.
std::vector<Bytes> by_rank(std::span<const int> ranks, const std::vector<Bytes>& sizes, Rank size) {
    std::vector<Bytes> sums(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < ranks.size(); ++i) sums[std::size_t(ranks[i])] += sizes[i];
    return sums;
}

}  // namespace

// A C function is the same one in every namespace.
extern "C" {

TRADEWIND_API int tradewind_neighbor_exchange(tradewind_comm* comm, int neighbors, const int* ranks,
                                              const void* send, const int64_t* send_counts,
                                              void* receive, const int64_t* receive_counts,
                                              int type) {
    return on_comm("tradewind_neighbor_exchange", comm, [&](tradewind_comm& handle) {
        if (neighbors < 0)
            throw ConfigError(text("neighbors is ", neighbors, ", must not be negative"));
        if (neighbors > 0) required(ranks, "ranks");
        const std::span<const int> listed(ranks, std::size_t(neighbors));
        const Rank size = handle.mpi.size();
        check_ranks(listed, size);
        const Neighbors plan{
            listed, one_after_another(bytes_of_each(send_counts, neighbors, type, "send_counts")),
            one_after_another(bytes_of_each(receive_counts, neighbors, type, "receive_counts"))};
        // An empty buffer still needs an address, since null buffers have no data.
        std::byte nothing{};
        const ConstBuffer out =
            buffer_of(plan.sent.end > 0 ? send : &nothing, plan.sent.end, "send");
        const Buffer in =
            buffer_of(plan.received.end > 0 ? receive : &nothing, plan.received.end, "receive");
        require_same_call(handle, "tradewind_neighbor_exchange");
        if (handle.checks_counts) {
            compare_counts(handle, by_rank(listed, plan.sent.sizes, size),
                           by_rank(listed, plan.received.sizes, size));
        }
        mpi::run(handle.mpi, [&](Comm& on) { return exchange(on, plan, out, in); });
    });
}

}  // extern "C"

}  // namespace tradewind::capi
