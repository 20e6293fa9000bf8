/// Requests: the MPI requests behind the handles of a rank, and the properties of each.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tradewind/comm/types.hpp"
#include "tradewind/comm/wait.hpp"
#include "tradewind/mpi/check.hpp"

namespace tradewind::mpi {

/// Memory that is reused from message to message for null buffers, since MPI moves real bytes.
class Scratch {
public:
    /// Returns at least `size` bytes; newly allocated bytes are zero.
    [[nodiscard]] std::byte* at_least(Bytes size) {
        if (size > size_) {
            memory_ = std::make_unique<std::byte[]>(static_cast<std::size_t>(size));
            size_ = size;
        }
        return memory_.get();
    }

private:
    std::unique_ptr<std::byte[]> memory_;
    Bytes size_ = 0;
};

/// One started operation. A complete put has the null request of MPI.
struct Slot {
    enum class RequestKind : std::uint8_t { send, receive, put };

    MPI_Request request = MPI_REQUEST_NULL;
    std::int32_t peer = 0;
    Envelope envelope;
    Bytes size = 0;
    RequestKind kind = RequestKind::send;
    /// The slot of a put in a recording; -1 if it is not recorded.
    std::int64_t recorded = -1;
    /// The next free slot, while this one is free.
    std::uint32_t next = Request::null;
    Scratch scratch;
};

class Requests {
public:
    [[nodiscard]] Request open(Slot::RequestKind kind, Rank peer, Envelope envelope, Bytes size) {
        if (free_.is_null()) [[unlikely]]
            add_slot();
        const Request request = free_;
        Slot& slot = (*this)[request];
        free_.id = slot.next;
        slot.kind = kind;
        slot.peer = std::int32_t(peer);
        slot.envelope = envelope;
        slot.size = size;
        return request;
    }
    /// Frees the slot and makes the handle null.
    void close(Request& request) {
        (*this)[request].next = free_.id;
        free_ = request;
        request = {};
    }
    [[nodiscard]] Slot& operator[](Request request) noexcept { return slots_[request.id - 1]; }

private:
    void add_slot() {
        slots_.emplace_back();
        free_.id = static_cast<std::uint32_t>(slots_.size());
    }

    std::vector<Slot> slots_;
    /// The head of the list of free slots.
    Request free_;
};

/// Returns a description of the operation for error messages.
[[nodiscard]] std::string description(const Slot& slot);

}  // namespace tradewind::mpi
