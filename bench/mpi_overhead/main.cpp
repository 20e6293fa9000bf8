/// What Comm costs on top of MPI: algorithms of the tables against the same ones written on MPI by
/// hand, in turn within one run. Prints JSON; needs a power of two of ranks.
///
/// A sample is a batch of calls of each kind, one after the other, in changing order. Times are
/// medians over the samples, the overhead is the median of the ratios of neighbours.
#include <algorithm>
#include <functional>
#include <iostream>
#include <vector>

#include "direct.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/mpi/library.hpp"
#include "tradewind/mpi/mpi_comm.hpp"

using namespace tradewind;

namespace {

constexpr Bytes sizes[] = {8, 64, 512, 4096, 32768, 262'144, 1'048'576, 4'194'304};
constexpr double batch_seconds = 400e-6;

using Batch = std::function<void(int calls)>;

struct Result {
    double direct_us;
    double comm_us;
    double overhead;
    int calls;
    int samples;
};

double median(std::vector<double> values) {
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

double time_of(const Batch& batch, int calls) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    batch(calls);
    return (MPI_Wtime() - start) / calls * 1e6;
}

/// As many calls as fill a batch, the same on all ranks.
int calls_of(const Batch& batch) {
    (void)time_of(batch, 2);
    double each = time_of(batch, 20) * 1e-6;
    MPI_Bcast(&each, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return std::clamp(int(batch_seconds / each), 1, 2000);
}

Result compare(const Batch& direct, const Batch& comm, int samples) {
    const int calls = calls_of(direct);
    (void)time_of(comm, calls);
    std::vector<double> by_hand;
    std::vector<double> by_comm;
    std::vector<double> ratios;
    for (int i = 0; i < samples; ++i) {
        const bool direct_first = i % 2 == 0;
        const double first = time_of(direct_first ? direct : comm, calls);
        const double second = time_of(direct_first ? comm : direct, calls);
        by_hand.push_back(direct_first ? first : second);
        by_comm.push_back(direct_first ? second : first);
        ratios.push_back(by_comm.back() / by_hand.back());
    }
    return {median(by_hand), median(by_comm), median(ratios) - 1.0, calls, samples};
}

Task repeat_alltoallv(Comm& comm, Alltoallv data, int calls) {
    const auto& algorithm = alltoallv_algorithm("ring");
    for (int i = 0; i < calls; ++i) co_await algorithm.run(comm, data, {});
}

Task repeat_allreduce(Comm& comm, Allreduce vector, int calls) {
    const auto& algorithm = allreduce_algorithm("recursive_doubling");
    for (int i = 0; i < calls; ++i) co_await algorithm.run(comm, vector, {});
}

Result alltoallv_result(Comm& comm, Bytes size, int samples) {
    const std::vector<std::byte> send(static_cast<std::size_t>(size * comm.size()));
    std::vector<std::byte> receive(send.size());
    const UniformBlocks blocks(size);
    const Alltoallv data{{send.data(), Bytes(send.size())}, Buffer(std::span(receive)), &blocks};
    return compare(
        [&](int calls) {
            for (int i = 0; i < calls; ++i) {
                direct_alltoallv(MPI_COMM_WORLD, send.data(), receive.data(), int(size));
            }
        },
        [&](int calls) {
            mpi::run(comm, [&](Comm& on) { return repeat_alltoallv(on, data, calls); });
        },
        samples);
}

Result allreduce_result(Comm& comm, Bytes size, int samples) {
    std::vector<double> vector(std::size_t(size) / sizeof(double), 0.0);
    const Allreduce data{Buffer(std::span(vector)), sum<double>()};
    return compare(
        [&](int calls) {
            for (int i = 0; i < calls; ++i) {
                direct_allreduce(MPI_COMM_WORLD, vector.data(), int(vector.size()));
            }
        },
        [&](int calls) {
            mpi::run(comm, [&](Comm& on) { return repeat_allreduce(on, data, calls); });
        },
        samples);
}

void measure(Comm& comm, int samples) {
    std::string lines;
    for (const Bytes size : sizes) {
        for (const bool exchange : {true, false}) {
            const Result result = exchange ? alltoallv_result(comm, size, samples)
                                           : allreduce_result(comm, size, samples);
            lines += text(lines.empty() ? "" : ",\n", R"(  {"operation": ")",
                          exchange ? "alltoallv ring" : "allreduce recursive_doubling",
                          R"(", "bytes": )", size, R"(, "direct_us": )", result.direct_us,
                          R"(, "comm_us": )", result.comm_us, R"(, "overhead": )", result.overhead,
                          R"(, "calls": )", result.calls, R"(, "samples": )", result.samples, "}");
        }
    }
    if (comm.rank() > 0) return;
    std::cout << R"({"library": ")" << mpi::library_version() << R"(", "ranks": )" << comm.size()
              << ", \"results\": [\n"
              << lines << "\n]}\n";
}

}  // namespace

/// The argument is the number of samples, 101 if there is none.
int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    {
        mpi::MpiComm comm(MPI_COMM_WORLD);
        measure(comm, count > 1 ? std::stoi(arguments[1]) : 101);
    }
    MPI_Finalize();
}
