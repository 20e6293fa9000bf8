/// The exchange: announcements by MPI_Alltoall, bytes by non-blocking messages.
#include "tradewind/mpi/process_exchange.hpp"

#include <deque>

#include "tradewind/mpi/byte_type.hpp"
#include "tradewind/mpi/check.hpp"
#include "tradewind/mpi/watchdog/watchdog.hpp"

namespace tradewind::mpi {

ProcessExchange::ProcessExchange(MPI_Comm comm) {
    Watchdog::join(comm);
    const BlockingCall call("MPI_Comm_dup");
    check(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    MPI_Comm_rank(comm_, &process_);
    MPI_Comm_size(comm_, &processes_);
    announced_.resize(std::size_t(processes_));
    received_.resize(std::size_t(processes_));
}

ProcessExchange::~ProcessExchange() {
    const BlockingCall call("MPI_Comm_free");
    MPI_Comm_free(&comm_);
}

void ProcessExchange::exchange(std::int64_t number, std::span<const ByteArray> out,
                               std::span<std::int64_t> numbers, std::span<ByteArray> in) {
    const auto self = std::size_t(process_);
    for (std::size_t i = 0; i < announced_.size(); ++i)
        announced_[i] = {number, i == self ? 0 : std::int64_t(out[i].size())};
    {
        const BlockingCall call("MPI_Alltoall of the processes that share a simulation");
        check(MPI_Alltoall(announced_.data(), 2, MPI_INT64_T, received_.data(), 2, MPI_INT64_T,
                           comm_),
              "MPI_Alltoall");
    }
    std::vector<MPI_Request> requests;
    std::deque<ByteType> types;
    for (std::size_t i = 0; i < received_.size(); ++i) {
        numbers[i] = received_[i].number;
        in[i].resize(std::size_t(received_[i].bytes));
        if (in[i].empty()) continue;
        const ByteType& type = types.emplace_back(received_[i].bytes);
        check(MPI_Irecv(in[i].data(), type.count(), type.type(), int(i), 0, comm_,
                        &requests.emplace_back()),
              "MPI_Irecv");
    }
    for (std::size_t i = 0; i < announced_.size(); ++i) {
        if (announced_[i].bytes == 0) continue;
        const ByteType& type = types.emplace_back(announced_[i].bytes);
        check(MPI_Isend(out[i].data(), type.count(), type.type(), int(i), 0, comm_,
                        &requests.emplace_back()),
              "MPI_Isend");
    }
    const BlockingCall call("MPI_Waitall of the processes that share a simulation");
    check(MPI_Waitall(int(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

}  // namespace tradewind::mpi
