/// Puts: one-sided writes with signals, and the table of their implementations.
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

/// The memory and signals that a rank has exposed in one window.
struct WindowExtent {
    Bytes size;
    std::int64_t signals;
};

/// The carrier of the puts of one communicator.
class Puts {
public:
    Puts(const Puts&) = delete;
    Puts& operator=(const Puts&) = delete;
    virtual ~Puts() = default;

    /// Exposes `memory`, which must live until `finish`; collective.
    [[nodiscard]] Window expose(Buffer memory, std::int32_t signals);
    /// Exposes memory that is allocated here and kept until `finish`; collective.
    [[nodiscard]] OwnWindow allocate(Bytes size, std::int32_t signals);
    /// Starts a put. The returned request is null if `settle` completes the put.
    [[nodiscard]] MPI_Request start(const Put& put, Scratch& scratch);
    /// Returns the number of puts that have arrived so far at a counter of this rank.
    [[nodiscard]] std::int64_t arrived(Window window, std::int32_t signal);

    /// Completes the puts that were started here; called before the rank waits for anything.
    virtual void settle() = 0;
    /// Takes in the puts that others have sent.
    virtual void poll() = 0;
    /// Reports whether a rank must call `poll` while it waits for anything.
    [[nodiscard]] virtual bool needs_polling() const noexcept = 0;
    /// Yields the core to other ranks while this rank waits. It sleeps if there are more ranks than
    /// cores on the node, since ranks that only yield keep each other busy.
    void give_way() const;
    /// Completes all puts and frees all windows; collective.
    virtual void finish() = 0;

protected:
    explicit Puts(MPI_Comm comm);

    virtual void add_window(Buffer memory, std::int32_t signals) = 0;
    /// Adds a window with memory of its own and returns that memory.
    virtual Buffer add_own_window(Bytes size, std::int32_t signals) = 0;
    virtual MPI_Request start_checked(const Put& put, Scratch& scratch) = 0;
    virtual std::int64_t count(Window window, std::int32_t signal) = 0;
    /// Waits for a collective operation called `action`, and takes in puts meanwhile.
    void complete(MPI_Request request, const char* action);
    /// Makes progress on the operations of other ranks on this one, by a call of MPI_Iprobe.
    void progress();

    MPI_Comm comm_;
    int rank_ = 0;
    int size_ = 1;

private:
    /// True if there are more ranks than cores on this node.
    bool is_crowded_ = false;
    [[nodiscard]] Window share(const WindowExtent& mine);

    /// The extents of each window on all ranks, since a put outside them would overwrite other
    /// memory of the target.
    std::vector<std::vector<WindowExtent>> exposed_;
};

struct PutsEntry {
    std::string_view name;
    std::unique_ptr<Puts> (*make)(MPI_Comm comm);
    std::string_view summary;
};

[[nodiscard]] std::span<const PutsEntry> put_backends();
/// Returns the entry called `name`; for "auto" the one that works with this MPI library.
[[nodiscard]] const PutsEntry& put_backend(std::string_view name);

[[nodiscard]] std::unique_ptr<Puts> make_rma_puts(MPI_Comm comm);
[[nodiscard]] std::unique_ptr<Puts> make_message_puts(MPI_Comm comm);
/// Makes the carrier by OpenSHMEM, which the MPI library must have and which must have been started
/// (see shmem.hpp).
[[nodiscard]] std::unique_ptr<Puts> make_shmem_puts(MPI_Comm comm);

}  // namespace tradewind::mpi
