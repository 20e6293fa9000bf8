/// Channels: what the messages of a rank's row and column need where puts carry them.
#pragma once

#include "tradewind/models/pstswm/plan.hpp"

namespace tradewind::pstswm {

/// Bytes of the longest message that any rank sends in its row, or in its column.
[[nodiscard]] Bytes longest_row_message(const Plan& plan);
[[nodiscard]] Bytes longest_column_message(const Plan& plan);

/// The options of all exchanges of one rank, with their channels; the plan has none, it is shared.
struct Channels {
    /// Collective, if puts are asked for.
    Channels(Comm& row, Comm& column, const Plan& plan, bool has_data);

    AlltoallvChoice fft;
    AlltoallvChoice legendre_transpose;
    Options legendre_sum;
    /// Of what is no operation of a table: dfft and the ring.
    Delivery in_row;
    Delivery in_column;
};

}  // namespace tradewind::pstswm
