/// The loop that times an operation.
#include "tradewind/measure/timing.hpp"

#include <algorithm>

#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/barrier/barrier.hpp"

namespace tradewind::measure {

namespace {

constexpr Bytes largest_default = Bytes{4} << 20;

}  // namespace

Repetitions read_repetitions(const Settings& settings) {
    return {settings.whole("warm_up", 10, 0, 1'000'000),
            settings.whole("repetitions", 100, 1, 10'000'000)};
}

std::vector<Bytes> read_sizes(const Settings& settings, std::vector<Bytes> otherwise) {
    if (otherwise.empty()) {
        for (Bytes bytes = 8; bytes <= largest_default; bytes *= 2) otherwise.push_back(bytes);
    }
    const auto sizes = settings.get<std::vector<std::int64_t>>("sizes", std::move(otherwise));
    if (sizes.empty() || std::ranges::any_of(sizes, [](Bytes size) { return size < 0; }))
        throw ConfigError("sizes: must be one or more numbers of bytes, none negative");
    return sizes;
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
    const auto& barrier = barrier_algorithm("dissemination");
    seconds.assign(std::size_t(repetitions.count), 0.0);
    for (std::int64_t i = -repetitions.warm_up; i < repetitions.count; ++i) {
        if (before) before();
        co_await barrier.run(comm, {barrier.default_radix});
        const Picoseconds start = comm.now();
        co_await body(comm);
        if (i >= 0) seconds[std::size_t(i)] = tradewind::seconds(comm.now() - start);
    }
    co_await slowest(comm, seconds);
}

}  // namespace tradewind::measure
