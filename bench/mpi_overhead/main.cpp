/// The overhead of Comm over MPI: algorithms of the tables and the exchange between parts of a mesh
/// against the same written by hand on MPI, in turn within one run. Prints JSON; needs a power of
/// two of ranks.
///
/// The algorithms written by hand run on MPI_COMM_WORLD and on a duplicate of it, which a library
/// needs for its own messages and which costs time itself. A sample is a batch of calls of each
/// kind, one after the other, in changing order. Times are medians over the samples, overheads the
/// medians of the ratios within a sample.
#include <algorithm>
#include <functional>
#include <iostream>
#include <vector>

#include "direct.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/mesh/mesh_exchange.hpp"
#include "tradewind/mpi/library.hpp"
#include "tradewind/mpi/mpi_comm.hpp"

using namespace tradewind;

namespace {

constexpr Bytes sizes[] = {8, 64, 512, 4096, 32768, 262'144, 1'048'576, 4'194'304};
constexpr double batch_seconds = 400e-6;

using Batch = std::function<void(int calls)>;

struct Result {
    std::vector<double> us;
    std::vector<double> ratios;
    int calls;
    int samples;
};

double median(std::vector<double> values) {
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Returns the time of a call in us, after one that does not count: each kind has buffers of its
/// own, which the others push out of the caches.
double time_of(const Batch& batch, int calls) {
    batch(1);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    batch(calls);
    return (MPI_Wtime() - start) / calls * 1e6;
}

/// Returns the number of calls that fill a batch, the same on all ranks.
int calls_of(const Batch& batch) {
    (void)time_of(batch, 2);
    double each = time_of(batch, 20) * 1e-6;
    MPI_Bcast(&each, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return std::clamp(int(batch_seconds / each), 1, 2000);
}

/// Measures the time of every kind, and the ratio of the last one to each.
Result compare(const std::vector<Batch>& kinds, int samples) {
    const std::size_t count = kinds.size();
    const int calls = calls_of(kinds.front());
    for (const Batch& kind : kinds) (void)time_of(kind, calls);
    std::vector<std::vector<double>> times(count);
    std::vector<std::vector<double>> ratios(count);
    for (int i = 0; i < samples; ++i) {
        for (std::size_t step = 0; step < count; ++step) {
            const std::size_t kind = (i % 2 == 0 ? step : count - 1 - step) + std::size_t(i / 2);
            times[kind % count].push_back(time_of(kinds[kind % count], calls));
        }
        for (std::size_t kind = 0; kind < count; ++kind) {
            ratios[kind].push_back(times.back().back() / times[kind].back());
        }
    }
    Result result{{}, {}, calls, samples};
    for (std::size_t kind = 0; kind < count; ++kind) {
        result.us.push_back(median(times[kind]));
        result.ratios.push_back(median(ratios[kind]));
    }
    return result;
}

Task repeat_alltoallv(Comm& comm, Alltoallv data, int calls) {
    const auto& algorithm = alltoallv_algorithm("ring");
    for (int i = 0; i < calls; ++i) co_await algorithm.run(comm, data, {});
}

Task repeat_allreduce(Comm& comm, Allreduce vector, int calls) {
    const auto& algorithm = allreduce_algorithm("recursive_doubling");
    for (int i = 0; i < calls; ++i) co_await algorithm.run(comm, vector, {});
}

Result alltoallv_result(Comm& comm, MPI_Comm own, Bytes size, int samples) {
    const std::vector<std::byte> send(static_cast<std::size_t>(size * comm.size()));
    std::vector<std::byte> receive(send.size());
    const UniformBlocks blocks(size);
    const Alltoallv data{{send.data(), Bytes(send.size())}, Buffer(std::span(receive)), &blocks};
    const auto by_hand = [&](MPI_Comm on) {
        return [&, on](int calls) {
            for (int i = 0; i < calls; ++i) {
                direct_alltoallv(on, send.data(), receive.data(), int(size));
            }
        };
    };
    const auto by_comm = [&](int calls) {
        mpi::run(comm, [&](Comm& on) { return repeat_alltoallv(on, data, calls); });
    };
    return compare({by_hand(MPI_COMM_WORLD), by_hand(own), by_comm}, samples);
}

Result allreduce_result(Comm& comm, MPI_Comm own, Bytes size, int samples) {
    std::vector<double> vector(std::size_t(size) / sizeof(double), 0.0);
    const Allreduce data{Buffer(std::span(vector)), sum<double>()};
    const auto by_hand = [&](MPI_Comm on) {
        return [&, on](int calls) {
            for (int i = 0; i < calls; ++i) {
                direct_allreduce(on, vector.data(), int(vector.size()));
            }
        };
    };
    const auto by_comm = [&](int calls) {
        mpi::run(comm, [&](Comm& on) { return repeat_allreduce(on, data, calls); });
    };
    return compare({by_hand(MPI_COMM_WORLD), by_hand(own), by_comm}, samples);
}

Task repeat_mesh(Comm& comm, MeshExchange& exchange, const MeshField& field, int calls) {
    for (int i = 0; i < calls; ++i) co_await exchange.exchange(comm, {&field, 1});
}

/// Compares the exchange of every second point of a rank with the rank beside it, in records of up
/// to 16 layers.
Result mesh_result(Comm& comm, MPI_Comm own, Bytes size, int samples) {
    const auto numbers = int(size / Bytes(sizeof(double)));
    const int layers = std::min(numbers, 16);
    const int count = numbers / layers;
    DirectPoints points;
    points.partner = int(comm.rank()) ^ 1;
    points.layers = layers;
    for (int n = 0; n < count; ++n) {
        points.sends.push_back(2 * n);
        points.receives.push_back(2 * n + 1);
    }
    points.out.resize(std::size_t(numbers));
    points.in.resize(std::size_t(numbers));
    std::vector<double> values(2 * std::size_t(numbers), 1.0);
    MeshPart part;
    part.items = {comm.rank()};
    part.points_per_item = 2 * count;
    part.owner = [](std::int64_t item) { return Rank(item); };
    part.shares = [&](std::int64_t) {
        return std::vector<ItemShare>{{points.partner, 0, points.sends, points.receives}};
    };
    MeshExchangeOptions options;
    options.combination = MeshCombination::copy;
    MeshExchange exchange(comm, part, layers, options, true);
    const MeshField field{values.data(), layers, layers, 1};
    const auto by_hand = [&](MPI_Comm on) {
        return [&, on](int calls) {
            for (int i = 0; i < calls; ++i) direct_mesh(on, points, values.data());
        };
    };
    const auto by_comm = [&](int calls) {
        mpi::run(comm, [&](Comm& on) { return repeat_mesh(on, exchange, field, calls); });
    };
    return compare({by_hand(MPI_COMM_WORLD), by_hand(own), by_comm}, samples);
}

/// A comparison and its name.
struct Case {
    const char* name;
    Result (*run)(Comm& comm, MPI_Comm own, Bytes size, int samples);
};
constexpr Case cases[] = {{"alltoallv ring", alltoallv_result},
                          {"allreduce recursive_doubling", allreduce_result},
                          {"mesh copy", mesh_result}};

void measure(Comm& comm, MPI_Comm own, int samples) {
    std::string lines;
    for (const Bytes size : sizes) {
        for (const Case& each : cases) {
            const Result result = each.run(comm, own, size, samples);
            lines += text(lines.empty() ? "" : ",\n", R"(  {"operation": ")", each.name,
                          R"(", "bytes": )", size, R"(, "world_us": )", result.us[0],
                          R"(, "duplicate_us": )", result.us[1], R"(, "comm_us": )", result.us[2],
                          R"(, "over_world": )", result.ratios[0] - 1.0, R"(, "over_duplicate": )",
                          result.ratios[1] - 1.0, R"(, "calls": )", result.calls,
                          R"(, "samples": )", result.samples, "}");
        }
    }
    if (comm.rank() > 0) return;
    std::cout << R"({"library": ")" << mpi::library_version() << R"(", "ranks": )" << comm.size()
              << ", \"results\": [\n"
              << lines << "\n]}\n";
}

}  // namespace

/// Runs the comparison; the argument is the number of samples, 101 if there is none.
int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    {
        mpi::MpiComm comm(MPI_COMM_WORLD);
        MPI_Comm own = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &own);
        measure(comm, own, count > 1 ? std::stoi(arguments[1]) : 101);
        MPI_Comm_free(&own);
    }
    MPI_Finalize();
}
