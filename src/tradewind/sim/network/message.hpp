/// Message: the unit that the network carries from one interface to another, cut into packets on
/// the way; and the pool of messages.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "tradewind/base/large_memory.hpp"
#include "tradewind/base/units.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

using MessageId = std::uint32_t;
inline constexpr MessageId no_message = 0;

/// The fields that can be copied to another process. The source's thread writes `unsent` and
/// `next`. The destination's thread writes `arrival` and `undelivered`, which is counted only where
/// packets may overtake each other. The rest is fixed while packets are under way.
struct MessageFields {
    Bytes bytes = 0;
    Bytes unsent = 0;
    Bytes undelivered = 0;
    /// The time at which the interface began to send (before that: at which it was asked to), and
    /// that at which the last byte arrived.
    Picoseconds start = 0;
    Picoseconds arrival = 0;
    std::uint32_t source_nic = 0;
    std::uint32_t destination_nic = 0;
    std::uint32_t packet_size = 0;
    MessageId next = no_message;
    /// The position among the messages of its source rank. It breaks ties without looking at
    /// threads.
    std::uint32_t sequence = 0;

    // The client's own data; the network does not read it.
    std::uint8_t kind = 0;
    std::uint8_t flags = 0;
    std::uint16_t signal = 0;
    std::uint32_t source_rank = 0;
    std::uint32_t destination_rank = 0;
    std::uint32_t context = 0;
    std::int32_t tag = 0;
    std::uint32_t send_request = 0;
    std::uint32_t receive_request = 0;
    /// The order among messages of equal envelopes, where the routes do not keep it.
    std::uint32_t ticket = 0;
    std::uint32_t after = 0;
    Bytes size = 0;
    Bytes offset = 0;
};

struct alignas(64) Message : MessageFields {
    std::unique_ptr<std::byte[]> payload;
};

/// The records of one type, by index. Several free lists, one for each worker or more where records
/// should lie apart, avoid a lock in the common case. Index 0 is never given out: it stands for
/// none.
///
/// Processes that share a simulation give out different indices, so that each can keep a copy of
/// another one's record under the same index.
template <class Record>
class RecordPool {
public:
    explicit RecordPool(int lists, int process = 0, int processes = 1)
        : process_(std::size_t(process)),
          processes_(std::size_t(processes)),
          local_(std::size_t(lists)),
          chunks_(max_chunks) {}

    /// Returns the process that gives out an index.
    [[nodiscard]] int owner(std::uint32_t index) const noexcept {
        return int((index >> chunk_bits) % processes_);
    }
    /// Makes room for a copy of another process's record. No other thread may use the pool
    /// meanwhile.
    [[nodiscard]] Record& copy(std::uint32_t index) {
        if (chunks_[index >> chunk_bits] == nullptr) add_chunk(index >> chunk_bits);
        return (*this)[index];
    }

    [[nodiscard]] Record& operator[](std::uint32_t index) noexcept {
        return chunks_[index >> chunk_bits][index & (chunk_size - 1)];
    }
    [[nodiscard]] std::uint32_t take(int list) {
        auto& free = local_[std::size_t(list)].free;
        if (free.empty()) refill(free);
        const std::uint32_t index = free.back();
        free.pop_back();
        return index;
    }
    void give(int list, std::uint32_t index) {
        auto& free = local_[std::size_t(list)].free;
        (*this)[index] = Record{};
        free.push_back(index);
        if (free.size() >= 4 * chunk_size) share(free);
    }
    /// Returns the bytes that were taken from the system.
    [[nodiscard]] std::size_t reserved() const noexcept {
        return (first_.size() + others_.size() * chunk_size) * sizeof(Record);
    }

private:
    static constexpr std::uint32_t chunk_bits = 14;
    static constexpr std::uint32_t chunk_size = 1U << chunk_bits;
    /// The records of the first chunk that are touched at a time: a short program needs few.
    static constexpr std::uint32_t slice_size = chunk_size / 16;
    static constexpr std::size_t max_chunks = std::size_t{1} << 17;

    struct alignas(64) Local {
        std::vector<std::uint32_t> free;
    };

    void refill(std::vector<std::uint32_t>& free) {
        const std::scoped_lock lock(mutex_);
        if (!shared_.empty()) {
            free = std::move(shared_.back());
            shared_.pop_back();
            return;
        }
        const std::size_t old = first_.size();
        if (old < chunk_size) {
            if (old == 0) {
                first_.reserve(chunk_size);
                chunks_[process_] = first_.data();
            }
            first_.resize(old + slice_size);
            append(free, std::uint32_t((process_ << chunk_bits) + old), slice_size);
            return;
        }
        const std::size_t chunk = used_ * processes_ + process_;
        if (chunk >= max_chunks) throw std::bad_alloc();
        add_chunk(chunk);
        append(free, std::uint32_t(chunk << chunk_bits), chunk_size);
        ++used_;
    }
    void add_chunk(std::size_t chunk) {
        others_.emplace_back(chunk_size);
        chunks_[chunk] = others_.back().data();
    }
    /// Appends the indices from `first` so that the lowest is taken first.
    static void append(std::vector<std::uint32_t>& free, std::uint32_t first, std::uint32_t count) {
        free.reserve(count);
        for (std::uint32_t i = count; i > 0; --i) {
            if (first + i > 1) free.push_back(first + i - 1);
        }
    }
    /// Hands some records of a list that gets more than it gives to the others.
    void share(std::vector<std::uint32_t>& free) {
        std::vector<std::uint32_t> half(free.end() - 2 * chunk_size, free.end());
        free.resize(free.size() - 2 * chunk_size);
        const std::scoped_lock lock(mutex_);
        shared_.push_back(std::move(half));
    }

    std::size_t process_;
    std::size_t processes_;
    /// The number of chunks that this process gives out.
    std::size_t used_ = 1;
    std::vector<Local> local_;
    /// The first chunk, which grows within its capacity, and the others, also those of other
    /// processes.
    std::vector<Record> first_;
    std::vector<LargeVector<Record>> others_;
    /// The chunks by number. It is as long as it can get, as threads read it while another one adds
    /// a chunk, and takes no memory where there is none.
    ZeroedArray<Record*> chunks_;
    std::vector<std::vector<std::uint32_t>> shared_;
    std::mutex mutex_;
};

/// The fields leave no room behind them, in which the payload could lie and be copied over.
static_assert(sizeof(MessageFields) == 112 && sizeof(Message) == 128);
using MessagePool = RecordPool<Message>;

}  // namespace tradewind::sim
