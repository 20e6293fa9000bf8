/// The records that ranks keep of their open requests and of their phases.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tradewind/comm/comm.hpp"
#include "tradewind/sim/network/message.hpp"

namespace tradewind::simcomm {

inline constexpr std::uint32_t none = 0;

/// The way by which a message comes into the buffer of its receive; the receiver pays for it.
enum class ReceivePath : std::uint8_t {
    buffered,    ///< eager: copied out of a buffer of the library
    direct,      ///< straight into the buffer of the receive
    rendezvous,  ///< the same, of a message that was too long to be eager
    copied,      ///< by rendezvous within a node: the receiver itself copies the data
};

/// A send, receive, put, access, lock or task that the rank has not yet waited for.
struct alignas(64) RequestRecord {
    static constexpr Picoseconds pending = -1;
    enum class Kind : std::uint8_t { receive, send, put, access, lock, task };

    /// The time at which it completed; of a posted receive, negative until then.
    Picoseconds time = pending;
    /// The time of the call; while a message in parts is under way, that of its latest part so far.
    Picoseconds posted = 0;
    std::byte* data = nullptr;
    /// The bytes of a receive's buffer; of the message, once they have met.
    Bytes size = 0;
    std::uint32_t owner = 0;
    std::uint32_t peer = 0;
    Envelope envelope;
    /// The next posted receive of the same rank.
    std::uint32_t next = none;
    Kind kind = Kind::receive;
    ReceivePath path = ReceivePath::buffered;
    /// The parts that are still under way of a message that was cut into parts; 0 of others.
    std::uint16_t parts = 0;
    /// The number of the wait, of the rank's own count, that this is part of; 0 = none.
    std::uint32_t awaited = 0;
};
static_assert(sizeof(RequestRecord) == 64);

/// Notes into how many parts the message of a request is cut.
inline void expect_parts(RequestRecord& record, std::uint32_t parts) noexcept {
    record.parts = std::uint16_t(parts > 1 ? parts : 0);
}
/// Notes that the message of a request is through at `time`, or a part of it. Returns true if that
/// was the last part, and then makes `time` that of the latest.
[[nodiscard]] inline bool is_last_part(RequestRecord& record, Picoseconds& time) noexcept {
    if (record.parts == 0) return true;
    time = record.posted = std::max(time, record.posted);
    return --record.parts == 0;
}

using RequestPool = sim::RecordPool<RequestRecord>;

/// A first-in-first-out list of receives or messages, linked through the records.
struct Chain {
    std::uint32_t head = none;
    std::uint32_t tail = none;
};

/// Adds record `index` at the end.
template <class Records>
void append(Chain& chain, Records& records, std::uint32_t index) {
    records[index].next = none;
    (chain.head == none ? chain.head : records[chain.tail].next) = index;
    chain.tail = index;
}

/// Takes out the first record that `matches`. Returns `none` if there is none.
template <class Records, class Match>
[[nodiscard]] std::uint32_t take_first(Chain& chain, Records& records, const Match& matches) {
    std::uint32_t before = none;
    for (std::uint32_t i = chain.head; i != none; before = i, i = records[i].next) {
        if (!matches(records[i])) continue;
        const std::uint32_t next = records[i].next;
        (before == none ? chain.head : records[before].next) = next;
        if (next == none) chain.tail = before;
        return i;
    }
    return none;
}

/// One phase of one rank, for the time line.
struct PhaseMark {
    std::uint32_t rank = 0;
    /// The index among the phases of the run.
    std::int32_t phase = 0;
    Picoseconds begin = 0;
    Picoseconds end = 0;
};

/// The time spent in a phase, summed over ranks.
struct PhaseTimes {
    Picoseconds first = INT64_MAX;
    Picoseconds last = 0;
    /// The sum of durations in two integers, exact in any order of addition.
    std::int64_t sum_high = 0;
    std::int64_t sum_low = 0;
    std::int64_t count = 0;

    void add(Picoseconds begin, Picoseconds end) noexcept {
        first = std::min(first, begin);
        last = std::max(last, end);
        sum_high += (end - begin) >> 24;
        sum_low += (end - begin) & 0xffffff;
        ++count;
    }
    void merge(const PhaseTimes& other) noexcept {
        first = std::min(first, other.first);
        last = std::max(last, other.last);
        sum_high += other.sum_high;
        sum_low += other.sum_low;
        count += other.count;
    }
    [[nodiscard]] double mean() const noexcept {
        return count > 0 ? (double(sum_high) * 16777216.0 + double(sum_low)) / double(count) : 0.0;
    }
};
struct PhaseRecord : PhaseTimes {
    std::string name;
};

}  // namespace tradewind::simcomm
