/// The sweeps of the halo exchange along either axis: their messages and the cells of these.
#include "tradewind/skeleton/halo.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "tradewind/comm/neighbor/algorithms.hpp"
#include "tradewind/skeleton/halo_pieces.hpp"

namespace tradewind::skeleton {

namespace {

/// The field of one rank; without memory, only the messages are sent.
struct RankField {
    std::span<std::byte> values;
    MessageMemory* memory = nullptr;
};

/// The messages of a rank, both ways, and where those of a sweep begin; null without a field.
struct Messages {
    Buffer in;
    Buffer out;
    Bytes first = 0;
};

/// Returns the points of a part that a sweep along `axis` sends rows of. Those of x are in the
/// second sweep, if there are corners, but not the ones beyond an end of the domain.
[[nodiscard]] Box swept_box(const Halo& plan, Rank rank, std::size_t axis) {
    const Box own = owned_box(plan, rank);
    if (axis == 0 || !plan.corners) return own;
    Box box = halo_box(plan, rank);
    box.start[1] = own.start[1];
    box.size[1] = own.size[1];
    if (!plan.periodic[0]) {
        const std::int64_t end = std::min(box.start[0] + box.size[0], plan.grid[0]);
        box.start[0] = std::max<std::int64_t>(box.start[0], 0);
        box.size[0] = end - box.start[0];
    }
    return box;
}

/// One sweep on one rank.
class Sweep {
public:
    Sweep(const Halo& plan, Rank rank, std::size_t axis, RankField field)
        : plan_(plan),
          values_(field.values.data()),
          has_field_(field.memory != nullptr),
          axis_(axis),
          cut_(plan.grid[axis], axis == 0 ? plan.processes.cx : plan.processes.cy),
          column_(plan.processes.column(rank)),
          row_(plan.processes.row(rank)),
          held_(halo_box(plan, rank)),
          face_(swept_box(plan, rank, axis)) {
        face_.size[axis] = 1;
    }

    void post(Comm& comm, const Messages& messages, std::vector<Request>& requests) {
        requests.reserve(requests.size() + count_requests());
        Bytes at = messages.first;
        for_incoming([&](const HaloPiece& piece) {
            const Buffer message = messages.in.part(at, bytes(piece));
            if (piece.part == me()) {
                copy_own(comm, piece, message);
            } else {
                requests.push_back(comm.irecv(rank_of(piece.part), message, tag(piece)));
            }
            at += bytes(piece);
        });
        at = messages.first;
        for_outgoing([&](const HaloPiece& piece) {
            if (piece.part == me()) return;
            const Buffer message = messages.out.part(at, bytes(piece));
            pack_piece(comm, piece, message);
            requests.push_back(comm.isend(rank_of(piece.part), message, tag(piece)));
            at += bytes(piece);
        });
    }

    /// Prepares the same messages for an algorithm of the neighbourhood exchange; `neighbors` gets
    /// them. Those of one pair of ranks are in the same order on both sides, lower halo first.
    void prepare(Comm& comm, const Messages& messages, Neighborhood& neighbors) {
        Bytes at = messages.first;
        for_incoming([&](const HaloPiece& piece) {
            if (piece.part != me()) {
                neighbors.sources.push_back({rank_of(piece.part), bytes(piece), at});
            } else {
                copy_own(comm, piece, messages.in.part(at, bytes(piece)));
            }
            at += bytes(piece);
        });
        at = messages.first;
        for_outgoing([&](const HaloPiece& piece) {
            if (piece.part == me()) return;
            neighbors.destinations.push_back({rank_of(piece.part), bytes(piece), at});
            pack_piece(comm, piece, messages.out.part(at, bytes(piece)));
            at += bytes(piece);
        });
    }

    /// Copies the received data into the halo.
    void finish(Comm& comm, const Messages& messages) {
        Bytes at = messages.first;
        for_incoming([&](const HaloPiece& piece) {
            const Box box = region(piece);
            comm.charge(packing(box, plan_.elements));
            if (!has_field_) return;
            unpack(messages.in.data() + at, held_, box, plan_.elements, values_);
            at += bytes(piece);
        });
    }

    /// Returns the largest number of bytes in one direction. A part may send more than its own halo
    /// holds.
    [[nodiscard]] Bytes memory_needed() const {
        Bytes in = 0;
        Bytes out = 0;
        for_incoming([&](const HaloPiece& piece) { in += bytes(piece); });
        for_outgoing([&](const HaloPiece& piece) { out += bytes(piece); });
        return std::max(in, out);
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
    template <class Visit>
    void for_incoming(Visit visit) const {
        visit_incoming(cut_, me(), plan_.width, visit, plan_.periodic[axis_]);
    }
    template <class Visit>
    void for_outgoing(Visit visit) const {
        visit_outgoing(cut_, me(), plan_.width, visit, plan_.periodic[axis_]);
    }
    void pack_piece(Comm& comm, const HaloPiece& piece, Buffer message) const {
        comm.charge(packing(region(piece), plan_.elements));
        if (has_field_) pack(values_, held_, region(piece), plan_.elements, message.data());
    }
    /// Fills the halo of a rank that is its own neighbour around the domain: its own points, one
    /// period away.
    void copy_own(Comm& comm, HaloPiece piece, Buffer message) const {
        piece.first += piece.side == 0 ? plan_.grid[axis_] : -plan_.grid[axis_];
        pack_piece(comm, piece, message);
    }
    [[nodiscard]] std::size_t count_requests() const {
        std::size_t count = 0;
        const auto add = [&](const HaloPiece& piece) { count += piece.part == me() ? 0 : 1; };
        for_incoming(add);
        for_outgoing(add);
        return count;
    }

    const Halo& plan_;
    std::byte* values_;
    bool has_field_;
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

/// The sweeps of which all messages are under way at the same time.
struct HaloRound {
    const char* phase;
    std::size_t first;
    std::size_t end;
};

/// Returns the rounds of an exchange: both axes at once where no corner makes y wait for x.
[[nodiscard]] std::span<const HaloRound> rounds_of(const Halo& plan) noexcept {
    static constexpr HaloRound one_after_the_other[] = {{"x", 0, 1}, {"y", 1, 2}};
    static constexpr HaloRound at_once[] = {{"x, y", 0, 2}};
    if (plan.corners) return one_after_the_other;
    return at_once;
}

/// The sweeps of a round on one rank, and their messages one behind the other.
class RoundSweeps {
public:
    RoundSweeps(const Halo& plan, Rank rank, const HaloRound& round, const RankField& field) {
        Bytes needed = 0;
        for (std::size_t axis = round.first; axis < round.end; ++axis) {
            sweeps_.emplace_back(Sweep(plan, rank, axis, field), needed);
            needed += sweeps_.back().first.memory_needed();
        }
        in_ = memory(field.memory ? &field.memory->incoming : nullptr, needed);
        out_ = memory(field.memory ? &field.memory->outgoing : nullptr, needed);
    }
    void post(Comm& comm, std::vector<Request>& requests) {
        for (auto& [sweep, first] : sweeps_) sweep.post(comm, {in_, out_, first}, requests);
    }
    [[nodiscard]] NeighborExchange prepare(Comm& comm, Neighborhood& neighbors) {
        for (auto& [sweep, first] : sweeps_) sweep.prepare(comm, {in_, out_, first}, neighbors);
        return {out_, in_, &neighbors};
    }
    void finish(Comm& comm) {
        for (auto& [sweep, first] : sweeps_) sweep.finish(comm, {in_, out_, first});
    }

private:
    /// Returns memory for all messages of one direction; null without memory.
    [[nodiscard]] static Buffer memory(std::vector<std::byte>* memory, Bytes needed) {
        if (memory == nullptr) return Buffer(needed);
        memory->resize(std::size_t(needed));
        return {memory->data(), needed};
    }

    std::vector<std::pair<Sweep, Bytes>> sweeps_;
    Buffer in_;
    Buffer out_;
};

void post_round(Comm& comm, const Halo& plan, const HaloRound& round, const RankField& field,
                std::vector<Request>& requests) {
    comm.begin_phase(round.phase);
    requests.clear();
    RoundSweeps(plan, comm.rank(), round, field).post(comm, requests);
}

Task exchange_by_algorithm(Comm& comm, const Halo& plan, const HaloRound& round,
                           const RankField& field) {
    comm.begin_phase(round.phase);
    Neighborhood neighbors;
    const NeighborExchange data =
        RoundSweeps(plan, comm.rank(), round, field).prepare(comm, neighbors);
    co_await plan.algorithm->run(comm, data, plan.options);
}

Task exchange_all(Comm& comm, const Halo& plan, RankField field) {
    if (field.memory != nullptr) check_field(plan, comm.rank(), field);
    const std::span<const HaloRound> rounds = rounds_of(plan);
    const auto count = plan.repeat * std::int64_t(rounds.size());
    std::vector<Request> requests;
    for (std::int64_t i = 0; i < count; ++i) {
        const HaloRound& round = rounds[std::size_t(i) % rounds.size()];
        if (posts_all(plan)) {
            post_round(comm, plan, round, field, requests);
            co_await comm.wait_all(requests);
        } else {
            co_await exchange_by_algorithm(comm, plan, round, field);
        }
        if (field.memory != nullptr || comm.times_local_work())
            RoundSweeps(plan, comm.rank(), round, field).finish(comm);
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
    if (field == nullptr) return exchange_all(comm, plan, {});
    return exchange_all(comm, plan, {field->values, field});
}

Task exchange_halo(Comm& comm, const Halo& plan, std::span<std::byte> values,
                   MessageMemory& memory) {
    return exchange_all(comm, plan, {values, &memory});
}

namespace {

/// Returns the columns of all parts that take part in the sweep along y, summed.
[[nodiscard]] std::int64_t columns_swept(const Halo& plan) {
    std::int64_t sum = 0;
    for (Rank column = 0; column < plan.processes.cx; ++column)
        sum += swept_box(plan, column, 1).size[0];
    return sum;
}

/// Returns the estimate of one message for every piece, in both sweeps once.
[[nodiscard]] Estimate count_pieces(const Halo& plan) {
    const ProcessGrid& grid = plan.processes;
    const auto sweep = [&](std::size_t axis, Rank parts, Rank lines, std::int64_t line_points) {
        const Partition cut(plan.grid[axis], parts);
        Estimate sum;
        for (Rank part = 0; part < parts; ++part) {
            double pieces = 0.0;
            const auto add = [&](const HaloPiece& piece) {
                if (piece.part == part) return;
                sum += {double(lines), double(piece.cells) * double(line_points), ++pieces};
            };
            visit_outgoing(cut, part, plan.width, add, plan.periodic[axis]);
        }
        sum.bytes *= double(plan.grid[2] * plan.elements.per_point());
        return sum;
    };
    Estimate sum = sweep(0, grid.cx, grid.cy, plan.grid[1]);
    const double at_once = sum.at_once;
    const Estimate above = sweep(1, grid.cy, grid.cx, columns_swept(plan));
    sum += above;
    if (!plan.corners) sum.at_once = at_once + above.at_once;
    return sum;
}

}  // namespace

ProcessGrid least_process_grid(Halo plan, Rank ranks) {
    const ProcessLimits limits = halo_limits(plan.grid);
    ProcessGrid best = squarest_process_grid(ranks, limits);
    const auto cost = [&](ProcessGrid grid) {
        plan.processes = grid;
        const Estimate sent = count_pieces(plan);
        return std::tuple(sent.bytes, sent.messages, grid.cx);
    };
    auto least = cost(best);
    for (Rank cx = 1; cx <= ranks; ++cx) {
        const ProcessGrid grid{cx, ranks / cx};
        if (ranks % cx != 0 || !limits.allow(grid)) continue;
        const auto sent = cost(grid);
        if (sent < least) std::tie(least, best) = std::tuple(sent, grid);
    }
    return best;
}

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
