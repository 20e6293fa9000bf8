/// Views of message memory that may be null: a null buffer has a size but no data.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "tradewind/base/units.hpp"

namespace tradewind {

/// A contiguous piece of memory of `size` bytes; only a size if `data` is null.
template <class Byte>
class BasicBuffer {
public:
    BasicBuffer() = default;
    BasicBuffer(Byte* data, Bytes size) noexcept : data_(data), size_(size) {}
    /// Constructs a buffer with a size and no data, as skeletons send it.
    explicit BasicBuffer(Bytes size) noexcept : size_(size) {}
    template <class T>
    explicit BasicBuffer(std::span<T> values) noexcept
        : data_(reinterpret_cast<Byte*>(values.data())), size_(Bytes(values.size_bytes())) {}
    /// Converts a writable buffer to a read-only one.
    operator BasicBuffer<const Byte>() const noexcept { return {data_, size_}; }

    [[nodiscard]] Byte* data() const noexcept { return data_; }
    [[nodiscard]] Bytes size() const noexcept { return size_; }
    [[nodiscard]] bool is_null() const noexcept { return data_ == nullptr; }
    /// Returns bytes [offset, offset + size) of this buffer.
    [[nodiscard]] BasicBuffer part(Bytes offset, Bytes size) const noexcept {
        return {data_ == nullptr ? nullptr : data_ + offset, size};
    }

private:
    Byte* data_ = nullptr;
    Bytes size_ = 0;
};

using Buffer = BasicBuffer<std::byte>;
using ConstBuffer = BasicBuffer<const std::byte>;

/// Copies a buffer to another one of equal size; does nothing if either is null.
inline void copy(ConstBuffer from, Buffer to) noexcept {
    if (!from.is_null() && !to.is_null() && from.size() > 0) {
        std::memcpy(to.data(), from.data(), static_cast<std::size_t>(from.size()));
    }
}

}  // namespace tradewind
