/// The start and end of MPI, and the end of a job in which a rank has failed.
#include "tradewind/mpi/runtime.hpp"

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <new>
#include <thread>

#include "tradewind/mpi/library.hpp"
#include "tradewind/mpi/mpi_comm.hpp"
#include "tradewind/mpi/puts/shmem.hpp"

namespace tradewind::mpi {

namespace {

constexpr int run_failed = 1;
constexpr int wrong_input = 2;
constexpr const char* no_memory = "there is not enough memory";

std::string variable(const char* name, const char* otherwise) {
    const char* const value = std::getenv(name);
    return value == nullptr || *value == '\0' ? otherwise : value;
}

/// Reports whether this is the first rank. If launcher and library do not match, every process is
/// rank 0 of 1, and only the launcher's environment has the true rank.
bool is_first(int rank) {
    if (rank != 0) return false;
    for (const char* const name :
         {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"}) {
        if (variable(name, "0") != "0") return false;
    }
    return true;
}

/// Returns an error message if the launcher has not started the requested number of ranks;
/// otherwise an empty text.
std::string size_complaint(int size) {
    const std::string asked = variable("TRADEWIND_MPI_RANKS", "");
    if (asked.empty() || asked == std::to_string(size)) return {};
    return text("tradewind: ", asked, " ranks were asked for, but MPI sees ", size,
                ": the launcher does not belong to the MPI library of this program, ",
                library_version());
}

bool puts_by_shmem() {
    return puts_of_environment() == "shmem";
}

/// Aborts the job from one rank.
int abort_job(int rank, int size, const std::string& what, int status) {
    std::cerr << text("tradewind: rank ", rank, " of ", size, ": ", what, '\n') << std::flush;
    // Launchers that end a job at once lose output that they have not yet forwarded.
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    MPI_Abort(MPI_COMM_WORLD, status);
    return status;
}

int run_body(const Body& body, int rank, int size) {
    try {
        MpiComm world(MPI_COMM_WORLD, puts_of_environment());
        return body(world);
    } catch (const ConfigError& error) {
        return abort_job(rank, size, error.what(), wrong_input);
    } catch (const std::bad_alloc&) {
        return abort_job(rank, size, no_memory, run_failed);
    } catch (const std::exception& error) {
        return abort_job(rank, size, error.what(), run_failed);
    }
}

int run_ranks(std::span<const std::string> arguments, const Prepare& prepare) {
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::string complaint = size_complaint(size);
    Body body;
    if (complaint.empty()) {
        try {
            if (puts_by_shmem()) start_shmem();
            body = prepare(arguments, size);
            // After `prepare`, which may switch the recording off.
            Watchdog::join(MPI_COMM_WORLD);
        } catch (const Error& error) {
            complaint = text("tradewind: ", error.what());
        } catch (const std::bad_alloc&) {
            return abort_job(rank, size, no_memory, run_failed);
        }
    }
    if (body && complaint.empty()) return run_body(body, rank, size);
    if (is_first(rank)) std::cerr << complaint << '\n';
    return wrong_input;
}

}  // namespace

std::string puts_of_environment() {
    return variable("TRADEWIND_PUTS", "auto");
}

void set_recording(bool is_on) {
    MPI_Pcontrol(is_on ? 1 : 0);
}

int run_main(int count, char** arguments, const Prepare& prepare) {
    if (puts_by_shmem()) prepare_shmem();
    // A simulation may have threads, of which only the first one calls MPI.
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &level);
    // Waits belong to no communicator; the library decides which handler gets their errors.
    for (MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    }
    const std::vector<std::string> words(arguments + 1, arguments + count);
    const int status = run_ranks(words, prepare);
    end_shmem();
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) MPI_Finalize();
    return status;
}

}  // namespace tradewind::mpi
