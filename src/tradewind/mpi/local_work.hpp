/// The local work of programs without data, in scratch memory.
#pragma once

#include "tradewind/comm/types.hpp"
#include "tradewind/mpi/requests.hpp"

namespace tradewind::mpi {

/// Copies and sums as long as those that a program without data charges, so that a measured run of
/// it takes the time of the real program.
class ScratchWork {
public:
    void run(const LocalWork& work);

private:
    Scratch from_;
    Scratch to_;
};

}  // namespace tradewind::mpi
