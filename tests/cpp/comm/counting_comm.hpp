/// CountingComm: passes everything on to another communicator, counts what is sent and awaited, and
/// sees overlaps.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <ostream>
#include <vector>

#include "testing.hpp"
#include "tradewind/simcomm/virtual_ranks.hpp"

namespace tradewind {

struct Counts {
    std::int64_t messages = 0;
    Bytes bytes = 0;

    void add(Bytes size) {
        ++messages;
        bytes += size;
    }
    friend Counts operator+(Counts a, Counts b) {
        return {a.messages + b.messages, a.bytes + b.bytes};
    }
    friend bool operator==(Counts, Counts) = default;
    friend std::ostream& operator<<(std::ostream& out, Counts counts) {
        return out << counts.messages << " messages, " << counts.bytes << " bytes";
    }
};

/// How often a rank waited, and for how many open requests at most.
struct Waits {
    std::int64_t count = 0;
    std::int64_t most_open = 0;
};

/// Memory of messages under way. What is received must not overlap with anything else, as MPI
/// demands.
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

class CountingComm final : public Comm {
public:
    explicit CountingComm(Comm& inner)
        : Comm(inner.rank(), inner.size(), inner.strand()), inner_(inner) {}

    [[nodiscard]] Counts counts() const noexcept { return counts_; }
    [[nodiscard]] Waits waits() const noexcept { return waits_; }
    /// Whether a message was ever received over the buffer of another one that was under way.
    [[nodiscard]] bool overlapped() const noexcept { return overlapped_; }
    [[nodiscard]] Picoseconds now() const noexcept override { return inner_.now(); }
    [[nodiscard]] Window expose(Buffer memory, std::int32_t signals) override {
        return inner_.expose(memory, signals);
    }

private:
    /// The protected operations of any communicator.
    struct Open : Comm {
        using Comm::begin_wait;
        using Comm::start_put;
        using Comm::start_receive;
        using Comm::start_send;
        using Comm::suspend;
    };

    Request start_send(Rank to, ConstBuffer data, Envelope envelope, SendMode mode) override {
        counts_.add(data.size());
        open_.add(data.data(), data.size(), false);
        return (inner_.*&Open::start_send)(to, data, envelope, mode);
    }
    Request start_receive(Rank from, Buffer data, Envelope envelope) override {
        open_.add(data.data(), data.size(), true);
        return (inner_.*&Open::start_receive)(from, data, envelope);
    }
    Request start_put(Rank to, Window window, Bytes offset, ConstBuffer data,
                      std::int32_t signal) override {
        return (inner_.*&Open::start_put)(to, window, offset, data, signal);
    }
    bool begin_wait(Waiting& waiting) override {
        const std::span requests(waiting.requests,
                                 waiting.requests == nullptr ? 0 : std::size_t(waiting.count));
        const std::int64_t open =
            std::ranges::count_if(requests, [](Request r) { return !r.is_null(); });
        waits_ = {waits_.count + 1, std::max(waits_.most_open, open)};
        overlapped_ = overlapped_ || open_.overlap();
        if (waiting.what_for == Waiting::For::all) open_.clear();
        return (inner_.*&Open::begin_wait)(waiting);
    }
    void suspend(std::coroutine_handle<> leaf) noexcept override { (inner_.*&Open::suspend)(leaf); }

    Comm& inner_;
    Counts counts_;
    Waits waits_;
    OpenBuffers open_;
    bool overlapped_ = false;
};

/// What the ranks of a run have sent, and how they waited.
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

/// Runs `program` as run_virtual does. Each wait for all requests must cover every message of its
/// rank.
inline Sent run_counted(Rank ranks, const Program& program) {
    std::vector<std::unique_ptr<CountingComm>> comms(static_cast<std::size_t>(ranks));
    Sent sent;
    sent.time = simcomm::run_virtual(ranks, [&](Comm& comm) {
                    auto& counting = comms[std::size_t(comm.rank())];
                    counting = std::make_unique<CountingComm>(comm);
                    return program(*counting);
                }).time;
    for (const auto& comm : comms) {
        sent.ranks.push_back(comm->counts());
        sent.waits.push_back(comm->waits());
        CHECK(!comm->overlapped());
    }
    return sent;
}

}  // namespace tradewind
