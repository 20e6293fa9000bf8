/// The stages of the transposition, from one table of the partitions.
#include "tradewind/skeleton/transposition.hpp"

#include <optional>

#include "tradewind/comm/protocol/put_channel.hpp"
#include "tradewind/comm/sub_comm.hpp"

namespace tradewind::skeleton {

namespace {

enum GridAxis : std::uint8_t { x, y, z };

/// The axes that cx and cy cut in each space.
struct CutAxes {
    GridAxis by_cx;
    GridAxis by_cy;
};
constexpr std::array<CutAxes, 4> cuts{{{x, y}, {z, y}, {z, x}, {y, x}}};
constexpr std::array<std::string_view, 3> axis_names{"x", "y", "z"};

[[nodiscard]] const CutAxes& cuts_in(Space space) noexcept {
    return cuts[std::size_t(space)];
}

/// Returns the exchanges of one pass: the chain, with its reverse if requested, or a single stage.
[[nodiscard]] std::int64_t chain_length(const Transposition& plan) noexcept {
    return plan.only_stage >= 0 ? 1 : plan.backward ? 6 : 3;
}

/// One stage, in either direction.
class TranspositionStage {
public:
    TranspositionStage(const Transposition& plan, std::int64_t step) noexcept : plan_(plan) {
        const auto in_chain =
            std::uint8_t(plan.only_stage >= 0 ? plan.only_stage : step % chain_length(plan));
        const bool forward = in_chain < 3;
        const auto number = std::uint8_t(forward ? in_chain : 5 - in_chain);
        name_ = stage_names[number];
        before_ = Space(number + (forward ? 0 : 1));
        after_ = Space(number + (forward ? 1 : 0));
    }

    TranspositionStage(const Transposition& plan, Space before, Space after) noexcept
        : plan_(plan),
          name_(stage_names[std::size_t(std::min(before, after))]),
          before_(before),
          after_(after) {}

    [[nodiscard]] const char* name() const noexcept { return name_; }
    [[nodiscard]] Choice<AlltoallvAlgorithm> choice() const {
        const auto number = std::size_t(std::min(before_, after_));
        return plan_.by_stage.empty() ? Choice<AlltoallvAlgorithm>{plan_.algorithm, plan_.options}
                                      : plan_.by_stage[number];
    }
    /// Returns the options of the choice with the channel that they need in `group`. All ranks open
    /// equal channels.
    [[nodiscard]] Options opened(Comm& group, bool has_data) const {
        const auto [algorithm, options] = choice();
        const ProcessGrid& grid = plan_.processes;
        const Partition third(plan_.grid[kept()], in_rows() ? grid.cy : grid.cx);
        const Bytes block =
            senders().size(0) * receivers().size(0) * third.size(0) * plan_.elements.per_point();
        const Bytes longest = longest_message(*algorithm, block, group_size());
        return with_channel(options, open_channel(group, options.transport, longest, has_data));
    }
    [[nodiscard]] Space before() const noexcept { return before_; }
    [[nodiscard]] Space after() const noexcept { return after_; }
    /// Returns whether the rows exchange (cx ranks each) or the columns (cy ranks each).
    [[nodiscard]] bool in_rows() const noexcept {
        return cuts_in(before_).by_cy == cuts_in(after_).by_cy;
    }
    [[nodiscard]] Rank group_size() const noexcept {
        return in_rows() ? plan_.processes.cx : plan_.processes.cy;
    }
    /// Returns the axis that becomes whole.
    [[nodiscard]] GridAxis gathered() const noexcept { return exchanged(cuts_in(before_)); }
    /// Returns the axis that becomes cut.
    [[nodiscard]] GridAxis scattered() const noexcept { return exchanged(cuts_in(after_)); }
    /// Returns the axis that stays as it is.
    [[nodiscard]] GridAxis kept() const noexcept {
        return in_rows() ? cuts_in(before_).by_cy : cuts_in(before_).by_cx;
    }

    [[nodiscard]] Partition senders() const { return {plan_.grid[gathered()], group_size()}; }
    [[nodiscard]] Partition receivers() const { return {plan_.grid[scattered()], group_size()}; }
    [[nodiscard]] SubComm group(Comm& comm) const {
        return in_rows() ? row_of(comm, plan_.processes.cx) : column_of(comm, plan_.processes.cx);
    }
    [[nodiscard]] SlabBlocks blocks(Rank rank) const {
        const ProcessGrid& grid = plan_.processes;
        const Partition third(plan_.grid[kept()], in_rows() ? grid.cy : grid.cx);
        const Bytes per_point =
            third.size(in_rows() ? grid.row(rank) : grid.column(rank)) * plan_.elements.per_point();
        return {senders(), receivers(), per_point, in_rows() ? grid.column(rank) : grid.row(rank)};
    }

private:
    [[nodiscard]] GridAxis exchanged(const CutAxes& cut) const noexcept {
        return in_rows() ? cut.by_cx : cut.by_cy;
    }

    const Transposition& plan_;
    const char* name_;
    Space before_;
    Space after_;
};

/// Returns `box` with its extent along `axis` replaced by part `part`.
[[nodiscard]] Box narrowed(Box box, GridAxis axis, const Partition& partition, Rank part) noexcept {
    box.start[axis] = partition.start(part);
    box.size[axis] = partition.size(part);
    return box;
}

void pack_blocks(const Transposition& plan, const TranspositionStage& stage, Rank rank,
                 LocalField& field) {
    const Box box = transposed_box(plan, rank, stage.before());
    const SlabBlocks blocks = stage.blocks(rank);
    const Partition receivers = stage.receivers();
    field.outgoing.resize(field.values.size());
    for (Rank to = 0; to < receivers.parts(); ++to) {
        pack(field.values.data(), box, narrowed(box, stage.scattered(), receivers, to),
             plan.elements, field.outgoing.data() + blocks.send_offset(to));
    }
}

void unpack_blocks(const Transposition& plan, const TranspositionStage& stage, Rank rank,
                   LocalField& field) {
    const Box box = transposed_box(plan, rank, stage.after());
    const SlabBlocks blocks = stage.blocks(rank);
    const Partition senders = stage.senders();
    field.values.resize(field.incoming.size());
    for (Rank from = 0; from < senders.parts(); ++from) {
        unpack(field.incoming.data() + blocks.receive_offset(from), box,
               narrowed(box, stage.gathered(), senders, from), plan.elements, field.values.data());
    }
}

/// Returns the buffers of a stage: null ones of the right size without a field, else with its data
/// packed.
[[nodiscard]] Alltoallv buffers(const Transposition& plan, const TranspositionStage& stage,
                                Rank rank, const Blocks& blocks, LocalField* field) {
    const auto bytes = [&](Space space) {
        return transposed_box(plan, rank, space).points() * plan.elements.per_point();
    };
    const Bytes out = bytes(stage.before());
    const Bytes in = bytes(stage.after());
    if (field == nullptr) return {ConstBuffer(out), Buffer(in), &blocks};
    if (Bytes(field->values.size()) != out) {
        throw ConfigError(text("transposition: rank ", rank, " holds ", field->values.size(),
                               " bytes of the field, not ", out));
    }
    pack_blocks(plan, stage, rank, *field);
    field->incoming.resize(std::size_t(in));
    return {ConstBuffer(field->outgoing.data(), out), Buffer(field->incoming.data(), in), &blocks};
}

/// Charges the packing of all blocks of a stage, before it or after it. Blocks that are cut along x
/// cut the rows.
void charge_packing(Comm& comm, const Transposition& plan, const TranspositionStage& stage,
                    bool packs) {
    if (!comm.times_local_work()) return;
    const Box box = transposed_box(plan, comm.rank(), packs ? stage.before() : stage.after());
    LocalWork work = packing(box, plan.elements);
    if ((packs ? stage.scattered() : stage.gathered()) == 0) work.blocks *= stage.group_size();
    comm.charge(work);
}

}  // namespace

ProcessLimits transposition_limits(const Extents& grid) noexcept {
    const auto limit = [&](GridAxis axis) { return CutLimit{axis_names[axis], grid[axis]}; };
    ProcessLimits limits{limit(cuts[0].by_cx), limit(cuts[0].by_cy)};
    for (const CutAxes& cut : cuts) {
        limits.cx = limits.cx & limit(cut.by_cx);
        limits.cy = limits.cy & limit(cut.by_cy);
    }
    return limits;
}

Box transposed_box(const Transposition& plan, Rank rank, Space space) {
    const ProcessGrid& grid = plan.processes;
    const CutAxes& cut = cuts_in(space);
    const Box whole{{0, 0, 0}, plan.grid};
    const Box strip =
        narrowed(whole, cut.by_cx, Partition(plan.grid[cut.by_cx], grid.cx), grid.column(rank));
    return narrowed(strip, cut.by_cy, Partition(plan.grid[cut.by_cy], grid.cy), grid.row(rank));
}

StageShape stage_shape(const Transposition& plan, std::size_t stage) {
    const Rank group = TranspositionStage(plan, Space(stage), Space(stage + 1)).group_size();
    const double points = double(plan.grid[0]) * double(plan.grid[1]) * double(plan.grid[2]);
    const double ranks = double(plan.processes.cx) * double(plan.processes.cy);
    return {group, Bytes(points * double(plan.elements.per_point()) / ranks / double(group))};
}

Task transpose(Comm& comm, const Transposition& plan, LocalField* field) {
    for (std::int64_t step = 0; step < plan.repeat * chain_length(plan); ++step) {
        const TranspositionStage stage(plan, step);
        comm.begin_phase(stage.name());
        const SlabBlocks blocks = stage.blocks(comm.rank());
        const Alltoallv data = buffers(plan, stage, comm.rank(), blocks, field);
        charge_packing(comm, plan, stage, true);
        SubComm group = stage.group(comm);
        const Options options = stage.opened(group, field != nullptr);
        co_await stage.choice().algorithm->run(group, data, options);
        if (field != nullptr) unpack_blocks(plan, stage, comm.rank(), *field);
        charge_packing(comm, plan, stage, false);
        const PointWork& work = plan.work[std::size_t(stage.after())];
        if (!work.is_any()) continue;
        comm.begin_phase("transforms");
        const auto points = double(transposed_box(plan, comm.rank(), stage.after()).points());
        co_await comm.compute(points * work);
    }
}

/// The largest number of ranks that are counted one by one. The ranks of an alltoallv do nearly the
/// same, and some algorithms ask for the sizes of all blocks.
constexpr Rank most_counted_ranks = 1024;

Estimate estimate(const Transposition& plan) {
    Estimate sum;
    for (std::int64_t step = 0; step < chain_length(plan); ++step) {
        const TranspositionStage stage(plan, step);
        const Rank size = stage.group_size();
        const Rank groups = plan.processes.cx * plan.processes.cy / size;
        // All groups send the same pattern; only the width of their third dimension differs.
        const Bytes all_widths = plan.grid[stage.kept()] * plan.elements.per_point();
        const Bytes width = all_widths / groups;
        std::optional<SlabBlocks> blocks;
        const auto run = [&](Comm& comm) {
            blocks.emplace(stage.senders(), stage.receivers(), width, comm.rank());
            const Bytes out = blocks->send_offset(size - 1) + blocks->send_size(size - 1);
            const Bytes in = blocks->receive_offset(size - 1) + blocks->receive_size(size - 1);
            return stage.choice().algorithm->run(comm, {ConstBuffer(out), Buffer(in), &*blocks},
                                                 stage.opened(comm, false));
        };
        const Estimate group = count_messages(size, run, most_counted_ranks);
        sum += {double(groups) * group.messages, double(all_widths) / double(width) * group.bytes,
                group.at_once};
    }
    return double(plan.repeat) * sum;
}

}  // namespace tradewind::skeleton
