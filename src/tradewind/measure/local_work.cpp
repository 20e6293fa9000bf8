/// The four kinds of local work, each after an exchange.
#include "tradewind/measure/local_work.hpp"

#include <algorithm>

#include "tradewind/comm/barrier/barrier.hpp"
#include "tradewind/comm/local_work.hpp"

namespace tradewind::measure {

namespace {

constexpr Bytes smallest = Bytes{4} << 10;
constexpr Bytes largest = Bytes{4} << 20;
constexpr int clock_readings = 100;

struct Vectors {
    Buffer sent;
    Buffer arrived;
    Buffer own;
};

void add_up(Comm& comm, const Vectors& vectors) {
    combine(comm, sum<double>(), vectors.arrived, vectors.sent);
}

void keep(Comm& comm, const Vectors& vectors) {
    copy(comm, vectors.arrived, vectors.own);
}

void replace_sent(Comm& comm, const Vectors& vectors) {
    copy(comm, vectors.own, vectors.sent);
}

/// Copies the rows in reverse order, so that each has its own place. As in packing, the compiler
/// does not know their length: that takes several times as long as moves of a known one.
void keep_rows(Comm& comm, const Vectors& vectors) {
    const volatile Bytes length = local_row;
    const Bytes row = length;
    const Bytes size = vectors.own.size();
    for (Bytes at = 0; at < size && !vectors.own.is_null(); at += row)
        copy(vectors.arrived.part(at, row), vectors.own.part(size - at - row, row));
    comm.charge({size, size / row, 0});
}

struct LocalOperation {
    const char* name;
    void (*run)(Comm& comm, const Vectors& vectors);
};
constexpr LocalOperation kinds[] = {
    {"sum", add_up}, {"copy", keep}, {"copy_sent", replace_sent}, {"copy_rows", keep_rows}};

/// Returns the shortest time between two readings of the clock.
Picoseconds clock_time(const Comm& comm) {
    Picoseconds shortest = INT64_MAX;
    for (int i = 0; i < clock_readings; ++i) {
        const Picoseconds start = comm.now();
        shortest = std::min(shortest, comm.now() - start);
    }
    return shortest;
}

Task pass_on(Comm& comm, const Vectors& vectors) {
    const auto& barrier = barrier_algorithm("dissemination");
    co_await barrier.run(comm, {barrier.default_radix});
    const Rank p = comm.size();
    if (p == 1) co_return;
    co_await comm.exchange((comm.rank() + 1) % p, vectors.sent, (comm.rank() + p - 1) % p,
                           vectors.arrived);
}

Task time_one(Comm& comm, const LocalOperation& kind, const Vectors& vectors,
              Repetitions repetitions, std::vector<double>& times) {
    const Picoseconds clock = clock_time(comm);
    times.assign(std::size_t(repetitions.count), 0.0);
    for (std::int64_t i = -repetitions.warm_up; i < repetitions.count; ++i) {
        co_await pass_on(comm, vectors);
        const Picoseconds start = comm.now();
        kind.run(comm, vectors);
        const Picoseconds taken = comm.now() - start - clock;
        if (i >= 0) times[std::size_t(i)] = seconds(std::max<Picoseconds>(taken, 0));
    }
    co_await slowest(comm, times);
}

}  // namespace

Task time_local_work(Comm& comm, Repetitions repetitions, bool payload, Rows* rows) {
    Memory sent(largest, payload);
    Memory arrived(largest, payload);
    Memory own(largest, payload);
    std::vector<double> times;
    for (Bytes bytes = smallest; bytes <= largest; bytes *= 4) {
        const Vectors vectors{sent.first(bytes), arrived.first(bytes), own.first(bytes)};
        for (const LocalOperation& kind : kinds) {
            co_await time_one(comm, kind, vectors, repetitions, times);
            if (rows != nullptr) rows->push_back({kind.name, bytes, times});
        }
    }
}

}  // namespace tradewind::measure
