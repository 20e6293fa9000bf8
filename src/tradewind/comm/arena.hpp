/// Memory for coroutine frames: large blocks, cut into size classes, with a free list for each
/// class. Memory for the vectors of operations comes from the system, and is kept, too.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "tradewind/base/large_memory.hpp"

namespace tradewind {

/// An allocator of frames. It is not thread-safe: one arena belongs to one thread (or one partition
/// of the simulator).
class Arena {
public:
    Arena() = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena() {
        for (std::size_t index = 0; index < large_classes; ++index) {
            while (large_[index] != nullptr) ::operator delete(take(index));
        }
    }

    [[nodiscard]] void* allocate(std::size_t bytes) {
        const std::size_t index = (bytes + step - 1) / step;
        if (index >= classes) return allocate_vector(bytes);
        if (Free* const head = free_[index]; head != nullptr) {
            free_[index] = head->next;
            return head;
        }
        return carve(index * step);
    }

    void deallocate(void* memory, std::size_t bytes) noexcept {
        const std::size_t index = (bytes + step - 1) / step;
        if (index >= classes) return deallocate_vector(memory, bytes);
        free_[index] = ::new (memory) Free{free_[index]};
    }

    /// Returns the bytes of vectors that nobody uses.
    [[nodiscard]] std::size_t kept() const noexcept { return kept_; }
    /// Returns the bytes of frames taken from the system so far.
    [[nodiscard]] std::size_t reserved() const noexcept { return blocks_.size() * block_bytes; }

private:
    struct Free {
        Free* next;
    };
    static constexpr std::size_t step = 16;
    static constexpr std::size_t classes = 129;  // frames up to 2 KiB; larger ones are rare
    static constexpr std::size_t block_bytes = large_page;
    /// Vectors have four size classes for each power of two.
    static constexpr std::size_t large_classes = 4 * 64;
    /// The most bytes of vectors that are kept while nobody uses them.
    static constexpr std::size_t most_kept = std::size_t{256} << 20;

    [[nodiscard]] static std::size_t large_class(std::size_t bytes) noexcept {
        const auto octave = std::size_t(std::bit_width(bytes - 1)) - 1;
        return 4 * octave + ((bytes - 1) >> (octave - 2)) - 3;
    }
    [[nodiscard]] static std::size_t size_of(std::size_t index) noexcept {
        return (index % 4 + 4) << (index / 4 - 2);
    }
    [[nodiscard]] void* take(std::size_t index) noexcept {
        Free* const head = large_[index];
        large_[index] = head->next;
        return head;
    }
    [[nodiscard]] void* allocate_vector(std::size_t bytes) {
        const std::size_t index = large_class(bytes);
        if (large_[index] == nullptr) return ::operator new(size_of(index));
        kept_ -= size_of(index);
        return take(index);
    }
    void deallocate_vector(void* memory, std::size_t bytes) noexcept {
        const std::size_t index = large_class(bytes);
        if (kept_ + size_of(index) > most_kept) return ::operator delete(memory);
        kept_ += size_of(index);
        large_[index] = ::new (memory) Free{large_[index]};
    }

    [[nodiscard]] void* carve(std::size_t bytes) {
        if (left_ < bytes) {
            blocks_.emplace_back(static_cast<std::byte*>(allocate_large(block_bytes)));
            next_ = blocks_.back().get();
            left_ = block_bytes;
        }
        std::byte* const memory = next_;
        next_ += bytes;
        left_ -= bytes;
        return memory;
    }

    std::array<Free*, classes> free_{};
    std::array<Free*, large_classes> large_{};
    std::size_t kept_ = 0;
    struct Release {
        void operator()(std::byte* memory) const noexcept { std::free(memory); }
    };
    std::vector<std::unique_ptr<std::byte[], Release>> blocks_;
    std::byte* next_ = nullptr;
    std::size_t left_ = 0;
};

}  // namespace tradewind
