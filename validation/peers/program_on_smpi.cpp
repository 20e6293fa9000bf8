/// Runs a program of the catalogue with Tradewind's own algorithms over MpiComm, where MPI is SMPI.
///
///     program_on_smpi PROGRAM [KEY=VALUE...]
///
/// All ranks begin at the same moment of simulated time; the time of the last one to end is printed
/// as JSON, with the messages that all of them sent.
#include <mpi.h>

#include <cmath>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "tradewind/base/settings_text.hpp"
#include "tradewind/mpi/mpi_comm.hpp"
#include "tradewind/skeleton/program.hpp"

namespace {

using namespace tradewind;

/// Sleeps, in simulated time, until the same moment on all ranks.
double begin_together() {
    timespec rest{};
    rest.tv_nsec = std::lround((0.5 - MPI_Wtime()) * 1e9);
    nanosleep(&rest, nullptr);
    return MPI_Wtime();
}

void run(const std::vector<std::string>& words) {
    mpi::MpiComm world(MPI_COMM_WORLD);
    const Program program = skeleton::make_program(
        words.at(0), read_settings(std::span(words).subspan(1)), world.size());
    const double start = begin_together();
    mpi::run(world, program);
    const double taken = MPI_Wtime() - start;
    const auto sent = static_cast<double>(world.messages_sent());
    double last = 0.0;
    double messages = 0.0;
    MPI_Reduce(&taken, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&sent, &messages, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (world.rank() == 0) {
        std::cout << std::setprecision(14) << "{\"time_s\": " << last
                  << ", \"messages\": " << messages << "}" << std::endl;
    }
}

}  // namespace

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    try {
        run({arguments + 1, arguments + count});
    } catch (const std::exception& error) {
        std::cerr << "program_on_smpi: " << error.what() << std::endl;
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Finalize();
    return 0;
}
