/// PagedArray: an array that allocates memory only for the parts that are used.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace tradewind {

/// An array of `size` value-initialised elements, allocated in pages when an element is first
/// accessed. It suits arrays with one entry per rank of which most ranks touch only a few.
template <class T>
class PagedArray {
public:
    PagedArray() = default;
    explicit PagedArray(std::size_t size) : size_(size), pages_((size + page - 1) / page) {}

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// Returns element `i`, which must be below `size()`.
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
