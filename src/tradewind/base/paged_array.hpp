/// PagedArray: an array that takes memory only where it is used.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace tradewind {

/// `size` elements, value-initialised; memory comes in pages, when an element is first asked for.
/// For one entry per rank of which most ranks touch a few.
template <class T>
class PagedArray {
public:
    PagedArray() = default;
    explicit PagedArray(std::size_t size) : size_(size), pages_((size + page - 1) / page) {}

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// `i` below `size()`.
    [[nodiscard]] T& operator[](std::size_t i) {
        auto& place = pages_[i / page];
        if (!place) place = std::make_unique<std::array<T, page>>();
        return (*place)[i % page];
    }

private:
    static constexpr std::size_t page = 16;

    std::size_t size_ = 0;
    std::vector<std::unique_ptr<std::array<T, page>>> pages_;
};

}  // namespace tradewind
