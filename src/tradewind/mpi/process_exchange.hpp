/// ProcessExchange: a collective exchange of one number and any bytes between all processes of a
/// communicator.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "tradewind/base/byte_array.hpp"

namespace tradewind::mpi {

/// The collective exchanges of the processes of one communicator. Failures of MPI throw `MpiError`.
class ProcessExchange {
public:
    /// Duplicates `comm`, so that messages of the application cannot interfere with those sent
    /// here. The constructor, the destructor and `exchange` are collective.
    explicit ProcessExchange(MPI_Comm comm);
    ProcessExchange(const ProcessExchange&) = delete;
    ProcessExchange& operator=(const ProcessExchange&) = delete;
    ~ProcessExchange();

    [[nodiscard]] int process() const noexcept { return process_; }
    [[nodiscard]] int processes() const noexcept { return processes_; }

    /// Sends `number` to all processes and sends `out[i]` to process i. Returns when all data of
    /// the others have arrived: `numbers[i]` and `in[i]` are from process i. It costs one
    /// collective operation of 16 bytes per pair, and messages only between pairs with data to
    /// send. All spans have processes() entries.
    void exchange(std::int64_t number, std::span<const ByteArray> out,
                  std::span<std::int64_t> numbers, std::span<ByteArray> in);

private:
    struct Announcement {
        std::int64_t number = 0;
        std::int64_t bytes = 0;
    };

    MPI_Comm comm_ = MPI_COMM_NULL;
    int process_ = 0;
    int processes_ = 1;
    std::vector<Announcement> announced_;
    std::vector<Announcement> received_;
};

}  // namespace tradewind::mpi
