/// Runtime: the main function of programs that mpiexec starts.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tradewind/comm/comm.hpp"

namespace tradewind::mpi {

/// What the ranks do; returns the exit status.
using Body = std::function<int(Comm& world)>;
/// Reads the arguments, for a number of ranks, before any of them communicates.
using Prepare = std::function<Body(std::span<const std::string> arguments, Rank ranks)>;

/// Starts MPI, runs `prepare` and what it returns on all ranks, ends MPI.
///
/// What `prepare` throws, it throws on all ranks: the first one prints it, and the exit status
/// is 2. What the body throws on any rank ends the job with a message that names the rank. The
/// status is 2 as well where the environment's TRADEWIND_MPI_RANKS is not the number of ranks that
/// MPI sees: then launcher and library are not of the same MPI. TRADEWIND_PUTS is the way of
/// one-sided puts.
int run_main(int count, char** arguments, const Prepare& prepare);

}  // namespace tradewind::mpi
