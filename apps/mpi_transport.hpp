/// MpiTransport: the transport by which the processes of an MPI communicator share one simulation,
/// in this folder because neither the simulator nor the MPI layer may include the other.
#pragma once

#include "tradewind/mpi/process_exchange.hpp"
#include "tradewind/sim/kernel/transport.hpp"

namespace tradewind {

class MpiTransport final : public sim::Transport {
public:
    /// Duplicates `comm`; collective, as are all members.
    explicit MpiTransport(MPI_Comm comm) : exchange_(comm) {}

    [[nodiscard]] int process() const noexcept override { return exchange_.process(); }
    [[nodiscard]] int processes() const noexcept override { return exchange_.processes(); }
    void meet(std::int64_t number, std::span<const ByteArray> out, std::span<std::int64_t> numbers,
              std::span<ByteArray> in) override {
        exchange_.exchange(number, out, numbers, in);
    }

private:
    mpi::ProcessExchange exchange_;
};

}  // namespace tradewind
