/// Puts: one-sided writes with signals; the table of ways to carry them.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tradewind/comm/types.hpp"
#include "tradewind/mpi/check.hpp"
#include "tradewind/mpi/requests.hpp"

namespace tradewind::mpi {

struct Put {
    int to;
    Window window;
    std::int32_t signal;
    Bytes offset;
    ConstBuffer data;
};

/// What a rank has exposed in one window.
struct Exposed {
    Bytes size;
    std::int64_t signals;
};

/// Carries the puts of one communicator.
class Puts {
public:
    Puts(const Puts&) = delete;
    Puts& operator=(const Puts&) = delete;
    virtual ~Puts() = default;

    /// Collective.
    [[nodiscard]] Window expose(Buffer memory, std::int32_t signals);
    /// The same with memory that this makes, and keeps until `finish`.
    [[nodiscard]] OwnWindow allocate(Bytes size, std::int32_t signals);
    /// Starts a put. The request is null where `settle` completes it.
    [[nodiscard]] MPI_Request start(const Put& put, Scratch& scratch);
    /// Puts that have come in for the own counter so far.
    [[nodiscard]] std::int64_t arrived(Window window, std::int32_t signal);

    /// Completes what was started here; called before the rank waits for anything.
    virtual void settle() = 0;
    /// Takes in what others have sent.
    virtual void poll() = 0;
    /// Whether a rank that waits for anything must go on calling `poll`.
    [[nodiscard]] virtual bool needs_polling() const noexcept = 0;
    /// Lets others have the processor while this rank waits: sleeps where more ranks than cores
    /// poll, since those that yield keep each other busy.
    void give_way() const;
    /// Collective: after it no put is under way, and windows are gone.
    virtual void finish() = 0;

protected:
    explicit Puts(MPI_Comm comm);

    virtual void add_window(Buffer memory, std::int32_t signals) = 0;
    /// Returns the memory of the window.
    virtual Buffer add_own_window(Bytes size, std::int32_t signals) = 0;
    virtual MPI_Request start_checked(const Put& put, Scratch& scratch) = 0;
    virtual std::int64_t count(Window window, std::int32_t signal) = 0;
    /// Waits for a collective operation and takes in puts where that is needed.
    void complete(MPI_Request request);
    /// Any call makes progress on what others do to this rank.
    void progress();

    MPI_Comm comm_;
    int rank_ = 0;
    int size_ = 1;

private:
    /// Whether more ranks than cores are on this node.
    bool is_crowded_ = false;
    [[nodiscard]] Window share(const Exposed& mine);

    /// Of all ranks, for each window: a put outside would overwrite memory of the other process.
    std::vector<std::vector<Exposed>> exposed_;
};

struct PutsEntry {
    std::string_view name;
    std::unique_ptr<Puts> (*make)(MPI_Comm comm);
    std::string_view summary;
};

[[nodiscard]] std::span<const PutsEntry> ways_to_put();
/// The entry called `name`; for "auto" the one that works with this MPI library.
[[nodiscard]] const PutsEntry& way_to_put(std::string_view name);

[[nodiscard]] std::unique_ptr<Puts> make_rma_puts(MPI_Comm comm);
[[nodiscard]] std::unique_ptr<Puts> make_message_puts(MPI_Comm comm);
/// Only where the MPI has OpenSHMEM, which must have been started (see shmem.hpp).
[[nodiscard]] std::unique_ptr<Puts> make_shmem_puts(MPI_Comm comm);

}  // namespace tradewind::mpi
