/// Puts by messages, for libraries whose one-sided operations do not work: a header with window,
/// offset and signal precedes the data, and the target copies the data into its window.
///
/// Puts arrive only while the target waits for something, and every byte is copied twice.
#include <cstring>

#include "tradewind/mpi/byte_type.hpp"
#include "tradewind/mpi/puts/puts.hpp"

namespace tradewind::mpi {

namespace {

struct PutHeader {
    std::int64_t window;
    std::int64_t signal;
    Bytes offset;
};

class MessagePuts final : public Puts {
public:
    explicit MessagePuts(MPI_Comm comm) : Puts(comm) {}

    void settle() override {}
    void poll() override {
        while (true) {
            int found = 0;
            MPI_Message message = MPI_MESSAGE_NULL;
            MPI_Status status;
            check(MPI_Improbe(MPI_ANY_SOURCE, 0, comm_, &found, &message, &status), "MPI_Improbe");
            if (found == 0) return;
            take(message, status);
        }
    }
    [[nodiscard]] bool needs_polling() const noexcept override { return !windows_.empty(); }
    void finish() override {
        // A rank that enters the barrier has completed all its puts; the remaining ones are already
        // on their way to this rank.
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier");
        complete(request, "MPI_Ibarrier, which ends the puts");
        poll();
        windows_.clear();
    }

private:
    struct MessageWindow {
        Buffer memory;
        std::vector<std::int64_t> counters;
        /// The memory of a window that was allocated here.
        Scratch own;
    };

    void add_window(Buffer memory, std::int32_t signals) override {
        windows_.push_back({memory, std::vector<std::int64_t>(std::size_t(signals)), {}});
    }
    Buffer add_own_window(Bytes size, std::int32_t signals) override {
        Scratch own;
        const Buffer memory(own.at_least(size), size);
        add_window(memory, signals);
        windows_.back().own = std::move(own);
        return memory;
    }

    MPI_Request start_checked(const Put& put, Scratch& scratch) override {
        const PutHeader header{put.window.id, put.signal, put.offset};
        const Bytes size = Bytes(sizeof header) + put.data.size();
        std::byte* const packed = scratch.at_least(size);
        std::memcpy(packed, &header, sizeof header);
        copy(put.data, Buffer(packed + sizeof header, put.data.size()));
        const ByteType bytes(size);
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Isend(packed, bytes.count(), bytes.type(), put.to, 0, comm_, &request),
              "MPI_Isend");
        return request;
    }

    void take(MPI_Message message, MPI_Status status) {
        MPI_Count size = 0;
        check(MPI_Get_elements_x(&status, MPI_BYTE, &size), "MPI_Get_elements_x");
        std::byte* const packed = incoming_.at_least(size);
        const ByteType bytes(size);
        check(MPI_Mrecv(packed, bytes.count(), bytes.type(), &message, MPI_STATUS_IGNORE),
              "MPI_Mrecv");
        PutHeader header{};
        std::memcpy(&header, packed, sizeof header);
        MessageWindow& target = windows_[std::size_t(header.window)];
        const Bytes length = Bytes(size) - Bytes(sizeof header);
        copy(ConstBuffer(packed + sizeof header, length),
             target.memory.part(header.offset, length));
        ++target.counters[std::size_t(header.signal)];
    }

    std::int64_t count(Window window, std::int32_t signal) override {
        return windows_[std::size_t(window.id)].counters[std::size_t(signal)];
    }

    std::vector<MessageWindow> windows_;
    Scratch incoming_;
};

}  // namespace

std::unique_ptr<Puts> make_message_puts(MPI_Comm comm) {
    return std::make_unique<MessagePuts>(comm);
}

}  // namespace tradewind::mpi
