/// One sweep of the halo exchange, for either axis: its messages and their cells.
#include "tradewind/skeleton/halo.hpp"

#include <algorithm>

#include "tradewind/comm/neighbor/algorithms.hpp"
#include "tradewind/skeleton/halo_pieces.hpp"

namespace tradewind::skeleton {

namespace {

/// The field of one rank; without memory, only the messages are sent.
struct RankField {
    std::span<std::byte> values;
    MessageMemory* memory = nullptr;
};

/// One sweep on one rank.
class Sweep {
public:
    Sweep(const Halo& plan, Rank rank, std::size_t axis, RankField field)
        : plan_(plan),
          values_(field.values.data()),
          memory_(field.memory),
          axis_(axis),
          cut_(plan.grid[axis], axis == 0 ? plan.processes.cx : plan.processes.cy),
          column_(plan.processes.column(rank)),
          row_(plan.processes.row(rank)),
          held_(halo_box(plan, rank)),
          face_(axis == 0 ? owned_box(plan, rank) : held_) {
        face_.size[axis] = 1;
    }

    void post(Comm& comm, std::vector<Request>& requests) {
        requests.reserve(count_requests());
        const auto in = message_memory(memory_ ? &memory_->incoming : nullptr);
        const auto out = message_memory(memory_ ? &memory_->outgoing : nullptr);
        Bytes at = 0;
        visit_incoming(cut_, me(), plan_.width, [&](const HaloPiece& piece) {
            if (piece.part == me()) {
                if (memory_ != nullptr) copy_own(piece, in.data() + at);
                comm.charge(packing(region(piece), plan_.elements));
            } else {
                requests.push_back(
                    comm.irecv(rank_of(piece.part), in.part(at, bytes(piece)), tag(piece)));
            }
            at += bytes(piece);
        });
        at = 0;
        visit_outgoing(cut_, me(), plan_.width, [&](const HaloPiece& piece) {
            if (piece.part == me()) return;
            const Buffer message = out.part(at, bytes(piece));
            if (memory_ != nullptr) {
                pack(values_, held_, region(piece), plan_.elements, message.data());
            }
            comm.charge(packing(region(piece), plan_.elements));
            requests.push_back(comm.isend(rank_of(piece.part), message, tag(piece)));
            at += bytes(piece);
        });
    }

    /// Prepares the same messages for an algorithm of the neighbourhood exchange; `neighbors` gets
    /// their list. Those of one pair of ranks are in the same order on both sides, lower halo
    /// first.
    [[nodiscard]] NeighborExchange prepare(Comm& comm, Neighborhood& neighbors) {
        const auto in = message_memory(memory_ ? &memory_->incoming : nullptr);
        const auto out = message_memory(memory_ ? &memory_->outgoing : nullptr);
        Bytes at = 0;
        visit_incoming(cut_, me(), plan_.width, [&](const HaloPiece& piece) {
            if (piece.part != me()) {
                neighbors.sources.push_back({rank_of(piece.part), bytes(piece), at});
            } else {
                comm.charge(packing(region(piece), plan_.elements));
                if (memory_ != nullptr) copy_own(piece, in.data() + at);
            }
            at += bytes(piece);
        });
        at = 0;
        visit_outgoing(cut_, me(), plan_.width, [&](const HaloPiece& piece) {
            if (piece.part == me()) return;
            neighbors.destinations.push_back({rank_of(piece.part), bytes(piece), at});
            comm.charge(packing(region(piece), plan_.elements));
            if (memory_ != nullptr)
                pack(values_, held_, region(piece), plan_.elements, out.data() + at);
            at += bytes(piece);
        });
        return {ConstBuffer(out.data(), out.size()), in, &neighbors};
    }

    /// Copies the received data into the halo.
    void finish(Comm& comm) {
        Bytes at = 0;
        visit_incoming(cut_, me(), plan_.width, [&](const HaloPiece& piece) {
            const Box box = region(piece);
            comm.charge(packing(box, plan_.elements));
            if (memory_ == nullptr) return;
            unpack(memory_->incoming.data() + at, held_, box, plan_.elements, values_);
            at += bytes(piece);
        });
    }

private:
    [[nodiscard]] Rank me() const noexcept { return axis_ == 0 ? column_ : row_; }
    [[nodiscard]] Rank rank_of(Rank part) const noexcept {
        const Rank cx = plan_.processes.cx;
        return axis_ == 0 ? row_ * cx + part : part * cx + column_;
    }
    [[nodiscard]] Tag tag(const HaloPiece& piece) const noexcept {
        return Tag(2 * axis_) + piece.side;
    }
    [[nodiscard]] Bytes bytes(const HaloPiece& piece) const noexcept {
        return piece.cells * face_.points() * plan_.elements.per_point();
    }
    [[nodiscard]] Box region(const HaloPiece& piece) const noexcept {
        Box box = face_;
        box.start[axis_] = piece.first;
        box.size[axis_] = piece.cells;
        return box;
    }
    /// Fills the halo of a rank that is its own neighbour around the domain: its own points, one
    /// period away.
    void copy_own(HaloPiece piece, std::byte* message) const {
        piece.first += piece.side == 0 ? plan_.grid[axis_] : -plan_.grid[axis_];
        pack(values_, held_, region(piece), plan_.elements, message);
    }
    [[nodiscard]] std::size_t count_requests() const {
        std::size_t count = 0;
        const auto add = [&](const HaloPiece& piece) { count += piece.part == me() ? 0 : 1; };
        visit_incoming(cut_, me(), plan_.width, add);
        visit_outgoing(cut_, me(), plan_.width, add);
        return count;
    }
    /// Returns memory for all messages of one direction; null without memory.
    [[nodiscard]] Buffer message_memory(std::vector<std::byte>* memory) const {
        const Bytes needed = memory_needed();
        if (memory == nullptr) return Buffer(needed);
        memory->resize(std::size_t(needed));
        return {memory->data(), needed};
    }
    /// Returns the largest number of bytes in one direction. A part may send more than its own halo
    /// holds.
    [[nodiscard]] Bytes memory_needed() const {
        Bytes in = 0;
        Bytes out = 0;
        visit_incoming(cut_, me(), plan_.width,
                       [&](const HaloPiece& piece) { in += bytes(piece); });
        visit_outgoing(cut_, me(), plan_.width,
                       [&](const HaloPiece& piece) { out += bytes(piece); });
        return std::max(in, out);
    }

    const Halo& plan_;
    std::byte* values_;
    MessageMemory* memory_;
    std::size_t axis_;
    Partition cut_;
    Rank column_;
    Rank row_;
    Box held_;
    Box face_;  // one layer of points across the sweep's axis
};

void check_field(const Halo& plan, Rank rank, const RankField& field) {
    const Bytes needed = halo_box(plan, rank).points() * plan.elements.per_point();
    if (Bytes(field.values.size()) == needed) return;
    throw ConfigError(text("halo: rank ", rank, " holds ", field.values.size(),
                           " bytes of the field, not ", needed));
}

[[nodiscard]] bool posts_all(const Halo& plan) noexcept {
    return plan.algorithm == nullptr || plan.algorithm->run == neighbor_burst;
}

void post_sweep(Comm& comm, const Halo& plan, std::size_t axis, const RankField& field,
                std::vector<Request>& requests) {
    comm.begin_phase(axis == 0 ? "x" : "y");
    Sweep(plan, comm.rank(), axis, field).post(comm, requests);
}

Task sweep_by_algorithm(Comm& comm, const Halo& plan, std::size_t axis, const RankField& field) {
    comm.begin_phase(axis == 0 ? "x" : "y");
    Neighborhood neighbors;
    const NeighborExchange data = Sweep(plan, comm.rank(), axis, field).prepare(comm, neighbors);
    co_await plan.algorithm->run(comm, data, plan.options);
}

Task sweep_both(Comm& comm, const Halo& plan, RankField field) {
    if (field.memory != nullptr) check_field(plan, comm.rank(), field);
    std::vector<Request> requests;
    for (std::int64_t sweep = 0; sweep < 2 * plan.repeat; ++sweep) {
        const auto axis = std::size_t(sweep % 2);
        if (posts_all(plan)) {
            requests.clear();
            post_sweep(comm, plan, axis, field, requests);
            co_await comm.wait_all(requests);
        } else {
            co_await sweep_by_algorithm(comm, plan, axis, field);
        }
        if (field.memory != nullptr || comm.times_local_work())
            Sweep(plan, comm.rank(), axis, field).finish(comm);
    }
}

}  // namespace

ProcessLimits halo_limits(const Extents& grid) noexcept {
    return {{"x", grid[0]}, {"y", grid[1]}};
}

void check_halo_width(std::int64_t width, const Extents& grid) {
    const std::int64_t most = std::min(grid[0], grid[1]);
    if (width >= 1 && width <= most) return;
    throw ConfigError(text("width = ", width, " is not in 1..", most, ", the ",
                           grid[0] <= grid[1] ? "x" : "y", " extent of the grid"));
}

Box owned_box(const Halo& plan, Rank rank) {
    const Partition columns(plan.grid[0], plan.processes.cx);
    const Partition rows(plan.grid[1], plan.processes.cy);
    const Rank column = plan.processes.column(rank);
    const Rank row = plan.processes.row(rank);
    return {{columns.start(column), rows.start(row), 0},
            {columns.size(column), rows.size(row), plan.grid[2]}};
}

Box halo_box(const Halo& plan, Rank rank) {
    Box box = owned_box(plan, rank);
    for (const std::size_t axis : {0, 1}) {
        box.start[axis] -= plan.width;
        box.size[axis] += 2 * plan.width;
    }
    return box;
}

Task exchange_halo(Comm& comm, const Halo& plan, LocalField* field) {
    if (field == nullptr) return sweep_both(comm, plan, {});
    return sweep_both(comm, plan, {field->values, field});
}

Task exchange_halo(Comm& comm, const Halo& plan, std::span<std::byte> values,
                   MessageMemory& memory) {
    return sweep_both(comm, plan, {values, &memory});
}

namespace {

/// Returns the estimate of one message for every piece, in both sweeps once.
[[nodiscard]] Estimate count_pieces(const Halo& plan) {
    const ProcessGrid& grid = plan.processes;
    const auto sweep = [&](std::size_t axis, Rank parts, Rank lines, std::int64_t line_points) {
        const Partition cut(plan.grid[axis], parts);
        Estimate sum;
        for (Rank part = 0; part < parts; ++part) {
            double pieces = 0.0;
            visit_outgoing(cut, part, plan.width, [&](const HaloPiece& piece) {
                if (piece.part == part) return;
                sum += {double(lines), double(piece.cells) * double(line_points), ++pieces};
            });
        }
        sum.bytes *= double(plan.grid[2] * plan.elements.per_point());
        return sum;
    };
    Estimate sum = sweep(0, grid.cx, grid.cy, plan.grid[1]);
    sum += sweep(1, grid.cy, grid.cx, plan.grid[0] + 2 * plan.width * grid.cx);
    return sum;
}

}  // namespace

Bytes average_message(const Halo& plan) {
    const Estimate sum = count_pieces(plan);
    return sum.messages > 0 ? Bytes(sum.bytes / sum.messages) : 0;
}

Estimate estimate(const Halo& plan, Rank ranks) {
    if (posts_all(plan)) return double(plan.repeat) * count_pieces(plan);
    Halo once = plan;
    once.repeat = 1;
    const auto run = [&](Comm& comm) { return exchange_halo(comm, once); };
    return double(plan.repeat) * count_messages(ranks, run);
}

}  // namespace tradewind::skeleton
