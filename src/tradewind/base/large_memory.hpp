/// Memory for large arrays that are accessed at random: large pages, if the system has them, avoid
/// most of the address translation misses of a million-node network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace tradewind {

inline constexpr std::size_t large_page = std::size_t{2} << 20;

/// Allocates at least `bytes` bytes, aligned to a large page; the caller releases them with
/// std::free.
[[nodiscard]] inline void* allocate_large(std::size_t bytes) {
    const std::size_t rounded = (bytes + large_page - 1) / large_page * large_page;
    void* const memory = std::aligned_alloc(large_page, rounded);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    (void)madvise(memory, rounded, MADV_HUGEPAGE);  // only advice: failure is harmless
#endif
    return memory;
}

/// An allocator that uses large pages for large arrays and the ordinary heap for small ones.
template <class T>
struct LargeAllocator {
    using value_type = T;
    LargeAllocator() = default;
    template <class U>
    LargeAllocator(const LargeAllocator<U>& /*other*/) noexcept {}

    [[nodiscard]] T* allocate(std::size_t count) {
        if (is_large(count)) return static_cast<T*>(allocate_large(count * sizeof(T)));
        return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t{alignof(T)}));
    }
    void deallocate(T* memory, std::size_t count) noexcept {
        if (is_large(count)) return std::free(memory);
        ::operator delete(memory, std::align_val_t{alignof(T)});
    }
    friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }

private:
    [[nodiscard]] static bool is_large(std::size_t count) noexcept {
        return count * sizeof(T) >= large_page / 2;
    }
};

/// An array whose elements start as zero bytes and take no memory before they are touched. `T` must
/// be usable in that state and must not need a destructor.
template <class T>
class ZeroedArray {
    static_assert(std::is_trivially_destructible_v<T>);

public:
    ZeroedArray() = default;
    explicit ZeroedArray(std::size_t size) : size_(size) {
        const std::size_t bytes = size * sizeof(T) + large_page;
        memory_.reset(static_cast<std::byte*>(std::calloc(bytes, 1)));
        if (memory_ == nullptr) throw std::bad_alloc();
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
        const std::uintptr_t aligned = (address + large_page - 1) / large_page * large_page;
        first_ = reinterpret_cast<T*>(aligned);
#ifdef MADV_HUGEPAGE
        (void)madvise(first_, bytes - (aligned - address), MADV_HUGEPAGE);
#endif
    }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] T& operator[](std::size_t i) noexcept { return first_[i]; }
    [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return first_[i]; }

private:
    struct FreeMemory {
        void operator()(std::byte* memory) const noexcept { std::free(memory); }
    };
    std::unique_ptr<std::byte, FreeMemory> memory_;
    T* first_ = nullptr;
    std::size_t size_ = 0;
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace tradewind
