/// Memory for large arrays that are accessed at random: large pages, if the system has them, avoid
/// most of the address translation misses of a million-node network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>
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

/// Zero bytes, aligned to a cache line, or to a large page where they fill one. The system provides
/// them on the first touch, except those of short pieces, which come from the heap: there, memory
/// that was used before has to be cleared, and a mapping would cost more than that.
class ZeroedMemory {
public:
    ZeroedMemory() = default;
    explicit ZeroedMemory(std::size_t bytes) : bytes_(bytes) {
        if (bytes == 0) return;
        memory_ = is_mapped() ? map() : std::aligned_alloc(line, (bytes + line - 1) / line * line);
        if (memory_ == nullptr) throw std::bad_alloc();
        if (!is_mapped()) std::memset(memory_, 0, bytes);
    }
    ZeroedMemory(ZeroedMemory&& other) noexcept
        : memory_(std::exchange(other.memory_, nullptr)),
          bytes_(std::exchange(other.bytes_, 0)),
          skipped_(std::exchange(other.skipped_, 0)) {}
    ZeroedMemory& operator=(ZeroedMemory&& other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(bytes_, other.bytes_);
        std::swap(skipped_, other.skipped_);
        return *this;
    }
    ZeroedMemory(const ZeroedMemory&) = delete;
    ZeroedMemory& operator=(const ZeroedMemory&) = delete;
    ~ZeroedMemory() {
        if (!is_mapped()) std::free(memory_);
#ifdef __linux__
        else
            munmap(static_cast<std::byte*>(memory_) - skipped_, mapped_bytes());
#endif
    }

    [[nodiscard]] void* get() const noexcept { return memory_; }

private:
    static constexpr std::size_t line = 64;
#ifdef __linux__
    static constexpr std::size_t mapped_from = std::size_t{128} << 10;
#else
    static constexpr std::size_t mapped_from = SIZE_MAX;
#endif

    [[nodiscard]] bool is_mapped() const noexcept { return bytes_ >= mapped_from; }
    [[nodiscard]] std::size_t mapped_bytes() const noexcept {
        return bytes_ < large_page ? bytes_ : bytes_ + large_page;
    }
    /// Returns null if there is no memory.
    [[nodiscard]] void* map() noexcept {
#ifdef __linux__
        void* const mapping = mmap(nullptr, mapped_bytes(), PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapping == MAP_FAILED) return nullptr;
        if (bytes_ < large_page) return mapping;
        const auto address = reinterpret_cast<std::uintptr_t>(mapping);
        skipped_ = (large_page - address % large_page) % large_page;
        void* const first = static_cast<std::byte*>(mapping) + skipped_;
        (void)madvise(first, bytes_, MADV_HUGEPAGE);
        return first;
#else
        return nullptr;
#endif
    }

    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
    /// The bytes of the mapping before the first aligned one.
    std::size_t skipped_ = 0;
};

/// An array whose elements start as zero bytes and take no memory before they are touched. `T` must
/// be usable in that state and must not need a destructor.
template <class T>
class ZeroedArray {
    static_assert(std::is_trivially_destructible_v<T>);

public:
    ZeroedArray() = default;
    explicit ZeroedArray(std::size_t size)
        : memory_(size * sizeof(T)), first_(static_cast<T*>(memory_.get())), size_(size) {}
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] T& operator[](std::size_t i) noexcept { return first_[i]; }
    [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return first_[i]; }

private:
    ZeroedMemory memory_;
    T* first_ = nullptr;
    std::size_t size_ = 0;
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace tradewind
