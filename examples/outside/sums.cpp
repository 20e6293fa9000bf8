// ranks: 4
/// C++: algorithms of the library, and a coroutine of one's own, on communicators of an
/// application.
#include <mpi.h>

#include <cstdio>
#include <vector>

#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/choice.hpp"
#include "tradewind/mpi/mpi_comm.hpp"

namespace tw = tradewind;

/// Passes a sum along the ranks; any program of `Comm` can be written this way.
static tw::Task running_sum(tw::Comm& comm, double& value) {
    double before = 0.0;
    const std::span<double> in(&before, 1);
    const std::span<double> out(&value, 1);
    if (comm.rank() > 0) {
        co_await comm.recv(comm.rank() - 1, tw::Buffer(in));
    }
    value += before;
    if (comm.rank() + 1 < comm.size()) {
        co_await comm.send(comm.rank() + 1, tw::Buffer(out));
    }
}

static void sums_of(MPI_Comm application_comm, const char* name) {
    tw::mpi::MpiComm comm(application_comm);
    for (const char* algorithm : {"recursive_k:radix=4", "ringpipe", "halfsum:protocol=(1,6)"}) {
        std::vector<double> values{1.0, double(comm.rank())};
        const auto choice = tw::choose(tw::allreduce_algorithms(), "allreduce", algorithm);
        tw::mpi::run(comm, [&](tw::Comm& on) {
            return choice.algorithm->run(on, {tw::Buffer(std::span(values)), tw::sum<double>()},
                                         choice.options);
        });
        if (comm.rank() == 0) std::printf("%s, %s: %g %g\n", name, algorithm, values[0], values[1]);
    }
    double last = double(comm.rank() + 1);
    tw::mpi::run(comm, [&](tw::Comm& on) { return running_sum(on, last); });
    if (comm.rank() == comm.size() - 1 && last != double(comm.size() * (comm.size() + 1) / 2))
        throw tw::Error("the running sum is wrong");
}

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm odd_and_even = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &odd_and_even);
    try {
        sums_of(MPI_COMM_WORLD, "all ranks");
        if (rank % 2 == 0) sums_of(odd_and_even, "even ranks");
    } catch (const tw::Error& error) {
        std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_free(&odd_and_even);
    MPI_Finalize();
}
