/// MpiTransport: lets the processes of an MPI communicator share one simulation. It stands here
/// because the simulator does not know MPI, nor MPI the simulator.
#pragma once

#include "tradewind/mpi/meeting.hpp"
#include "tradewind/sim/kernel/transport.hpp"

namespace tradewind {

class MpiTransport final : public sim::Transport {
public:
    /// Collective over `comm`, as all else is.
    explicit MpiTransport(MPI_Comm comm) : meeting_(comm) {}

    [[nodiscard]] int process() const noexcept override { return meeting_.process(); }
    [[nodiscard]] int processes() const noexcept override { return meeting_.processes(); }
    void meet(std::int64_t number, std::span<const ByteArray> out, std::span<std::int64_t> numbers,
              std::span<ByteArray> in) override {
        meeting_.meet(number, out, numbers, in);
    }

private:
    mpi::Meeting meeting_;
};

}  // namespace tradewind
