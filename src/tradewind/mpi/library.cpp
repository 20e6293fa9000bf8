/// The name of the MPI library, from its description of several lines, and the number of nodes.
#include "tradewind/mpi/library.hpp"

#include <mpi.h>

#include "tradewind/mpi/check.hpp"
#include "tradewind/mpi/watchdog/watchdog.hpp"

namespace tradewind::mpi {

std::string short_version(const std::string& description) {
    std::string line = description.substr(0, description.find_first_of(",\n"));
    // "MPICH Version:      5.0.2"
    if (const auto word = line.find(" Version:"); word != std::string::npos) {
        const auto number = line.find_first_not_of(" \t", word + 9);
        line =
            line.substr(0, word) + (number == std::string::npos ? "" : " " + line.substr(number));
    }
    return line.substr(0, line.find_last_not_of(" \t") + 1);
}

std::string library_version() {
    char words[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(words, &length);
    return short_version({words, static_cast<std::size_t>(length)});
}

int nodes() {
    const BlockingCall call("MPI_Comm_split_type");
    MPI_Comm node = MPI_COMM_NULL;
    check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
          "MPI_Comm_split_type");
    int rank = 0;
    check(MPI_Comm_rank(node, &rank), "MPI_Comm_rank");
    check(MPI_Comm_free(&node), "MPI_Comm_free");
    int first = rank == 0 ? 1 : 0;
    int count = 0;
    check(MPI_Allreduce(&first, &count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "MPI_Allreduce");
    return count;
}

}  // namespace tradewind::mpi
