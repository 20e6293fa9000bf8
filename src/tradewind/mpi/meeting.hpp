/// Meeting: all processes of a communicator tell each other a number and send each other bytes.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "tradewind/base/byte_array.hpp"

namespace tradewind::mpi {

/// Failures of MPI are `MpiError`.
class Meeting {
public:
    /// Collective over `comm`, as the destructor and `meet` are; messages of the application cannot
    /// be mixed up with those sent here.
    explicit Meeting(MPI_Comm comm);
    Meeting(const Meeting&) = delete;
    Meeting& operator=(const Meeting&) = delete;
    ~Meeting();

    [[nodiscard]] int process() const noexcept { return process_; }
    [[nodiscard]] int processes() const noexcept { return processes_; }

    /// Tells `number` to all and sends `out[i]` to process i; returns when all that the others have
    /// sent is here: `numbers[i]` and `in[i]` are from process i. One collective operation of 16
    /// bytes for each pair; messages only where there is something to send. All spans have
    /// processes() entries.
    void meet(std::int64_t number, std::span<const ByteArray> out, std::span<std::int64_t> numbers,
              std::span<ByteArray> in);

private:
    struct Note {
        std::int64_t number = 0;
        std::int64_t bytes = 0;
    };

    MPI_Comm comm_ = MPI_COMM_NULL;
    int process_ = 0;
    int processes_ = 1;
    std::vector<Note> said_;
    std::vector<Note> heard_;
};

}  // namespace tradewind::mpi
