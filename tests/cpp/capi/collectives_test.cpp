/// The collective operations of the C interface against their definitions, with every algorithm.
#include <algorithm>

#include "capi_cases.hpp"
#include "tradewind/comm/allgather/allgather.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/barrier/barrier.hpp"
#include "tradewind/comm/bcast/bcast.hpp"

namespace tradewind {

namespace {

/// Returns the default, one algorithm with options, and every algorithm by its name.
template <class Algorithm>
std::vector<std::string> choices(std::span<const Algorithm> table, const char* with_options) {
    std::vector<std::string> result{"", with_options};
    for (const Algorithm& algorithm : table) result.emplace_back(algorithm.name);
    return result;
}

template <class T>
void check_allreduce(int type, const std::string& algorithm) {
    const capi::Handle comm;
    const T last = T(comm.size() - 1);
    const std::vector<std::vector<T>> expected = {
        {T(last * (last + 1) / 2), T(-comm.size())}, {last, -1}, {0, -1}};
    for (const int operation : {TRADEWIND_SUM, TRADEWIND_MAX, TRADEWIND_MIN}) {
        CAPTURE(type, operation, algorithm);
        std::vector<T> values{T(comm.rank()), -1};
        CHECK_EQ(tradewind_allreduce(comm, values.data(), 2, type, operation, algorithm.c_str()),
                 TRADEWIND_OK);
        CHECK(values == expected[std::size_t(operation - 1)]);
    }
}

/// An exchange in which rank a sends 10 a + b to rank b, (a + 2 b) mod 3 times, with gaps of one
/// element between blocks.
struct Exchange {
    Exchange(int rank, int size) {
        for (int other = 0; other < size; ++other) {
            add(out, out_counts, out_offsets, rank, other);
            add(in, in_counts, in_offsets, other, rank);
        }
        received.assign(in.size(), -1.0);
    }
    static void add(std::vector<double>& values, std::vector<std::int64_t>& counts,
                    std::vector<std::int64_t>& offsets, int from, int to) {
        counts.push_back((from + 2 * to) % 3);
        offsets.push_back(std::int64_t(values.size()));
        values.insert(values.end(), std::size_t(counts.back()), 10.0 * from + to);
        values.push_back(-1.0);
    }
    int run(tradewind_comm* comm, const char* algorithm) {
        return tradewind_alltoallv(comm, out.data(), out_counts.data(), out_offsets.data(),
                                   received.data(), in_counts.data(), in_offsets.data(),
                                   TRADEWIND_DOUBLE, algorithm);
    }

    std::vector<double> out, in, received;
    std::vector<std::int64_t> out_counts, out_offsets, in_counts, in_offsets;
};

}  // namespace

TEST_CASE("allreduce combines every type by every operation and algorithm") {
    for (const std::string& algorithm :
         choices(allreduce_algorithms(), "recursive_k : radix = 3, protocol=(1,6)")) {
        check_allreduce<double>(TRADEWIND_DOUBLE, algorithm);
        check_allreduce<float>(TRADEWIND_FLOAT, algorithm);
        check_allreduce<std::int32_t>(TRADEWIND_INT32, algorithm);
        check_allreduce<std::int64_t>(TRADEWIND_INT64, algorithm);
    }
}

TEST_CASE("alltoallv brings every block to its place, with and without comparing counts") {
    const capi::Handle comm;
    for (const int compare : {0, 1}) {
        tradewind_comm_check_counts(comm, compare);
        for (const std::string& algorithm :
             choices(alltoallv_algorithms(), "ring_k:radix=2,protocol=(0,4)")) {
            CAPTURE(algorithm, compare);
            Exchange exchange(comm.rank(), comm.size());
            CHECK_EQ(exchange.run(comm, algorithm.c_str()), TRADEWIND_OK);
            CHECK(exchange.received == exchange.in);
        }
    }
}

TEST_CASE("alltoallv of nothing needs no memory, where others have something to send") {
    const capi::Handle comm;
    const bool sends = comm.rank() == 0;
    std::vector<std::int64_t> zero(std::size_t(comm.size()), 0);
    std::vector<std::int64_t> from_first = zero;
    std::vector<std::int64_t> one(zero.size(), sends ? 1 : 0);
    from_first[0] = 1;
    const double given = 7.0;
    double got = 0.0;
    for (const char* algorithm : {"burst", "bruck"}) {
        CHECK_EQ(tradewind_alltoallv(comm, sends ? &given : nullptr, one.data(), zero.data(), &got,
                                     from_first.data(), zero.data(), TRADEWIND_DOUBLE, algorithm),
                 TRADEWIND_OK);
        CHECK_EQ(got, 7.0);
    }
}

TEST_CASE("allgather, bcast and barrier work with every algorithm") {
    const capi::Handle comm;
    for (const std::string& algorithm : choices(allgather_algorithms(), "ring:window=3")) {
        const std::vector<float> mine{float(comm.rank()), 0.5F};
        std::vector<float> all(std::size_t(2 * comm.size()), -1.0F);
        CHECK_EQ(tradewind_allgather(comm, mine.data(), all.data(), 2, TRADEWIND_FLOAT,
                                     algorithm.c_str()),
                 TRADEWIND_OK);
        for (int i = 0; i < comm.size(); ++i) CHECK_EQ(all[std::size_t(2 * i)], float(i));
    }
    for (const std::string& algorithm : choices(bcast_algorithms(), "tree:radix=3")) {
        const int root = comm.size() - 1;
        char words[] = "unknown";
        if (comm.rank() == root) std::ranges::copy("goodbye", words);
        CHECK_EQ(tradewind_bcast(comm, words, 8, TRADEWIND_BYTE, root, algorithm.c_str()),
                 TRADEWIND_OK);
        CHECK_EQ(std::string(words), std::string("goodbye"));
    }
    for (const std::string& algorithm : choices(barrier_algorithms(), "tree:radix=2"))
        CHECK_EQ(tradewind_barrier(comm, algorithm.c_str()), TRADEWIND_OK);
}

TEST_CASE("counts of two sides that differ are refused on all ranks when they are compared") {
    const capi::Handle comm;
    tradewind_comm_check_counts(comm, 1);
    Exchange exchange(comm.rank(), comm.size());
    // The first rank expects one element more from the last one.
    const bool liar = comm.rank() == 0 && comm.size() > 1;
    if (liar) ++exchange.in_counts.back();
    exchange.received.resize(exchange.received.size() + 1);
    const int code = exchange.run(comm, nullptr);
    CHECK_EQ(code, comm.size() > 1 ? TRADEWIND_WRONG_INPUT : TRADEWIND_OK);
    if (code == TRADEWIND_OK) return;
    CHECK(capi::error_says(liar ? "rank 0 expects" : "counts of 1 other ranks do not match"));
    if (liar) CHECK(capi::error_says("from rank " + std::to_string(comm.size() - 1)));
}

}  // namespace tradewind
