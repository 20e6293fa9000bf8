/// The transport of the tests.
#include "joint_runs.hpp"

#include <memory>

#include "mpi_transport.hpp"
#include "testing_processes.hpp"

namespace {

std::unique_ptr<tradewind::MpiTransport> world;

}  // namespace

void tradewind::begin_processes() {
    world = std::make_unique<MpiTransport>(MPI_COMM_WORLD);
}

void tradewind::end_processes() {
    world.reset();
}

tradewind::sim::Transport& support::all_processes() {
    return *world;
}
