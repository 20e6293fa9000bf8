/// Longest messages, from the largest parts.
#include "tradewind/models/pstswm/parallel/channels.hpp"

#include <algorithm>

#include "tradewind/comm/protocol/put_channel.hpp"
#include "tradewind/models/pstswm/parallel/layout.hpp"

namespace tradewind::pstswm {

namespace {

/// The largest part of each kind on any rank.
struct Largest {
    explicit Largest(const ShallowWaterPlan& plan) {
        for (Rank column = 0; column < plan.mesh.px; ++column) {
            const ArrayLayout layout(plan, column);
            waves = std::max(waves, layout.own_waves());
            longitudes = std::max(longitudes, layout.own_longitudes());
            coefficients = std::max(coefficients, layout.coefficients());
        }
        for (Rank row = 0; row < plan.mesh.py; ++row)
            pairs = std::max(pairs, ArrayLayout(plan, row * plan.mesh.px).own_pairs());
    }

    std::int64_t waves = 0;
    std::int64_t longitudes = 0;
    std::int64_t coefficients = 0;
    std::int64_t pairs = 0;
};

[[nodiscard]] Bytes bytes(std::int64_t numbers) noexcept {
    return numbers * Bytes(sizeof(double));
}

[[nodiscard]] Transport row_transport(const ShallowWaterPlan& plan) noexcept {
    return plan.fft_method == FftMethod::distributed ? plan.dfft_options.transport
                                                     : plan.fft.options.transport;
}

[[nodiscard]] Transport column_transport(const ShallowWaterPlan& plan) noexcept {
    switch (plan.legendre) {
        case LegendreMethod::sum:
            return plan.legendre_sum.options.transport;
        case LegendreMethod::ring:
            return plan.ring_options.transport;
        case LegendreMethod::transpose:
            break;
    }
    return plan.legendre_transpose.options.transport;
}

}  // namespace

/// Returns the longest message with the larger number of fields. Messages of dfft are padded to
/// whole Lanes.
Bytes longest_row_message(const ShallowWaterPlan& plan) {
    const Largest largest(plan);
    const std::int64_t fields = std::max(plan.inverse_fields(), plan.forward_fields());
    if (plan.fft_method == FftMethod::distributed) {
        const std::int64_t row = spectral::blocks_of(fields * plan.levels) * spectral::lane_width;
        const std::int64_t complex = std::max(plan.longitudes / 2 / plan.mesh.px, largest.waves);
        return bytes(2 * largest.pairs * complex * 2 * row);
    }
    const std::int64_t lanes = Partition(fields * plan.levels, plan.mesh.px).size(0);
    const std::int64_t items = std::max(largest.longitudes, 2 * largest.waves);
    return longest_message(*plan.fft.algorithm, bytes(2 * largest.pairs * items * lanes),
                           plan.mesh.px);
}

Bytes longest_column_message(const ShallowWaterPlan& plan) {
    const Largest largest(plan);
    const std::int64_t fields = std::max(plan.inverse_fields(), plan.forward_fields());
    const std::int64_t levels = Partition(plan.levels, plan.mesh.py).size(0);
    switch (plan.legendre) {
        case LegendreMethod::sum:
            return bytes(6 * largest.coefficients * plan.levels);
        case LegendreMethod::ring:
            // Blocks of whole levels are at least as long as those of equal length.
            return bytes(6 * largest.coefficients * levels);
        case LegendreMethod::transpose:
            break;
    }
    const Bytes block = bytes(4 * fields * largest.waves * largest.pairs * levels);
    return longest_message(*plan.legendre_transpose.algorithm, block, plan.mesh.py);
}

Channels::Channels(Comm& row, Comm& column, const ShallowWaterPlan& plan, bool has_data)
    : fft(plan.fft),
      legendre_transpose(plan.legendre_transpose),
      legendre_sum(plan.legendre_sum.options) {
    PutChannel* const by_row =
        row_transport(plan) == Transport::puts
            ? open_channel(row, Transport::puts, longest_row_message(plan), has_data)
            : nullptr;
    PutChannel* const by_column =
        column_transport(plan) == Transport::puts
            ? open_channel(column, Transport::puts, longest_column_message(plan), has_data)
            : nullptr;
    fft.options.channel = by_row;
    legendre_transpose.options.channel = by_column;
    legendre_sum.channel = by_column;
    in_row = Delivery(plan.dfft_options.protocol, by_row);
    in_column = Delivery(plan.ring_options.protocol, by_column);
}

}  // namespace tradewind::pstswm
