/// Types and arrays of the C interface as those of the library.
#pragma once

#include <span>
#include <vector>

#include "tradewind/capi/handle.hpp"
#include "tradewind/comm/allreduce/reduction.hpp"

namespace tradewind::capi {

/// Bytes of an element; ConfigError if there is no such type.
[[nodiscard]] Bytes size_of(int type);
/// ConfigError if there is no such type or operation, or bytes are to be reduced.
[[nodiscard]] Reduction reduction_of(int type, int operation);

/// `count` elements; ConfigError if the count is negative or too large, or there is no memory for
/// them.
[[nodiscard]] Bytes bytes_of(std::int64_t count, int type, std::string_view name);
[[nodiscard]] Buffer buffer_of(void* data, Bytes size, std::string_view name);
[[nodiscard]] ConstBuffer buffer_of(const void* data, Bytes size, std::string_view name);

/// Numbers of elements, one for each entry of a list, as bytes.
[[nodiscard]] std::vector<Bytes> bytes_of_each(const std::int64_t* counts, std::int64_t entries,
                                               int type, std::string_view name);

/// Where the pieces lie that follow each other, and the end of the last one.
struct Pieces {
    std::vector<Bytes> sizes;
    std::vector<Bytes> offsets;
    Bytes end = 0;
};
[[nodiscard]] Pieces one_after_another(std::vector<Bytes> sizes);

/// Collective: throws ConfigError on all ranks unless `expected[i]`, the bytes that this rank takes
/// from rank i, is what rank i sends, for every i and on every rank.
void compare_counts(tradewind_comm& handle, std::span<const Bytes> sent,
                    std::span<const Bytes> expected);

}  // namespace tradewind::capi
