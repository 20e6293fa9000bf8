/// The main function of programs that mpiexec starts.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tradewind/comm/comm.hpp"

namespace tradewind::mpi {

/// The code of a rank; returns the exit status.
using Body = std::function<int(Comm& world)>;
/// A function that reads the arguments, for a number of ranks, before any of them communicates.
using Prepare = std::function<Body(std::span<const std::string> arguments, Rank ranks)>;

/// Starts MPI, runs `prepare` and the body that it returns on all ranks, and ends MPI.
///
/// An exception of `prepare` occurs on all ranks: the first one prints it, and the exit status is
/// 2. An exception of the body on any rank ends the job with a message that names the rank; the
/// status is 2 for a ConfigError and 1 otherwise. The status is also 2 if the environment variable
/// TRADEWIND_MPI_RANKS is not the number of ranks that MPI sees, since launcher and library then
/// belong to different MPIs. TRADEWIND_PUTS is the implementation of one-sided puts, and
/// TRADEWIND_WATCHDOG the limit of the watchdog (watchdog.hpp).
int run_main(int count, char** arguments, const Prepare& prepare);

/// Returns the implementation of one-sided puts that TRADEWIND_PUTS names, by default "auto".
[[nodiscard]] std::string puts_of_environment();

/// Tells `tradewind record`, or another tool that hears MPI_Pcontrol, what belongs to the program.
void set_recording(bool is_on);

}  // namespace tradewind::mpi
