/// Channels: the memory windows of a rank's row and column when messages are sent as puts.
#pragma once

#include "tradewind/models/pstswm/plan.hpp"

namespace tradewind::pstswm {

/// Returns the bytes of the longest message that any rank sends in its row.
[[nodiscard]] Bytes longest_row_message(const ShallowWaterPlan& plan);
/// Returns the bytes of the longest message that any rank sends in its column.
[[nodiscard]] Bytes longest_column_message(const ShallowWaterPlan& plan);

/// The options of all exchanges of one rank, with their channels. The plan is shared by the ranks
/// and has none.
struct Channels {
    /// Opens the channels; collective if puts are asked for.
    Channels(Comm& row, Comm& column, const ShallowWaterPlan& plan, bool has_data);

    AlltoallvChoice fft;
    AlltoallvChoice legendre_transpose;
    Options legendre_sum;
    /// The delivery of messages outside the tables of operations: dfft and the ring.
    Delivery in_row;
    Delivery in_column;
};

}  // namespace tradewind::pstswm
