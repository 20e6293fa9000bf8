/// CountingComm: a communicator that forwards all calls to another one, counts messages and waits,
/// and detects overlapping buffers.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <ostream>
#include <vector>

#include "forwarding_comm.hpp"
#include "support/ranks.hpp"
#include "testing.hpp"
#include "tradewind/comm/message_totals.hpp"

namespace tradewind {

using Counts = MessageTotals;

inline std::ostream& operator<<(std::ostream& out, Counts counts) {
    return out << counts.messages << " messages, " << counts.bytes << " bytes";
}

/// The number of waits of a rank, and the largest number of open requests in one of them.
struct Waits {
    std::int64_t count = 0;
    std::int64_t most_open = 0;
};

/// The memory of pending messages. MPI demands that a receive buffer overlaps with no other buffer.
class OpenBuffers {
public:
    void add(const std::byte* data, Bytes size, bool received) {
        if (data != nullptr && size > 0) pieces_.push_back({data, data + size, received});
    }
    void clear() { pieces_.clear(); }
    [[nodiscard]] bool overlap() {
        std::ranges::sort(pieces_, {}, &Piece::begin);
        const std::byte* end = nullptr;
        const std::byte* received_end = nullptr;
        for (const Piece& piece : pieces_) {
            if (std::less{}(piece.begin, piece.received ? end : received_end)) return true;
            end = std::max(end, piece.end, std::less{});
            if (piece.received) received_end = std::max(received_end, piece.end, std::less{});
        }
        return false;
    }

private:
    struct Piece {
        const std::byte* begin;
        const std::byte* end;
        bool received;
    };
    std::vector<Piece> pieces_;
};

class CountingComm final : public ForwardingComm {
public:
    using ForwardingComm::ForwardingComm;

    [[nodiscard]] Counts counts() const noexcept { return counts_; }
    [[nodiscard]] Waits waits() const noexcept { return waits_; }
    /// Reports whether a message was ever received into the buffer of another pending one.
    [[nodiscard]] bool overlapped() const noexcept { return overlapped_; }

private:
    Request start_send(Rank to, ConstBuffer data, Envelope envelope, SendMode mode) override {
        counts_.add(data.size());
        const Request request = ForwardingComm::start_send(to, data, envelope, mode);
        // A null request is complete: its buffer is free again, and no wait is needed.
        if (!request.is_null()) open_.add(data.data(), data.size(), false);
        return request;
    }
    Request start_put(Rank to, Window window, Bytes offset, ConstBuffer data,
                      std::int32_t signal) override {
        counts_.add(data.size());
        return ForwardingComm::start_put(to, window, offset, data, signal);
    }
    Request start_receive(Rank from, Buffer data, Envelope envelope) override {
        open_.add(data.data(), data.size(), true);
        return ForwardingComm::start_receive(from, data, envelope);
    }
    bool begin_wait(Waiting& waiting) override {
        const std::span requests(waiting.requests,
                                 waiting.requests == nullptr ? 0 : std::size_t(waiting.count));
        const std::int64_t open =
            std::ranges::count_if(requests, [](Request r) { return !r.is_null(); });
        waits_ = {waits_.count + 1, std::max(waits_.most_open, open)};
        overlapped_ = overlapped_ || open_.overlap();
        if (waiting.what_for == Waiting::For::all) open_.clear();
        return ForwardingComm::begin_wait(waiting);
    }

    Counts counts_;
    Waits waits_;
    OpenBuffers open_;
    bool overlapped_ = false;
};

/// The messages and the waits of the ranks of a run.
struct Sent {
    std::vector<Counts> ranks;
    std::vector<Waits> waits;
    Picoseconds time = 0;

    [[nodiscard]] Counts total() const {
        Counts sum;
        for (const Counts& counts : ranks) sum = sum + counts;
        return sum;
    }
};

/// A function that runs a program and returns the time it took: run_ranks, or another machine.
using Machine = std::function<Picoseconds(Rank ranks, const Program& program)>;

/// Runs `program` as run_ranks does. Each wait for all requests must cover every message of its
/// rank.
inline Sent run_counted(Rank ranks, const Program& program, const Machine& machine = run_ranks) {
    std::vector<std::unique_ptr<CountingComm>> comms(static_cast<std::size_t>(ranks));
    Sent sent{std::vector<Counts>(comms.size()), std::vector<Waits>(comms.size()), 0};
    sent.time = machine(ranks, [&](Comm& comm) {
        auto& counting = comms[std::size_t(comm.rank())];
        counting = std::make_unique<CountingComm>(comm);
        return program(*counting);
    });
    for (const Rank r : visible(ranks)) {
        const auto& comm = comms[std::size_t(r)];
        sent.ranks[std::size_t(r)] = comm->counts();
        sent.waits[std::size_t(r)] = comm->waits();
        CHECK(!comm->overlapped());
    }
    share_all(sent.ranks);
    share_all(sent.waits);
    return sent;
}

}  // namespace tradewind
