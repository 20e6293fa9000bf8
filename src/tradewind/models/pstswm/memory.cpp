/// Counts the arrays of ShallowWaterModel, TransformArrays, ExchangeBuffers and SnapshotGather.
#include "tradewind/models/pstswm/memory.hpp"

#include <algorithm>
#include <cmath>

#include "tradewind/base/interrupts.hpp"
#include "tradewind/base/large_memory.hpp"
#include "tradewind/models/pstswm/model.hpp"

namespace tradewind::pstswm {

namespace {

using spectral::blocks_of;
using spectral::Lanes;

constexpr double number = sizeof(double);
constexpr double shown_fields = 5;

/// Returns the bytes of a LaneVector; long ones are in large pages.
[[nodiscard]] double lane_bytes(std::int64_t count) {
    const double bytes = double(count) * double(sizeof(Lanes));
    constexpr auto page = double(large_page);
    return bytes < page / 2 ? bytes : page * std::ceil(bytes / page);
}

/// One rank whose memory is counted.
struct CountedRank {
    explicit CountedRank(const ShallowWaterPlan& plan, Rank rank) : layout(plan, rank) {}

    [[nodiscard]] const ShallowWaterPlan& plan() const noexcept { return layout.plan(); }
    [[nodiscard]] bool is_ring() const noexcept { return plan().legendre == LegendreMethod::ring; }
    /// Returns the number of degrees in the transforms, which go one further than the coefficients.
    [[nodiscard]] double rows() const { return double(layout.coefficients() + layout.own_waves()); }
    [[nodiscard]] double points() const {
        return double(2 * layout.own_pairs() * layout.own_longitudes());
    }
    /// Returns the bytes of the three quantities, for the levels whose coefficients the rank holds.
    [[nodiscard]] double state() const {
        return number * 6 * double(layout.coefficients()) * double(layout.own_levels());
    }

    ArrayLayout layout;
};

/// Returns the bytes of a chain as `make_chain` of model.cpp allocates it.
[[nodiscard]] double chain_bytes(const CountedRank& part, std::int64_t fields) {
    const ArrayLayout& layout = part.layout;
    const Shapes shapes = layout.shapes(fields);
    const auto column = layout.column();
    const std::int64_t own_lanes =
        fields * (part.is_ring() ? layout.levels().size(0) : layout.own_levels());
    double bytes = lane_bytes(cut_items_size(shapes.grid, column)) +
                   lane_bytes(cut_items_size(shapes.fourier, column)) +
                   lane_bytes(2 * part.rows() * blocks_of(own_lanes));
    if (layout.plan().fft_method == FftMethod::transpose) {
        bytes += lane_bytes(cut_lanes_size(shapes.grid, column)) +
                 lane_bytes(cut_lanes_size(shapes.fourier, column));
    }
    if (layout.is_transposed()) bytes += lane_bytes(cut_lanes_size(shapes.legendre, layout.row()));
    if (part.is_ring()) {
        bytes += lane_bytes(4 * layout.own_waves() * layout.own_pairs() * blocks_of(own_lanes));
    }
    return bytes;
}

/// Returns the memory that all exchanges share. About as many bytes are sent as received.
[[nodiscard]] double message_bytes(const CountedRank& part, std::int64_t fields) {
    const ArrayLayout& layout = part.layout;
    const Mesh mesh = layout.plan().mesh;
    const Shapes shapes = layout.shapes(fields);
    Bytes longest = 0;
    const auto note = [&](const ExchangeShape& shape, Rank me) {
        const ExchangeBlocks blocks(shape, me, true);
        longest = std::max({longest, blocks.sent(), blocks.received()});
    };
    if (mesh.px > 1 && layout.plan().fft_method == FftMethod::transpose) {
        note(shapes.grid, layout.column());
        note(shapes.fourier, layout.column());
    }
    if (mesh.py > 1 && layout.is_transposed()) note(shapes.legendre, layout.row());
    return copies_of_message * double(longest);
}

/// Returns the bytes of the tables of the transforms and of the grid.
[[nodiscard]] double table_bytes(const CountedRank& part) {
    const ShallowWaterPlan& plan = part.plan();
    const double legendre =
        number * double(part.rows()) * double(part.layout.legendre_pairs().count);
    const double fft =
        double(plan.longitudes) * (2 * 16 + 3 * double(sizeof(Lanes)) + 5 * double(sizeof(Lanes)));
    // There are three tables with two integers, a row and two factors per coefficient.
    const double coefficients = 3 * 40 * double(part.layout.coefficients());
    return legendre + fft + coefficients + part.points() * 5 * number;
}

/// Returns the bytes of the states. Four states are permanent; another one, the tendencies and a
/// copy of them are temporary. A ring has three blocks in addition, a sum over a column one.
[[nodiscard]] double state_bytes(const CountedRank& part) {
    const bool is_transposed = part.layout.is_transposed();
    return part.state() * (part.is_ring() ? 10 : is_transposed ? 7 : 8);
}

[[nodiscard]] double dfft_bytes(const CountedRank& part) {
    const ShallowWaterPlan& plan = part.plan();
    if (plan.fft_method == FftMethod::transpose) return 0.0;
    const auto grid = [&](std::int64_t fields) {
        return cut_items_size(part.layout.shapes(fields).grid, part.layout.column());
    };
    return lane_bytes(std::max(grid(plan.inverse_fields()), grid(plan.forward_fields()))) +
           16 * double(plan.longitudes);
}

/// Returns the bytes of a rank's part of the shown fields and of the old time level.
[[nodiscard]] double shown_bytes(const CountedRank& part) {
    const double fields = shown_fields + (part.plan().has_old_level() ? 3 : 0);
    return number * fields * part.points() * double(part.plan().levels);
}

[[nodiscard]] double rank_bytes(const ShallowWaterPlan& plan, Rank rank) {
    const CountedRank part(plan, rank);
    const double messages = std::max(message_bytes(part, plan.inverse_fields()),
                                     message_bytes(part, plan.forward_fields()));
    return chain_bytes(part, plan.inverse_fields()) + chain_bytes(part, plan.forward_fields()) +
           messages + table_bytes(part) + state_bytes(part) + dfft_bytes(part) + shown_bytes(part);
}

}  // namespace

RunMemory memory_of(const ShallowWaterPlan& plan) {
    const Rank ranks = plan.mesh.px * plan.mesh.py;
    double all = 0.0;
    for (Rank rank = 0; rank < ranks; ++rank) {
        check_interrupts(plan.latitudes);
        all += rank_bytes(plan, rank);
    }
    const double snapshot = number * shown_fields * double(plan.levels) * double(plan.latitudes) *
                            double(plan.longitudes);
    const double times = 2.0 + double(plan.output_every > 0 ? (plan.steps - 1) / plan.output_every
                                                            : std::int64_t{0});
    // The first rank gathers a snapshot, whose parts are in transit to it.
    return {all + 2.0 * snapshot, times * snapshot};
}

}  // namespace tradewind::pstswm
