/// ByteArray: a sequence of values of plain types, which another process of the same program reads
/// in the order in which they were written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace tradewind {

using ByteArray = std::vector<std::byte>;

inline void write_bytes(ByteArray& out, const void* data, std::size_t size) {
    const std::size_t before = out.size();
    out.resize(before + size);
    if (size > 0) std::memcpy(out.data() + before, data, size);
}

template <class T>
    requires std::is_trivially_copyable_v<T>
void write(ByteArray& out, const T& value) {
    write_bytes(out, &value, sizeof value);
}

template <class T>
    requires std::is_trivially_copyable_v<T>
void write(ByteArray& out, const std::vector<T>& values) {
    write(out, values.size());
    write_bytes(out, values.data(), values.size() * sizeof(T));
}

inline void write(ByteArray& out, const std::string& value) {
    write(out, value.size());
    write_bytes(out, value.data(), value.size());
}

/// A reader of the values that `write` has written. It throws std::out_of_range beyond the end.
class ByteReader {
public:
    explicit ByteReader(std::span<const std::byte> bytes) noexcept : rest_(bytes) {}

    [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }

    [[nodiscard]] std::span<const std::byte> bytes(std::size_t size) {
        if (size > rest_.size()) throw std::out_of_range("byte array ends too early");
        const auto result = rest_.first(size);
        rest_ = rest_.subspan(size);
        return result;
    }
    template <class T>
        requires std::is_trivially_copyable_v<T>
    void read(T& value) {
        std::memcpy(static_cast<void*>(&value), bytes(sizeof value).data(), sizeof value);
    }
    template <class T>
        requires std::is_trivially_copyable_v<T>
    void read(std::vector<T>& values) {
        const auto from = bytes(next<std::size_t>() * sizeof(T));
        values.resize(from.size() / sizeof(T));
        if (!from.empty()) std::memcpy(values.data(), from.data(), from.size());
    }
    void read(std::string& value) {
        const auto from = bytes(next<std::size_t>());
        value.assign(reinterpret_cast<const char*>(from.data()), from.size());
    }
    template <class T>
    [[nodiscard]] T next() {
        T value{};
        read(value);
        return value;
    }

private:
    std::span<const std::byte> rest_;
};

}  // namespace tradewind
