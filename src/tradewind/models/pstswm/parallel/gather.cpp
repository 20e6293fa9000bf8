/// Messages to rank 0, and the positions of their numbers.
#include "tradewind/models/pstswm/parallel/gather.hpp"

#include <cmath>

namespace tradewind::pstswm {

namespace {

using spectral::blocks_of;
using spectral::lane_width;
using spectral::numbers;

constexpr Tag gather_tag = 1;

enum Shown : std::uint8_t { shown_depth, shown_u, shown_v, shown_vorticity, shown_divergence };

[[nodiscard]] std::int64_t points(const ArrayLayout& layout) noexcept {
    return 2 * layout.own_pairs() * layout.own_longitudes();
}

}  // namespace

SnapshotGather::SnapshotGather(const ArrayLayout& layout)
    : layout_(layout), part_(std::size_t(points(layout) * fields * layout.plan().levels)) {}

void SnapshotGather::take_flow(const ShallowWaterModel& model) {
    const ShallowWaterPlan& plan = layout_.plan();
    const std::int64_t levels = plan.levels;
    const std::int64_t row = blocks_of(plan.inverse_fields() * levels) * lane_width;
    for (std::int64_t point = 0; point < points(layout_); ++point) {
        const double mu =
            plan.nodes.mu[std::size_t(layout_.latitude(point / layout_.own_longitudes()))];
        const double cosine = std::sqrt((1 - mu) * (1 + mu));
        const double* const in = numbers(model.inverse.grid.data()) + point * row;
        double* const out = part_.data() + point * fields * levels;
        for (std::int64_t k = 0; k < levels; ++k) {
            out[shown_depth * levels + k] =
                (in[geopotential * levels + k] + plan.mean_geopotential) / gravity;
            out[shown_u * levels + k] = in[wind_u * levels + k] / cosine;
            out[shown_v * levels + k] = in[wind_v * levels + k] / cosine;
            out[shown_vorticity * levels + k] = in[vorticity * levels + k];
        }
    }
}

void SnapshotGather::take_divergence(const ShallowWaterModel& model) {
    const std::int64_t levels = layout_.plan().levels;
    const std::int64_t row = blocks_of(layout_.plan().inverse_fields() * levels) * lane_width;
    for (std::int64_t point = 0; point < points(layout_); ++point) {
        const double* const in = numbers(model.inverse.grid.data()) + point * row;
        double* const out = part_.data() + point * fields * levels;
        for (std::int64_t k = 0; k < levels; ++k)
            out[shown_divergence * levels + k] = in[vorticity * levels + k];
    }
}

Task SnapshotGather::collect(Comm& comm) {
    if (comm.rank() != 0) {
        co_await comm.send(0, ConstBuffer(std::span(part_)), gather_tag);
        co_return;
    }
    const ShallowWaterPlan& plan = layout_.plan();
    const auto all = std::size_t(plan.levels * plan.latitudes * plan.longitudes);
    for (auto* const field : {&snapshot_.depth, &snapshot_.east_wind, &snapshot_.north_wind,
                              &snapshot_.vorticity, &snapshot_.divergence})
        field->resize(all);
    place(layout_, part_);
    for (Rank from = 1; from < comm.size(); ++from) {
        const ArrayLayout theirs(plan, from);
        std::vector<double> part(std::size_t(points(theirs) * fields * plan.levels));
        co_await comm.recv(from, Buffer(std::span(part)), gather_tag);
        place(theirs, part);
    }
}

void SnapshotGather::place(const ArrayLayout& from, const std::vector<double>& part) {
    const ShallowWaterPlan& plan = layout_.plan();
    std::vector<double>* const shown[] = {&snapshot_.depth, &snapshot_.east_wind,
                                          &snapshot_.north_wind, &snapshot_.vorticity,
                                          &snapshot_.divergence};
    const double* in = part.data();
    for (std::int64_t point = 0; point < points(from); ++point) {
        const std::int64_t i = from.longitudes().item(from.column(), point % from.own_longitudes());
        const std::int64_t j = from.latitude(point / from.own_longitudes());
        for (auto* const field : shown) {
            for (std::int64_t k = 0; k < plan.levels; ++k)
                (*field)[std::size_t((k * plan.latitudes + j) * plan.longitudes + i)] = *in++;
        }
    }
}

}  // namespace tradewind::pstswm
