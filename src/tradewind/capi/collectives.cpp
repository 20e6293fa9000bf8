/// The collective operations, by an algorithm that the caller names.
#include "tradewind/capi/arrays.hpp"
#include "tradewind/capi/same_call.hpp"
#include "tradewind/comm/allgather/allgather.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/barrier/barrier.hpp"
#include "tradewind/comm/bcast/bcast.hpp"
#include "tradewind/comm/choice.hpp"

namespace tradewind::capi {

namespace {

/// Returns the text of a caller, or the default of the operation for a null or empty text.
std::string_view words_of(const Operation& operation, const char* algorithm) {
    const bool is_named = algorithm != nullptr && *algorithm != '\0';
    return is_named ? algorithm : operation.default_algorithm;
}

/// Returns the algorithm and options that the text of a caller names.
template <class Algorithm>
Choice<Algorithm> choice_of(std::span<const Algorithm> table, const Operation& operation,
                            const char* algorithm) {
    return choose(table, operation.name, words_of(operation, algorithm));
}

/// Compares the calls of all ranks; `arguments` are those that must be equal, beside the algorithm.
void compare(tradewind_comm& handle, const Operation& operation, const char* algorithm,
             const std::string& arguments) {
    if (!handle.checks_counts) return;
    require_same_call(handle, text("tradewind_", operation.name, arguments, " by ",
                                   words_of(operation, algorithm)));
}

/// The arrays of one side of an alltoallv, and their names.
struct BlockArrays {
    const std::int64_t* counts;
    const std::int64_t* offsets;
    const char* counts_name;
    const char* offsets_name;
};

/// Returns sizes and offsets in bytes, and the end of the last block.
Pieces pieces_of(const BlockArrays& side, Rank ranks, int type) {
    Pieces pieces{bytes_of_each(side.counts, ranks, type, side.counts_name),
                  bytes_of_each(side.offsets, ranks, type, side.offsets_name)};
    for (std::size_t i = 0; i < pieces.sizes.size(); ++i) {
        if (pieces.sizes[i] > 0)
            pieces.end = std::max(pieces.end, pieces.offsets[i] + pieces.sizes[i]);
    }
    return pieces;
}

void check_own_block(Rank rank, const Pieces& sent, const Pieces& received) {
    const auto own = std::size_t(rank);
    if (sent.sizes[own] == received.sizes[own]) return;
    throw ConfigError(text("rank ", rank, " sends ", sent.sizes[own],
                           " bytes to itself and receives ", received.sizes[own]));
}

}  // namespace

// A C function is the same one in every namespace.
extern "C" {

TRADEWIND_API int tradewind_alltoallv(tradewind_comm* comm, const void* send,
                                      const int64_t* send_counts, const int64_t* send_offsets,
                                      void* receive, const int64_t* receive_counts,
                                      const int64_t* receive_offsets, int type,
                                      const char* algorithm) {
    return on_comm("tradewind_alltoallv", comm, [&](tradewind_comm& handle) {
        const auto choice = choice_of(alltoallv_algorithms(), alltoallv_operation, algorithm);
        const Rank ranks = handle.mpi.size();
        const Pieces out =
            pieces_of({send_counts, send_offsets, "send_counts", "send_offsets"}, ranks, type);
        const Pieces in = pieces_of(
            {receive_counts, receive_offsets, "receive_counts", "receive_offsets"}, ranks, type);
        check_own_block(handle.mpi.rank(), out, in);
        // Buffers are null on all ranks or on none, hence a rank without data passes the address of
        // a byte.
        std::byte nothing{};
        const Alltoallv data{buffer_of(out.end > 0 ? send : &nothing, out.end, "send"),
                             buffer_of(in.end > 0 ? receive : &nothing, in.end, "receive")};
        compare(handle, alltoallv_operation, algorithm, "");
        if (handle.checks_counts) compare_counts(handle, out.sizes, in.sizes);
        const ArrayBlocks blocks(out.sizes, out.offsets, in.sizes, in.offsets);
        mpi::run(handle.mpi, [&](Comm& on) {
            return choice.algorithm->run(on, {data.send, data.receive, &blocks}, choice.options);
        });
    });
}

TRADEWIND_API int tradewind_allreduce(tradewind_comm* comm, void* data, int64_t count, int type,
                                      int operation, const char* algorithm) {
    return on_comm("tradewind_allreduce", comm, [&](tradewind_comm& handle) {
        const auto choice = choice_of(allreduce_algorithms(), allreduce_operation, algorithm);
        const Buffer vector = buffer_of(data, bytes_of(count, type, "count"), "data");
        const Reduction reduction = reduction_of(type, operation);
        compare(handle, allreduce_operation, algorithm,
                text(" of ", vector.size(), " bytes as ", name_of_type(type), " and ",
                     name_of_operation(operation)));
        if (count == 0) return;
        mpi::run(handle.mpi, [&](Comm& on) {
            return choice.algorithm->run(on, {vector, reduction}, choice.options);
        });
    });
}

TRADEWIND_API int tradewind_allgather(tradewind_comm* comm, const void* mine, void* all,
                                      int64_t count, int type, const char* algorithm) {
    return on_comm("tradewind_allgather", comm, [&](tradewind_comm& handle) {
        const auto choice = choice_of(allgather_algorithms(), allgather_operation, algorithm);
        const Bytes size = bytes_of(count, type, "count");
        const Allgather data{buffer_of(mine, size, "mine"),
                             buffer_of(all, size * handle.mpi.size(), "all")};
        compare(handle, allgather_operation, algorithm, text(" of ", size, " bytes"));
        if (count == 0) return;
        mpi::run(handle.mpi,
                 [&](Comm& on) { return choice.algorithm->run(on, data, choice.options); });
    });
}

TRADEWIND_API int tradewind_bcast(tradewind_comm* comm, void* data, int64_t count, int type,
                                  int root, const char* algorithm) {
    return on_comm("tradewind_bcast", comm, [&](tradewind_comm& handle) {
        const auto choice = choice_of(bcast_algorithms(), bcast_operation, algorithm);
        const Buffer message = buffer_of(data, bytes_of(count, type, "count"), "data");
        if (root < 0 || root >= handle.mpi.size()) {
            throw ConfigError(text("root = ", root, " is not a rank of this communicator (0..",
                                   handle.mpi.size() - 1, ")"));
        }
        compare(handle, bcast_operation, algorithm,
                text(" of ", message.size(), " bytes from root ", root));
        if (count == 0) return;
        mpi::run(handle.mpi, [&](Comm& on) {
            return choice.algorithm->run(on, {message, root}, choice.options);
        });
    });
}

TRADEWIND_API int tradewind_barrier(tradewind_comm* comm, const char* algorithm) {
    return on_comm("tradewind_barrier", comm, [&](tradewind_comm& handle) {
        const auto choice = choice_of(barrier_algorithms(), barrier_operation, algorithm);
        compare(handle, barrier_operation, algorithm, "");
        mpi::run(handle.mpi, [&](Comm& on) { return choice.algorithm->run(on, choice.options); });
    });
}

}  // extern "C"

}  // namespace tradewind::capi
