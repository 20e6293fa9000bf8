/// MpiProcessGroup: the processes of an MPI communicator, which share one simulation,
/// in this folder because neither the simulator nor the MPI layer may include the other.
#pragma once

#include "tradewind/mpi/process_exchange.hpp"
#include "tradewind/sim/kernel/process_group.hpp"

namespace tradewind {

class MpiProcessGroup final : public sim::ProcessGroup {
public:
    /// Duplicates `comm`; collective, as are all members.
    explicit MpiProcessGroup(MPI_Comm comm) : exchange_(comm) {}

    [[nodiscard]] int process() const noexcept override { return exchange_.process(); }
    [[nodiscard]] int processes() const noexcept override { return exchange_.processes(); }
    void exchange(std::int64_t number, std::span<const ByteArray> out,
                  std::span<std::int64_t> numbers, std::span<ByteArray> in) override {
        exchange_.exchange(number, out, numbers, in);
    }

private:
    mpi::ProcessExchange exchange_;
};

}  // namespace tradewind
