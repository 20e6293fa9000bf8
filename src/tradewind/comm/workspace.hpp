/// Workspace: memory of an operation for the time of one call.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "tradewind/comm/comm.hpp"

namespace tradewind {

/// Memory from the arena of a communicator, which keeps it for the next call. Fresh memory would
/// cost more than the messages: the system clears each page at its first touch.
class Workspace {
public:
    Workspace() = default;
    Workspace(const Comm& comm, Bytes size) {
        if (size <= 0) return;
        Arena& arena = comm.coroutines().arena;
        head_ = ::new (arena.allocate(sizeof(Head) + std::size_t(size))) Head{&arena, size};
    }
    Workspace(Workspace&& other) noexcept : head_(std::exchange(other.head_, nullptr)) {}
    Workspace& operator=(Workspace&& other) noexcept {
        std::swap(head_, other.head_);
        return *this;
    }
    ~Workspace() {
        if (head_ != nullptr)
            head_->arena->deallocate(head_, sizeof(Head) + std::size_t(head_->size));
    }

    /// Returns the memory; null if there is none.
    [[nodiscard]] std::byte* data() const noexcept {
        return head_ == nullptr ? nullptr : reinterpret_cast<std::byte*>(head_ + 1);
    }
    [[nodiscard]] Buffer buffer() const noexcept {
        return {data(), head_ == nullptr ? 0 : head_->size};
    }

private:
    struct alignas(16) Head {
        Arena* arena;
        Bytes size;
    };

    Head* head_ = nullptr;
};

}  // namespace tradewind
