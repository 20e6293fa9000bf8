/// The functions of ranks.hpp for tests on real ranks.
#include "real_ranks.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "support/ranks.hpp"
#include "testing_processes.hpp"

namespace tradewind {

namespace {

struct Group {
    MPI_Comm mpi = MPI_COMM_NULL;
    std::unique_ptr<mpi::MpiComm> comm;
};

/// The communicators: entry k - 1 has the first k processes, and is null on all others.
std::vector<Group> groups;

/// Returns how many ranks at most another run of the same tests has: this one leaves these out.
Rank tested_elsewhere() {
    const char* const given = std::getenv("TRADEWIND_TESTED_RANKS");
    return given == nullptr ? 0 : Rank(std::stoi(given));
}

int world_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

}  // namespace

void begin_processes() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char* const given = std::getenv("TRADEWIND_PUTS");
    const std::string way = given == nullptr ? "auto" : given;
    for (int k = 1; k <= size; ++k) {
        Group group;
        const int colour = world_rank() < k ? 0 : MPI_UNDEFINED;
        MPI_Comm_split(MPI_COMM_WORLD, colour, 0, &group.mpi);
        if (group.mpi != MPI_COMM_NULL) group.comm = std::make_unique<mpi::MpiComm>(group.mpi, way);
        groups.push_back(std::move(group));
    }
}

void end_processes() {
    for (Group& group : groups) {
        group.comm.reset();
        if (group.mpi != MPI_COMM_NULL) MPI_Comm_free(&group.mpi);
    }
    groups.clear();
}

mpi::MpiComm& real_comm(Rank ranks) {
    return *groups.at(std::size_t(ranks - 1)).comm;
}

bool ranks_are_virtual() {
    return false;
}

std::vector<Rank> runnable(const std::vector<Rank>& counts) {
    const Rank least = std::max<Rank>(tested_elsewhere(), world_rank()) + 1;
    std::vector<Rank> result;
    for (const Rank count : counts) {
        if (count >= least && count <= Rank(groups.size())) result.push_back(count);
    }
    return result;
}

Rank some_ranks(Rank /*count*/) {
    return Rank(groups.size());
}

std::vector<Rank> visible(Rank ranks) {
    return world_rank() < ranks ? std::vector<Rank>{world_rank()} : std::vector<Rank>{};
}

Picoseconds run_ranks(Rank ranks, const Program& program) {
    mpi::MpiComm& comm = real_comm(ranks);
    const Picoseconds start = comm.now();
    mpi::run(comm, program);
    return comm.now() - start;
}

void share(Rank ranks, Rank of, Buffer result) {
    MPI_Bcast(result.data(), int(result.size()), MPI_BYTE, int(of),
              groups.at(std::size_t(ranks - 1)).mpi);
}

}  // namespace tradewind
