/// Sizes of the parts, and operation counts of the kernels.
#include "tradewind/models/pstswm/parallel/layout.hpp"

#include <cmath>

namespace tradewind::pstswm {

namespace {

constexpr double number_bytes = sizeof(double);

}  // namespace

ArrayLayout::ArrayLayout(const ShallowWaterPlan& plan, Rank rank)
    : plan_(plan),
      column_(plan.mesh.column(rank)),
      row_(plan.mesh.row(rank)),
      waves_(plan.fft_method == FftMethod::transpose ? Distribution::Order::snake
                                                     : Distribution::Order::residues,
             plan.truncation + 1, plan.mesh.px),
      pairs_(Distribution::Order::blocks, plan.latitudes / 2, plan.mesh.py),
      longitudes_(Distribution::Order::blocks, plan.longitudes, plan.mesh.px),
      levels_(plan.levels, plan.mesh.py) {}

spectral::LatitudePairs ArrayLayout::legendre_pairs() const noexcept {
    if (is_transposed()) return {0, pairs_.items()};
    return {pairs_.before(row_), own_pairs()};
}

std::int64_t ArrayLayout::coefficients() const noexcept {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < own_waves(); ++i)
        sum += plan_.truncation + 1 - waves_.item(column_, i);
    return sum;
}

std::int64_t ArrayLayout::latitude(std::int64_t line) const noexcept {
    const std::int64_t north = pairs_.before(row_) + line / 2;
    return line % 2 == 0 ? north : plan_.latitudes - 1 - north;
}

Shapes ArrayLayout::shapes(std::int64_t fields) const {
    const Partition lanes(fields * plan_.levels, plan_.mesh.px);
    return {fields,
            {2 * own_pairs(), longitudes_, 1, 1, lanes},
            {1, waves_, 4 * own_pairs(), 1, lanes},
            {own_waves(), pairs_, 4, fields, levels_}};
}

/// Returns the work of a Legendre transform. Each coefficient meets each pair of latitudes once: a
/// multiplication and an addition for the real and for the imaginary part. Then north and south are
/// separated.
Work ArrayLayout::legendre_work(std::int64_t fields, std::int64_t levels) const {
    const auto lanes = double(fields * levels);
    const auto rows = double(coefficients() + own_waves());
    const auto pairs = double(legendre_pairs().count);
    const auto waves = double(own_waves());
    return {4 * pairs * lanes * (rows + waves),
            Bytes(number_bytes * lanes * (2 * rows + 4 * waves * pairs))};
}

/// Returns the work of Fourier transforms: 2.5 N log2 N for a real transform of length N. In a
/// distributed one all ranks share every line.
Work ArrayLayout::fft_work(std::int64_t fields) const {
    const std::int64_t lanes = fields * plan_.levels;
    const double share = plan_.fft_method == FftMethod::transpose
                             ? double(Partition(lanes, plan_.mesh.px).size(column_))
                             : double(lanes) / double(plan_.mesh.px);
    const double lines = double(2 * own_pairs()) * share;
    const auto points = double(plan_.longitudes);
    return {2.5 * points * std::log2(points) * lines,
            Bytes(number_bytes * lines * (points + 2.0 * double(plan_.truncation + 1)))};
}

Work ArrayLayout::product_work(std::int64_t fields) const {
    const auto points = double(2 * own_pairs() * own_longitudes() * plan_.levels);
    return {16 * points, Bytes(number_bytes * points * double(plan_.inverse_fields() + fields))};
}

/// Returns the work of about 80 operations per coefficient: wind coefficients 20, tendencies 28,
/// step 32.
Work ArrayLayout::spectral_work() const {
    const auto numbers = double(coefficients() * own_levels());
    return {80 * numbers, Bytes(number_bytes * numbers * 40)};
}

}  // namespace tradewind::pstswm
