/// The main function of tests under mpiexec: runs the registered test cases whose names contain the
/// first argument (all, if there is none) on all processes, and reports the slowest ones.
#include <mpi.h>

#include <cstdlib>
#include <string_view>

#include "slowest_cases.hpp"
#include "testing.hpp"
#include "testing_processes.hpp"
#include "tradewind/mpi/puts/shmem.hpp"

namespace {

int own_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

bool passes(const testing::Case& test) {
    auto& registry = testing::Registry::instance();
    registry.failed_checks = 0;
    registry.context = {"process = " + std::to_string(own_rank())};
    try {
        test.body();
    } catch (const std::exception& error) {
        // The other processes may be waiting for this one.
        registry.fail(test.name.data(), 0, std::string("unexpected exception: ") + error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (registry.failed_checks > 0) std::cerr << "FAILED: " << test.name << '\n';
    return registry.failed_checks == 0;
}

/// Runs a test case and returns true if it passes on every process. All processes finish it before
/// the next one.
bool passes_everywhere(const testing::Case& test) {
    int failed = passes(test) ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return failed == 0;
}

int run_cases(std::string_view filter) {
    int passed = 0;
    int failed = 0;
    testing::SlowestCases slowest;
    for (const auto& test : testing::Registry::instance().cases) {
        if (test.name.find(filter) == std::string_view::npos) continue;
        (slowest.timed(test.name, [&] { return passes_everywhere(test); }) ? passed : failed) += 1;
    }
    long checks = testing::Registry::instance().checks;
    MPI_Allreduce(MPI_IN_PLACE, &checks, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (own_rank() == 0) {
        slowest.print();
        std::cout << checks << " checks\n" << passed << " passed, " << failed << " failed\n";
    }
    return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    const char* const way = std::getenv("TRADEWIND_PUTS");
    const bool shmem = way != nullptr && std::string_view(way) == "shmem";
    if (shmem) tradewind::mpi::prepare_shmem();
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (shmem) tradewind::mpi::start_shmem();
    tradewind::begin_processes();
    const int status = run_cases(count > 1 ? arguments[1] : "");
    tradewind::end_processes();
    tradewind::mpi::end_shmem();
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) MPI_Finalize();
    return status;
}
