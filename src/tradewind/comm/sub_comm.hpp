/// SubComm: a communicator made of some ranks of another one, by translation of ranks.
#pragma once

#include <memory>
#include <vector>

#include "tradewind/comm/comm.hpp"

namespace tradewind {

/// The ranks in the parent, in the order of the new communicator.
using Group = std::vector<Rank>;

/// The ranks first, first + stride, ... of a communicator.
struct Strided {
    Rank first = 0;
    Rank stride = 1;
    Rank count = 1;
};

class SubComm final : public Comm {
public:
    /// Constructs the communicator of ranks first, first + stride, ... of `parent`, in O(1) memory.
    SubComm(Comm& parent, Rank first, Rank stride, Rank count);
    /// Constructs a communicator of any ranks of `parent`, which can share the list.
    SubComm(Comm& parent, std::shared_ptr<const Group> group);
    /// Constructs the same communicators with a context of the caller's choice, where the ranks of
    /// the parent do not make the same ones in the same order.
    SubComm(Comm& parent, Strided ranks, std::uint32_t context);
    SubComm(Comm& parent, std::shared_ptr<const Group> group, std::uint32_t context);

    [[nodiscard]] Picoseconds now() const noexcept override { return parent_.now(); }
    [[nodiscard]] Window expose(Buffer memory, std::int32_t signals) override {
        return parent_.expose(memory, signals);
    }
    [[nodiscard]] OwnWindow allocate(Bytes size, bool has_data, std::int32_t signals) override {
        return parent_.allocate(size, has_data, signals);
    }
    void begin_phase(const char* name) override {
        if (!keeps_phase_) parent_.begin_phase(name);
    }
    /// Leaves the current phase as it is, whatever phases begin on this communicator.
    void keep_phase() noexcept { keeps_phase_ = true; }
    [[nodiscard]] Comm& parent() const noexcept { return parent_; }
    void charge(const LocalWork& work) override { parent_.charge(work); }
    [[nodiscard]] bool times_local_work() const noexcept override {
        return parent_.times_local_work();
    }
    [[nodiscard]] LibraryCollectives* library() noexcept override { return parent_.library(); }
    /// Returns the rank in the parent of rank `r` of this communicator.
    [[nodiscard]] Rank parent_rank(Rank r) const noexcept {
        return group_ ? (*group_)[static_cast<std::size_t>(r)] : first_ + r * stride_;
    }

private:
    Request start_send(Rank to, ConstBuffer data, Envelope envelope, SendMode mode) override {
        return parent_.start_send(parent_rank(to), data, envelope, mode);
    }
    Request start_receive(Rank from, Buffer data, Envelope envelope) override {
        return parent_.start_receive(parent_rank(from), data, envelope);
    }
    RequestPair start_exchange(const MessagePair& pair, Envelope envelope) override {
        return parent_.start_exchange(
            {parent_rank(pair.to), pair.out, parent_rank(pair.from), pair.in}, envelope);
    }
    std::unique_ptr<PersistentMessages> prepare_messages(const FixedMessages& messages,
                                                         Envelope envelope) override;
    Request start_put(Rank to, Window window, Bytes offset, ConstBuffer data,
                      std::int32_t signal) override {
        return parent_.start_put(parent_rank(to), window, offset, data, signal);
    }
    bool begin_wait(Waiting& waiting) override { return parent_.begin_wait(waiting); }
    void suspend(std::coroutine_handle<> leaf) noexcept override { parent_.suspend(leaf); }

    Comm& parent_;
    Rank first_ = 0;
    Rank stride_ = 1;
    std::shared_ptr<const Group> group_;
    bool keeps_phase_ = false;
};

/// Returns the caller's row of a grid of ranks with `columns` columns, rank = row * columns +
/// column.
[[nodiscard]] SubComm row_of(Comm& comm, Rank columns);
/// Returns the caller's column of the same grid.
[[nodiscard]] SubComm column_of(Comm& comm, Rank columns);

/// Splits a communicator as MPI_Comm_split does: ranks of equal `colour` form `result`, ordered by
/// (key, rank). Each rank sends P - 1 messages of 16 bytes with real data in a ring allgather; the
/// resulting list is shared within a process.
Task split(Comm& comm, std::int64_t colour, std::int64_t key, std::unique_ptr<SubComm>& result);

}  // namespace tradewind
