/// Memory for coroutine frames: large blocks, cut into size classes, with a free list for each
/// class.
#pragma once

#include <array>
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

    [[nodiscard]] void* allocate(std::size_t bytes) {
        const std::size_t index = (bytes + step - 1) / step;
        if (index >= classes) return ::operator new(bytes);
        if (Free* const head = free_[index]; head != nullptr) {
            free_[index] = head->next;
            return head;
        }
        return carve(index * step);
    }

    void deallocate(void* memory, std::size_t bytes) noexcept {
        const std::size_t index = (bytes + step - 1) / step;
        if (index >= classes) return ::operator delete(memory);
        free_[index] = ::new (memory) Free{free_[index]};
    }

    /// Returns the bytes taken from the system so far.
    [[nodiscard]] std::size_t reserved() const noexcept { return blocks_.size() * block_bytes; }

private:
    struct Free {
        Free* next;
    };
    static constexpr std::size_t step = 16;
    static constexpr std::size_t classes = 129;  // frames up to 2 KiB; larger ones are rare
    static constexpr std::size_t block_bytes = large_page;

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
    struct Release {
        void operator()(std::byte* memory) const noexcept { std::free(memory); }
    };
    std::vector<std::unique_ptr<std::byte[], Release>> blocks_;
    std::byte* next_ = nullptr;
    std::size_t left_ = 0;
};

}  // namespace tradewind
