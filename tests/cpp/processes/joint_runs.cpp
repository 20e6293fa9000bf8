/// The process group of the tests.
#include "joint_runs.hpp"

#include <memory>

#include "mpi_process_group.hpp"
#include "testing_processes.hpp"

namespace {

std::unique_ptr<tradewind::MpiProcessGroup> world;

}  // namespace

void tradewind::begin_processes() {
    world = std::make_unique<MpiProcessGroup>(MPI_COMM_WORLD);
}

void tradewind::end_processes() {
    world.reset();
}

tradewind::sim::ProcessGroup& support::all_processes() {
    return *world;
}
