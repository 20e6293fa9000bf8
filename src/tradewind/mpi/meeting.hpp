/// Meeting: a collective exchange in which all processes of a communicator tell each other a number
/// and send each other bytes.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "tradewind/base/byte_array.hpp"

namespace tradewind::mpi {

/// The meetings of the processes of one communicator. Failures of MPI throw `MpiError`.
class Meeting {
public:
    /// Duplicates `comm`, so that messages of the application cannot interfere with those sent
    /// here. The constructor, the destructor and `meet` are collective.
    explicit Meeting(MPI_Comm comm);
    Meeting(const Meeting&) = delete;
    Meeting& operator=(const Meeting&) = delete;
    ~Meeting();

    [[nodiscard]] int process() const noexcept { return process_; }
    [[nodiscard]] int processes() const noexcept { return processes_; }

    /// Tells `number` to all processes and sends `out[i]` to process i. Returns when all data of
    /// the others have arrived: `numbers[i]` and `in[i]` are from process i. It costs one
    /// collective operation of 16 bytes per pair, and messages only between pairs with data to
    /// send. All spans have processes() entries.
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
