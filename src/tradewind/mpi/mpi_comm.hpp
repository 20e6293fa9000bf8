/// MpiComm: Comm over MPI, on which nothing is ever suspended: a wait blocks in MPI and returns.
#pragma once

#include <mpi.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/program.hpp"
#include "tradewind/mpi/local_work.hpp"
#include "tradewind/mpi/phase_times.hpp"
#include "tradewind/mpi/puts/puts.hpp"
#include "tradewind/mpi/requests.hpp"
#include "tradewind/mpi/sub_tags.hpp"
#include "tradewind/mpi/watchdog/watchdog.hpp"

namespace tradewind::mpi {

class OwnCollectives;
class PersistentRequests;

/// The ranks of an MPI communicator. Failures of MPI throw `MpiError`.
///
/// `now()` is the wall-clock time since the constructor, which all ranks leave at about the same
/// time; `compute()` does nothing. Null buffers are allowed: the same number of bytes is sent from
/// and received into scratch memory. A put may be pending until the next wait of its rank, of any
/// kind.
class MpiComm final : public Comm {
public:
    /// Duplicates `comm`, so that messages of the application cannot interfere with those sent
    /// here. The constructor and the destructor are collective. `puts` is the name of an entry of
    /// `put_backends`, or "auto".
    explicit MpiComm(MPI_Comm comm, std::string puts = "auto");
    ~MpiComm() override;

    [[nodiscard]] Picoseconds now() const noexcept override;
    /// Exposes `memory` to puts. All ranks of this communicator must make the call, even if it is
    /// made on a sub-communicator; the memory must live as long as the communicator.
    [[nodiscard]] Window expose(Buffer memory, std::int32_t signals = 1) override;
    [[nodiscard]] OwnWindow allocate(Bytes size, bool has_data, std::int32_t signals) override;

    /// Returns the number of messages that this rank has sent, including those of
    /// sub-communicators, but not puts.
    [[nodiscard]] std::int64_t messages_sent() const noexcept { return messages_sent_; }
    /// Returns the bytes of these messages.
    [[nodiscard]] Bytes bytes_sent() const noexcept { return bytes_sent_; }
    [[nodiscard]] LibraryCollectives* library() noexcept override;
    /// Measures the phases that the program begins from now on.
    void time_phases() noexcept { times_phases_ = true; }
    void begin_phase(const char* name) override {
        if (times_phases_) phases_.begin(name);
        if (Watchdog::is_on()) Watchdog::begin_phase(name);
    }
    /// Returns the times of the phases, which end here.
    [[nodiscard]] const std::vector<PhaseTime>& end_phases() {
        phases_.end();
        return phases_.phases();
    }
    /// Does the local work that programs charge from now on in scratch memory. It is for programs
    /// without data: those with data have done it when they charge it.
    void do_charged_work() { scratch_work_ = std::make_unique<ScratchWork>(); }
    void charge(const LocalWork& work) override {
        if (scratch_work_) scratch_work_->run(work);
    }
    [[nodiscard]] bool times_local_work() const noexcept override { return bool(scratch_work_); }
    /// Returns the duplicated communicator, for further MPI calls.
    [[nodiscard]] MPI_Comm communicator() const noexcept { return world_; }

private:
    friend class OwnCollectives;
    friend class PersistentRequests;
    using Clock = std::chrono::steady_clock;

    Request start_send(Rank to, ConstBuffer data, Envelope envelope, SendMode mode) override;
    Request start_receive(Rank from, Buffer data, Envelope envelope) override;
    RequestPair start_exchange(const MessagePair& pair, Envelope envelope) override;
    std::unique_ptr<PersistentMessages> prepare_messages(const FixedMessages& messages,
                                                         Envelope envelope) override;
    Request start_put(Rank to, Window window, Bytes offset, ConstBuffer data,
                      std::int32_t signal) override;
    bool begin_wait(Waiting& waiting) override;
    void suspend(std::coroutine_handle<> leaf) noexcept override;

    /// Returns the carrier of the puts, ready for another window.
    Puts& open_puts();
    void settle();
    void poll_puts();
    void announce_complete(std::span<const Request> requests);
    /// The communicator and the tag that represent an envelope.
    struct Address {
        MPI_Comm comm;
        int tag;
    };
    /// Returns communicator and tag of an envelope. Messages of this communicator itself keep their
    /// tags, if MPI accepts them.
    [[nodiscard]] Address address(Envelope envelope) {
        if (envelope.context == context_ && std::uint32_t(envelope.tag) <= largest_tag_) [[likely]]
            return {world_, envelope.tag};
        return {sub_, (*sub_tags_)(envelope)};
    }
    [[nodiscard]] bool must_poll() const noexcept { return puts_ && puts_->needs_polling(); }
    template <class Describe>
    [[nodiscard]] int poll_for(int count, MPI_Request* open, const Describe& describe);
    void end_if_unreceived();
    void wait_all(std::span<Request> requests);
    [[nodiscard]] std::int64_t find_complete(std::span<Request> requests, bool wait);
    void wait_signal(const Waiting& waiting);
    [[nodiscard]] MPI_Request* room(std::size_t count);
    [[noreturn]] void fail_in(std::span<const Request> requests, int code);
    [[noreturn]] void fail_in(const MessagePair& pair, Envelope envelope, int code);

    CoroutineContext own_coroutines_;
    MPI_Comm world_ = MPI_COMM_NULL;
    MPI_Comm sub_ = MPI_COMM_NULL;
    MPI_Comm puts_comm_ = MPI_COMM_NULL;
    std::uint32_t largest_tag_ = 0;
    std::unique_ptr<SubTags> sub_tags_;
    std::string way_to_put_;
    std::unique_ptr<Puts> puts_;
    std::unique_ptr<OwnCollectives> library_;
    Requests requests_;
    std::int64_t messages_sent_ = 0;
    Bytes bytes_sent_ = 0;
    bool times_phases_ = false;
    PhaseTimes phases_;
    std::unique_ptr<ScratchWork> scratch_work_;
    /// The MPI requests of one wait.
    std::vector<MPI_Request> gathered_;
    Clock::time_point start_;
    int exceptions_;
};

/// Returns the MPI communicator of an MpiComm; throws ConfigError for any other Comm.
[[nodiscard]] MPI_Comm communicator_of(const Comm& comm);

/// Lets an MpiComm do the local work that programs without data charge; see `do_charged_work`.
void do_charged_work(Comm& comm);

/// Runs `program` for this rank to its end; rethrows its exceptions.
void run(Comm& comm, const Program& program);

}  // namespace tradewind::mpi
