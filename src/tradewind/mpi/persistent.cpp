/// PersistentRequests: the persistent requests of MPI behind prepared messages.
#include <exception>

#include "tradewind/mpi/byte_type.hpp"
#include "tradewind/mpi/mpi_comm.hpp"

namespace tradewind::mpi {

/// Requests of MPI_Send_init and MPI_Recv_init, in the order of their messages.
class PersistentRequests final : public PersistentMessages {
public:
    PersistentRequests(MpiComm& comm, const FixedMessages& messages, Envelope envelope)
        : comm_(comm), messages_(messages), envelope_(envelope), scratch_(messages.size()) {
        const MpiComm::Address there = comm.address(envelope);
        for (std::size_t n = 0; n < messages_.size(); ++n) {
            const FixedMessage& one = messages_[n];
            const ByteType bytes(one.size());
            const auto peer = int(one.peer);
            MPI_Request& made = requests_.emplace_back(MPI_REQUEST_NULL);
            if (one.is_send) {
                const void* const source =
                    one.out.is_null() ? scratch_[n].at_least(one.size()) : one.out.data();
                check(MPI_Send_init(source, bytes.count(), bytes.type(), peer, there.tag,
                                    there.comm, &made),
                      "MPI_Send_init");
            } else {
                void* const target =
                    one.in.is_null() ? scratch_[n].at_least(one.size()) : one.in.data();
                check(MPI_Recv_init(target, bytes.count(), bytes.type(), peer, there.tag,
                                    there.comm, &made),
                      "MPI_Recv_init");
            }
        }
    }
    PersistentRequests(const PersistentRequests&) = delete;
    PersistentRequests& operator=(const PersistentRequests&) = delete;
    /// Frees the requests, unless a message may be under way, after an exception.
    ~PersistentRequests() override {
        int finalized = 0;
        MPI_Finalized(&finalized);
        if (finalized != 0 || std::uncaught_exceptions() > 0) return;
        for (MPI_Request& request : requests_) MPI_Request_free(&request);
    }

    /// Starts the messages one by one, as MPI_Startall may start them in any order.
    void start(std::size_t first, std::span<Request> started) override {
        for (std::size_t i = 0; i < started.size(); ++i) {
            const FixedMessage& one = messages_[first + i];
            check(MPI_Start(&requests_[first + i]), "MPI_Start");
            const auto kind = one.is_send ? Slot::RequestKind::send : Slot::RequestKind::receive;
            started[i] = comm_.requests_.open(kind, one.peer, envelope_, one.size());
            comm_.requests_[started[i]].request = requests_[first + i];
            if (!one.is_send) {
                comm_.phases_.receive(one.size());
                continue;
            }
            ++comm_.messages_sent_;
            comm_.bytes_sent_ += one.size();
        }
    }

private:
    MpiComm& comm_;
    FixedMessages messages_;
    Envelope envelope_;
    /// The memory of null buffers.
    std::vector<Scratch> scratch_;
    std::vector<MPI_Request> requests_;
};

std::unique_ptr<PersistentMessages> MpiComm::prepare_messages(const FixedMessages& messages,
                                                              Envelope envelope) {
    return std::make_unique<PersistentRequests>(*this, messages, envelope);
}

}  // namespace tradewind::mpi
