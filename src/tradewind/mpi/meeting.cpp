/// The exchange of a meeting: notes by MPI_Alltoall, bytes by non-blocking messages.
#include "tradewind/mpi/meeting.hpp"

#include <deque>

#include "tradewind/mpi/byte_type.hpp"
#include "tradewind/mpi/check.hpp"

namespace tradewind::mpi {

Meeting::Meeting(MPI_Comm comm) {
    check(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    MPI_Comm_rank(comm_, &process_);
    MPI_Comm_size(comm_, &processes_);
    said_.resize(std::size_t(processes_));
    heard_.resize(std::size_t(processes_));
}

Meeting::~Meeting() {
    MPI_Comm_free(&comm_);
}

void Meeting::meet(std::int64_t number, std::span<const ByteArray> out,
                   std::span<std::int64_t> numbers, std::span<ByteArray> in) {
    const auto self = std::size_t(process_);
    for (std::size_t i = 0; i < said_.size(); ++i)
        said_[i] = {number, i == self ? 0 : std::int64_t(out[i].size())};
    check(MPI_Alltoall(said_.data(), 2, MPI_INT64_T, heard_.data(), 2, MPI_INT64_T, comm_),
          "MPI_Alltoall");
    std::vector<MPI_Request> requests;
    std::deque<ByteType> types;
    for (std::size_t i = 0; i < heard_.size(); ++i) {
        numbers[i] = heard_[i].number;
        in[i].resize(std::size_t(heard_[i].bytes));
        if (in[i].empty()) continue;
        const ByteType& type = types.emplace_back(heard_[i].bytes);
        check(MPI_Irecv(in[i].data(), type.count(), type.type(), int(i), 0, comm_,
                        &requests.emplace_back()),
              "MPI_Irecv");
    }
    for (std::size_t i = 0; i < said_.size(); ++i) {
        if (said_[i].bytes == 0) continue;
        const ByteType& type = types.emplace_back(said_[i].bytes);
        check(MPI_Isend(out[i].data(), type.count(), type.type(), int(i), 0, comm_,
                        &requests.emplace_back()),
              "MPI_Isend");
    }
    check(MPI_Waitall(int(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

}  // namespace tradewind::mpi
