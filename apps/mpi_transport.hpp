/// MpiTransport: the transport by which the processes of an MPI communicator share one simulation,
/// in this folder because neither the simulator nor the MPI layer may include the other.
#pragma once

#include "tradewind/mpi/meeting.hpp"
#include "tradewind/sim/kernel/transport.hpp"

namespace tradewind {

class MpiTransport final : public sim::Transport {
public:
    /// Duplicates `comm`; collective, as are all members.
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
