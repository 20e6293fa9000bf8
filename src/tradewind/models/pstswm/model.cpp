/// Arrays of a rank, transforms, and products on the grid.
#include "tradewind/models/pstswm/model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tradewind/base/interrupts.hpp"

namespace tradewind::pstswm {

namespace {

using spectral::blocks_of;
using spectral::lane_width;
using spectral::Lanes;
using spectral::LaneVector;
using spectral::numbers;

[[nodiscard]] TransformArrays make_chain(const ArrayLayout& layout, std::int64_t fields,
                                         std::int64_t rows) {
    const Shapes shapes = layout.shapes(fields);
    const bool is_transposed = layout.plan().fft_method == FftMethod::transpose;
    const bool is_ring = layout.plan().legendre == LegendreMethod::ring;
    // On a ring the rank also works on blocks of other ranks, of which the first is the longest.
    const std::int64_t own_lanes =
        fields * (is_ring ? layout.levels().size(0) : layout.own_levels());
    const std::int64_t block = 4 * layout.own_waves() * layout.own_pairs() * blocks_of(own_lanes);
    return {shapes,
            LaneVector(cut_items_size(shapes.grid, layout.column())),
            LaneVector(is_transposed ? cut_lanes_size(shapes.grid, layout.column()) : 0),
            LaneVector(is_transposed ? cut_lanes_size(shapes.fourier, layout.column()) : 0),
            LaneVector(cut_items_size(shapes.fourier, layout.column())),
            LaneVector(layout.is_transposed() ? cut_lanes_size(shapes.legendre, layout.row())
                       : is_ring              ? block
                                              : 0),
            LaneVector(2 * rows * blocks_of(own_lanes))};
}

/// Returns the Lanes per line of the arrays between the two exchanges of a row.
[[nodiscard]] std::int64_t line_blocks(const ArrayLayout& layout, const Shapes& shapes) {
    return blocks_of(shapes.grid.lanes.size(layout.column()));
}

}  // namespace

ShallowWaterModel::ShallowWaterModel(const ArrayLayout& layout)
    : layout_(layout),
      legendre_(layout.plan().truncation, layout.plan().nodes, layout.legendre_pairs(),
                layout.waves().items_of(layout.column())),
      fft_(layout.plan().longitudes),
      arithmetic_(layout.plan(), layout.own_levels(), legendre_.waves()),
      fft_work_(fft_.work_size()) {
    const ShallowWaterPlan& plan = layout_.plan();
    const std::int64_t rows = legendre_.first_row(legendre_.waves().size());
    inverse = make_chain(layout_, plan.inverse_fields(), rows);
    forward = make_chain(layout_, plan.forward_fields(), rows);
    for (const Rank block : {Rank{0}, plan.mesh.py - 1})
        block_arithmetic_.emplace_back(plan, layout_.levels().size(block), legendre_.waves());
    if (plan.fft_method == FftMethod::distributed) {
        dfft_ = Dfft(layout_);
        received_ = LaneVector(std::max(inverse.grid.size(), forward.grid.size()));
    }
    before = arithmetic_.zero_state();
    now = before;
    ground_state_ = before;
    initial_ = before;
    for (std::int64_t line = 0; line < 2 * layout_.own_pairs(); ++line) {
        for (std::int64_t i = 0; i < layout_.own_longitudes(); ++i) {
            check_interrupts(64);
            const std::int64_t j = layout_.latitude(line);
            const LonLat at{plan.longitude(layout_.longitudes().item(layout_.column(), i)),
                            plan.latitude(j)};
            const double mu = plan.nodes.mu[std::size_t(j)];
            places_.push_back(at);
            coriolis_.push_back(plan.test_case->coriolis(at));
            ground_.push_back(plan.test_case->ground(at));
            inverse_square_cosine_.push_back(1 / ((1 - mu) * (1 + mu)));
        }
    }
}

void ShallowWaterModel::legendre_inverse() {
    const std::int64_t columns = 2 * blocks_of(inverse.shapes.fields * layout_.own_levels());
    legendre_.inverse(inverse.spectrum.data(), at_legendre(inverse).data(), columns);
}

void ShallowWaterModel::legendre_forward() {
    const std::int64_t columns = 2 * blocks_of(forward.shapes.fields * layout_.own_levels());
    legendre_.forward(at_legendre(forward).data(), forward.spectrum.data(), columns);
}

void ShallowWaterModel::fft_inverse() {
    fft_.inverse(
        inverse.waves.data(), inverse.lines.data(),
        {2 * layout_.own_pairs(), line_blocks(layout_, inverse.shapes), layout_.plan().truncation},
        fft_work_.data());
}

void ShallowWaterModel::fft_forward() {
    fft_.forward(
        forward.lines.data(), forward.waves.data(),
        {2 * layout_.own_pairs(), line_blocks(layout_, forward.shapes), layout_.plan().truncation},
        fft_work_.data());
}

void ShallowWaterModel::multiply(double time) {
    const std::int64_t row = blocks_of(forward.shapes.fields * layout_.plan().levels) * lane_width;
    for (std::int64_t point = 0; point < std::ssize(places_); ++point) {
        check_interrupts(row);
        multiply_point(point, numbers(forward.grid.data()) + point * row, time);
    }
}

/// Computes the fluxes with their factor 1 / (a cos^2), and the energy. A force (Fu, Fv) acts like
/// the part (-Fv, Fu) cos(theta) of the flux of vorticity.
void ShallowWaterModel::multiply_point(std::int64_t point, double* out, double time) const {
    const auto levels = layout_.plan().levels;
    const std::int64_t row = blocks_of(inverse.shapes.fields * levels) * lane_width;
    const double* const in = numbers(inverse.grid.data()) + point * row;
    const auto p = std::size_t(point);
    const double inverse_square = inverse_square_cosine_[p];
    const double factor = inverse_square / radius;
    const double f = coriolis_[p];
    const double ground = ground_[p];
    for (std::int64_t k = 0; k < levels; ++k) {
        const double eta = in[vorticity * levels + k] + f;
        const double phi = in[geopotential * levels + k];
        const double u = in[wind_u * levels + k];
        const double v = in[wind_v * levels + k];
        out[flux_u * levels + k] = factor * (u * eta);
        out[flux_v * levels + k] = factor * (v * eta);
        out[mass_flux_u * levels + k] = factor * (u * phi);
        out[mass_flux_v * levels + k] = factor * (v * phi);
        out[energy * levels + k] = 0.5 * inverse_square * (u * u + v * v) + ground;
    }
    if (!layout_.plan().test_case->is_forced()) return;
    const Forcing force = layout_.plan().test_case->forcing(places_[p], time);
    const double turned = std::sqrt(inverse_square) / radius;
    for (std::int64_t k = 0; k < levels; ++k) {
        out[flux_u * levels + k] -= turned * force.wind.north;
        out[flux_v * levels + k] += turned * force.wind.east;
        out[source * levels + k] = force.geopotential;
    }
}

void ShallowWaterModel::carry_old_level(std::int64_t step) {
    constexpr InverseField carried[] = {vorticity, divergence, geopotential};
    const ShallowWaterPlan& plan = layout_.plan();
    const std::int64_t levels = plan.levels;
    const std::int64_t in_row = blocks_of(inverse.shapes.fields * levels) * lane_width;
    const std::int64_t out_row = blocks_of(forward.shapes.fields * levels) * lane_width;
    const std::int64_t first = plan.flux_fields() * levels;
    old_level_.resize(places_.size() * std::size(carried) * std::size_t(levels));
    double* old = old_level_.data();
    for (std::int64_t point = 0; point < std::ssize(places_); ++point) {
        check_interrupts(out_row);
        const double* const in = numbers(inverse.grid.data()) + point * in_row;
        double* out = numbers(forward.grid.data()) + point * out_row + first;
        for (const InverseField field : carried) {
            const double* const present = in + field * levels;
            if (step == 0) std::copy_n(present, levels, old);
            std::copy_n(old, levels, out);
            if (step > 1) std::copy_n(present, levels, old);
            old += levels;
            out += levels;
        }
    }
}

void ShallowWaterModel::analyse(bool is_start) {
    arithmetic_.analysis(forward.spectrum, forward.shapes.fields, is_start, tendency);
}

/// Copies the lanes of a block's levels between `fourier` and `legendre`.
void ShallowWaterModel::copy_block(TransformArrays& chain, Rank block, CopyDirection way) const {
    const std::int64_t fields = chain.shapes.fields;
    const std::int64_t levels = layout_.plan().levels;
    const std::int64_t first = layout_.levels().start(block);
    const std::int64_t length = layout_.levels().size(block);
    const std::int64_t long_row = blocks_of(fields * levels) * lane_width;
    const std::int64_t short_row = blocks_of(fields * length) * lane_width;
    double* whole = numbers(chain.fourier.data());
    double* part = numbers(chain.legendre.data());
    for (std::int64_t row = 0; row < 4 * layout_.own_waves() * layout_.own_pairs(); ++row) {
        for (std::int64_t field = 0; field < fields; ++field) {
            double* const in_whole = whole + row * long_row + field * levels + first;
            double* const in_part = part + row * short_row + field * length;
            if (way == CopyDirection::into_block) {
                std::copy_n(in_whole, length, in_part);
            } else {
                std::copy_n(in_part, length, in_whole);
            }
        }
    }
}

void ShallowWaterModel::block_inverse(const std::vector<double>& state, Rank block) {
    const std::int64_t lanes = inverse.shapes.fields * layout_.levels().size(block);
    arithmetic_of(block).synthesis(unpacked(state), inverse.spectrum);
    legendre_.inverse(inverse.spectrum.data(), inverse.legendre.data(), 2 * blocks_of(lanes));
    copy_block(inverse, block, CopyDirection::out_of_block);
}

void ShallowWaterModel::block_forward(Rank block, bool is_start, Tendencies& result) {
    const std::int64_t fields = forward.shapes.fields;
    const std::int64_t lanes = fields * layout_.levels().size(block);
    copy_block(forward, block, CopyDirection::into_block);
    legendre_.forward(forward.legendre.data(), forward.spectrum.data(), 2 * blocks_of(lanes));
    arithmetic_of(block).analysis(forward.spectrum, fields, is_start, result);
}

DfftData ShallowWaterModel::distributed_fft(TransformArrays& chain) {
    return {&dfft_, &chain.grid, &chain.fourier, &received_, {}};
}

void ShallowWaterModel::advance(std::int64_t step) {
    const double interval = layout_.plan().time_step * (step == 0 ? 0.5 : step == 1 ? 1.0 : 2.0);
    arithmetic_.advance(tendency, interval, step > 1, ground_state_.geopotential, now, before);
    std::swap(now, before);
    if (step == 1) before = std::move(initial_);
}

void ShallowWaterModel::set_initial() {
    const ShallowWaterPlan& plan = layout_.plan();
    const std::int64_t levels = plan.levels;
    const std::int64_t row = blocks_of(forward.shapes.fields * levels) * lane_width;
    forward.grid = LaneVector(forward.grid.size());
    for (std::size_t p = 0; p < places_.size(); ++p) {
        const FlowState flow = plan.test_case->initial(places_[p]);
        const double turned = std::sqrt(inverse_square_cosine_[p]) / radius;
        double* const out = numbers(forward.grid.data()) + std::int64_t(p) * row;
        for (std::int64_t k = 0; k < levels; ++k) {
            out[flux_u * levels + k] = -turned * flow.wind.north;
            out[flux_v * levels + k] = turned * flow.wind.east;
            out[energy * levels + k] = flow.geopotential - plan.mean_geopotential;
        }
    }
}

void ShallowWaterModel::set_ground() {
    const std::int64_t levels = layout_.plan().levels;
    const std::int64_t row = blocks_of(forward.shapes.fields * levels) * lane_width;
    forward.grid = LaneVector(forward.grid.size());
    for (std::size_t p = 0; p < places_.size(); ++p) {
        double* const out = numbers(forward.grid.data()) + std::int64_t(p) * row;
        for (std::int64_t k = 0; k < levels; ++k) out[energy * levels + k] = ground_[p];
    }
}

void ShallowWaterModel::keep_initial() {
    arithmetic_.start(tendency, initial_);
    before = initial_;
    now = initial_;
}

std::int64_t ShallowWaterModel::broken_level() const {
    const std::int64_t levels = layout_.plan().levels;
    const double* const point = numbers(inverse.grid.data());
    for (std::int64_t k = 0; k < levels; ++k) {
        double sum = 0.0;
        for (std::int64_t field = 0; field < inverse.shapes.fields; ++field)
            sum += point[field * levels + k];
        if (!std::isfinite(sum)) return k;
    }
    return -1;
}

State ShallowWaterModel::divergence_as_vorticity() const {
    State shown = arithmetic_.zero_state();
    shown.vorticity = now.divergence;
    return shown;
}

std::vector<double> ShallowWaterModel::checkpoint() const {
    std::vector<double> numbers = packed(before);
    const std::vector<double> newer = packed(now);
    numbers.insert(numbers.end(), newer.begin(), newer.end());
    numbers.insert(numbers.end(), old_level_.begin(), old_level_.end());
    return numbers;
}

void ShallowWaterModel::restore(const std::vector<double>& numbers) {
    const auto size = std::ptrdiff_t(packed(now).size());
    const auto begin = numbers.begin();
    before = unpacked({begin, begin + size});
    now = unpacked({begin + size, begin + 2 * size});
    old_level_.assign(begin + 2 * size, numbers.end());
}

}  // namespace tradewind::pstswm
