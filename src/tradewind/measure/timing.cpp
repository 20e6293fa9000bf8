/// The loop that times an operation.
#include "tradewind/measure/timing.hpp"

#include <algorithm>
#include <limits>

#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/barrier/barrier.hpp"

namespace tradewind::measure {

namespace {

constexpr Bytes largest_default = Bytes{1} << 20;

/// The begin and end of a repetition by the clock of this rank.
struct Span {
    Picoseconds begin = 0;
    Picoseconds end = 0;
};

Task repeat(Comm& comm, const Program& body, Repetitions repetitions, std::function<void()> before,
            std::vector<Span>& spans) {
    const auto& barrier = barrier_algorithm("dissemination");
    spans.assign(std::size_t(repetitions.count), {});
    for (std::int64_t i = -repetitions.warm_up; i < repetitions.count; ++i) {
        if (before) before();
        co_await barrier.run(comm, {barrier.default_radix});
        const Picoseconds begin = comm.now();
        co_await body(comm);
        if (i >= 0) spans[std::size_t(i)] = {begin, comm.now()};
    }
}

}  // namespace

Repetitions read_repetitions(const Settings& settings) {
    return {given::warm_up.of(settings), given::repetitions.of(settings)};
}

std::vector<Bytes> read_sizes(const Settings& settings) {
    std::vector<Bytes> usual;
    for (Bytes bytes = 8; bytes < largest_default; bytes *= 4) usual.push_back(bytes);
    usual.push_back(largest_default);
    return given::sizes.of(settings, std::move(usual));
}

Task slowest(Comm& comm, std::vector<double>& seconds) {
    const Allreduce all{Buffer(std::span(seconds)), maximum<double>()};
    co_await allreduce_algorithm("recursive_doubling").run(comm, all, {});
}

void Memory::touch(Bytes bytes) noexcept {
    constexpr std::size_t line = 64;
    const std::size_t end = std::min(values_.size(), std::size_t(bytes));
    for (std::size_t at = 0; at < end; at += line) {
        volatile std::byte* const place = &values_[at];
        *place = *place;
    }
}

Task timed(Comm& comm, const Program& body, Repetitions repetitions, std::vector<double>& seconds,
           std::function<void()> before) {
    std::vector<Span> spans;
    co_await repeat(comm, body, repetitions, std::move(before), spans);
    seconds.clear();
    for (const Span& span : spans) seconds.push_back(tradewind::seconds(span.end - span.begin));
    co_await slowest(comm, seconds);
}

Task time_collectively(Comm& comm, const Program& body, Repetitions repetitions, bool is_waited_for,
                       std::vector<double>& seconds, std::function<void()> before) {
    Picoseconds offset = 0;
    co_await clock_offset(comm, offset);
    std::vector<Span> spans;
    co_await repeat(comm, body, repetitions, std::move(before), spans);
    std::vector<Picoseconds> begins;
    std::vector<Picoseconds> ends;
    for (const Span& span : spans) {
        begins.push_back(is_waited_for ? span.begin + offset : 0);
        ends.push_back(span.end + offset);
    }
    const auto& latest = allreduce_algorithm("recursive_doubling");
    for (std::vector<Picoseconds>* const times : {&begins, &ends}) {
        const Allreduce all{Buffer(std::span(*times)), maximum<Picoseconds>()};
        co_await latest.run(comm, all, {});
    }
    seconds.clear();
    for (std::size_t i = 0; i < spans.size(); ++i) {
        seconds.push_back(tradewind::seconds(ends[i] - begins[i]));
    }
}

Task clock_offset(Comm& comm, Picoseconds& offset) {
    constexpr int rounds = 20;
    Picoseconds there = 0;  // messages both ways have the same size
    const Buffer buffer(std::span(&there, 1));
    offset = 0;
    Picoseconds fastest = std::numeric_limits<Picoseconds>::max();
    for (Rank other = 1; other < comm.size(); ++other) {
        if (comm.rank() != 0 && comm.rank() != other) continue;
        for (int round = 0; round < rounds; ++round) {
            if (comm.rank() == 0) {
                co_await comm.recv(other, buffer);
                there = comm.now();
                co_await comm.send(other, buffer);
                continue;
            }
            const Picoseconds sent = comm.now();
            co_await comm.send(0, buffer);
            co_await comm.recv(0, buffer);
            const Picoseconds arrived = comm.now();
            if (arrived - sent >= fastest) continue;
            fastest = arrived - sent;
            offset = there - (sent + fastest / 2);
        }
    }
}

}  // namespace tradewind::measure
