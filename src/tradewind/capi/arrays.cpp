/// The checks of the arguments of the C interface.
#include "tradewind/capi/arrays.hpp"

#include <limits>

#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"

namespace tradewind::capi {

namespace {

template <class T>
Reduction reduction_with(int operation) {
    switch (operation) {
        case TRADEWIND_SUM:
            return sum<T>();
        case TRADEWIND_MAX:
            return maximum<T>();
        case TRADEWIND_MIN:
            return minimum<T>();
        default:
            throw ConfigError(text("there is no operation ", operation,
                                   "; known are TRADEWIND_SUM, TRADEWIND_MAX, TRADEWIND_MIN"));
    }
}

[[noreturn]] void refuse_type(int type) {
    throw ConfigError(text("there is no type ", type,
                           "; known are TRADEWIND_BYTE, TRADEWIND_INT32, TRADEWIND_INT64, "
                           "TRADEWIND_FLOAT, TRADEWIND_DOUBLE"));
}

void require_memory(const void* data, Bytes size, std::string_view name) {
    if (data == nullptr && size > 0)
        throw ConfigError(text(name, " is NULL, for ", size, " bytes"));
}

}  // namespace

Bytes size_of(int type) {
    switch (type) {
        case TRADEWIND_BYTE:
            return 1;
        case TRADEWIND_INT32:
        case TRADEWIND_FLOAT:
            return 4;
        case TRADEWIND_INT64:
        case TRADEWIND_DOUBLE:
            return 8;
        default:
            refuse_type(type);
    }
}

Reduction reduction_of(int type, int operation) {
    switch (type) {
        case TRADEWIND_BYTE:
            throw ConfigError("elements of the type TRADEWIND_BYTE cannot be reduced");
        case TRADEWIND_INT32:
            return reduction_with<std::int32_t>(operation);
        case TRADEWIND_INT64:
            return reduction_with<std::int64_t>(operation);
        case TRADEWIND_FLOAT:
            return reduction_with<float>(operation);
        case TRADEWIND_DOUBLE:
            return reduction_with<double>(operation);
        default:
            refuse_type(type);
    }
}

Bytes bytes_of(std::int64_t count, int type, std::string_view name) {
    const Bytes size = size_of(type);
    if (count < 0) throw ConfigError(text(name, " is ", count, ", must not be negative"));
    if (count > std::numeric_limits<Bytes>::max() / size)
        throw ConfigError(text(name, " is ", count, ", which is too large"));
    return count * size;
}

Buffer buffer_of(void* data, Bytes size, std::string_view name) {
    require_memory(data, size, name);
    return {static_cast<std::byte*>(data), size};
}

ConstBuffer buffer_of(const void* data, Bytes size, std::string_view name) {
    require_memory(data, size, name);
    return {static_cast<const std::byte*>(data), size};
}

std::vector<Bytes> bytes_of_each(const std::int64_t* counts, std::int64_t entries, int type,
                                 std::string_view name) {
    if (entries > 0) required(counts, name);
    std::vector<Bytes> sizes;
    for (std::int64_t i = 0; i < entries; ++i)
        sizes.push_back(bytes_of(counts[i], type, text(name, '[', i, ']')));
    return sizes;
}

Pieces one_after_another(std::vector<Bytes> sizes) {
    Pieces pieces;
    for (const Bytes size : sizes) {
        pieces.offsets.push_back(pieces.end);
        pieces.end += size;
    }
    pieces.sizes = std::move(sizes);
    return pieces;
}

void compare_counts(tradewind_comm& handle, std::span<const Bytes> sent,
                    std::span<const Bytes> expected) {
    mpi::MpiComm& comm = handle.mpi;
    std::vector<Bytes> theirs(expected.size());
    const UniformBlocks blocks(sizeof(Bytes));
    mpi::run(comm, [&](Comm& on) {
        return alltoallv_algorithm("ring").run(
            on, {ConstBuffer(sent), Buffer(std::span(theirs)), &blocks}, {});
    });
    std::string complaint;
    for (std::size_t i = 0; i < theirs.size() && complaint.empty(); ++i) {
        if (theirs[i] != expected[i]) {
            complaint = text("rank ", comm.rank(), " expects ", expected[i], " bytes from rank ", i,
                             ", which sends ", theirs[i]);
        }
    }
    std::int64_t wrong = complaint.empty() ? 0 : 1;
    mpi::run(comm, [&](Comm& on) {
        return allreduce_algorithm("recursive_doubling")
            .run(on, {Buffer(std::span(&wrong, 1)), sum<std::int64_t>()}, {});
    });
    if (!complaint.empty()) throw ConfigError(complaint);
    if (wrong > 0) throw ConfigError(text("the counts of ", wrong, " other ranks do not match"));
}

}  // namespace tradewind::capi
