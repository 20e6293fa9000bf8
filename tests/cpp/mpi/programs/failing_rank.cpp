/// A program in which one rank throws while the others wait for it: the job must end with a
/// message, which the test that starts the program reads. It is not part of mpi_tests.
#include <stdexcept>

#include "tradewind/mpi/mpi_comm.hpp"
#include "tradewind/mpi/runtime.hpp"

using namespace tradewind;

namespace {

Task wait_for_rank_1(Comm& comm) {
    if (comm.rank() == 1) throw std::out_of_range("no such level");
    co_await comm.recv(1, Buffer(Bytes{8}));
}

}  // namespace

int main(int count, char** arguments) {
    return mpi::run_main(count, arguments, [](std::span<const std::string>, Rank) -> mpi::Body {
        return [](Comm& world) {
            mpi::run(world, wait_for_rank_1);
            return 0;
        };
    });
}
