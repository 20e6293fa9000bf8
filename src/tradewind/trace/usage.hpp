/// The collective operations of a trace whose algorithm one can choose.
#pragma once

#include <compare>
#include <string_view>
#include <vector>

#include "tradewind/comm/tuning/use.hpp"
#include "tradewind/trace/call.hpp"
#include "tradewind/trace/trace.hpp"

namespace tradewind::trace {

/// The calls that get one choice of a tuning. All ranks of a call find the same group.
struct CallGroup {
    /// The name of the operation; empty for calls that no tuning chooses for.
    std::string_view operation;
    Rank ranks = 1;
    /// The bytes of an allreduce or alltoall, which all ranks pass; those of other calls differ by
    /// rank, so that they have -1.
    Bytes bytes = -1;

    [[nodiscard]] auto operator<=>(const CallGroup&) const = default;
};

/// The calls of a group in a trace.
struct GroupUse {
    CallGroup group;
    /// The mean bytes of a vector, block or message.
    Bytes bytes = 0;
    /// The most calls of any rank.
    std::int64_t most_calls = 0;
};

/// Returns the group of a call on a communicator of so many ranks.
[[nodiscard]] CallGroup group_of(Call call, Numbers arguments, Rank ranks) noexcept;

/// Returns the groups that occur, in the order of operation, ranks and bytes.
[[nodiscard]] std::vector<GroupUse> groups_of(const TraceView& trace);

/// Returns what a tuning is to choose: at most eight groups of each operation, those with most
/// bytes. Groups whose bytes are within a factor of 1.5 are one.
[[nodiscard]] std::vector<OperationUse> operations_of(const TraceView& trace);

}  // namespace tradewind::trace
