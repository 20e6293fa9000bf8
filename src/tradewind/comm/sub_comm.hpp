/// SubComm: some ranks of a communicator as a communicator of their own, by translation of ranks.
#pragma once

#include <memory>
#include <vector>

#include "tradewind/comm/comm.hpp"

namespace tradewind {

/// Ranks of the parent in the order of the new communicator.
using Group = std::vector<Rank>;

class SubComm final : public Comm {
public:
    /// Ranks first, first + stride, ... of `parent`: O(1) memory.
    SubComm(Comm& parent, Rank first, Rank stride, Rank count);
    /// Any ranks of `parent`; the list can be shared by all of them.
    SubComm(Comm& parent, std::shared_ptr<const Group> group);

    [[nodiscard]] Picoseconds now() const noexcept override { return parent_.now(); }
    [[nodiscard]] Window expose(Buffer memory, std::int32_t signals) override {
        return parent_.expose(memory, signals);
    }
    [[nodiscard]] OwnWindow allocate(Bytes size, bool has_data, std::int32_t signals) override {
        return parent_.allocate(size, has_data, signals);
    }
    void begin_phase(const char* name) override { parent_.begin_phase(name); }
    [[nodiscard]] Comm& parent() const noexcept { return parent_; }
    void spend(const LocalWork& work) override { parent_.spend(work); }
    [[nodiscard]] bool times_local_work() const noexcept override {
        return parent_.times_local_work();
    }
    [[nodiscard]] LibraryCollectives* library() noexcept override { return parent_.library(); }
    /// The rank in the parent of rank `r` here.
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
};

/// Rows and columns of a `columns` x `rows` grid of ranks, rank = row * columns + column.
[[nodiscard]] SubComm row_of(Comm& comm, Rank columns);
[[nodiscard]] SubComm column_of(Comm& comm, Rank columns);

/// MPI_Comm_split: ranks of equal `colour` form `result`, ordered by (key, rank). Sends P messages
/// of 16 bytes with real data through a ring allgather; the resulting list is shared within a
/// process.
Task split(Comm& comm, std::int64_t colour, std::int64_t key, std::unique_ptr<SubComm>& result);

}  // namespace tradewind
