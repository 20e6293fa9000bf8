/// The conversion of types and arrays of the C interface to those of the library.
#pragma once

#include <span>
#include <vector>

#include "tradewind/capi/handle.hpp"
#include "tradewind/comm/allreduce/reduction.hpp"

namespace tradewind::capi {

/// Returns the bytes of an element; throws ConfigError if there is no such type.
[[nodiscard]] Bytes size_of(int type);
/// Returns the reduction; throws ConfigError if there is no such type or operation, or if the type
/// is TRADEWIND_BYTE.
[[nodiscard]] Reduction reduction_of(int type, int operation);

/// Returns the bytes of `count` elements; throws ConfigError if the count is negative or too large.
[[nodiscard]] Bytes bytes_of(std::int64_t count, int type, std::string_view name);
/// Returns a writable buffer; throws ConfigError if `data` is null and `size` is not zero.
[[nodiscard]] Buffer buffer_of(void* data, Bytes size, std::string_view name);
/// Returns a read-only buffer; throws ConfigError if `data` is null and `size` is not zero.
[[nodiscard]] ConstBuffer buffer_of(const void* data, Bytes size, std::string_view name);

/// Converts numbers of elements, one per entry of a list, to bytes.
[[nodiscard]] std::vector<Bytes> bytes_of_each(const std::int64_t* counts, std::int64_t entries,
                                               int type, std::string_view name);

/// The sizes and offsets of pieces in a buffer, and the end of the last piece.
struct Pieces {
    std::vector<Bytes> sizes;
    std::vector<Bytes> offsets;
    Bytes end = 0;
};
/// Returns contiguous pieces of the given sizes.
[[nodiscard]] Pieces one_after_another(std::vector<Bytes> sizes);

/// Throws ConfigError, on all ranks, unless for every i and on every rank `expected[i]`, the bytes
/// that the rank receives from rank i, equals the bytes that rank i sends to it; collective.
void compare_counts(tradewind_comm& handle, std::span<const Bytes> sent,
                    std::span<const Bytes> expected);

}  // namespace tradewind::capi
