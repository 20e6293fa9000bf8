/// Local work: copies and sums, timed between messages, as algorithms make them.
#pragma once

#include "tradewind/measure/timing.hpp"

namespace tradewind::measure {

/// Adds rows for 4 KiB to 4 MiB. Before each repetition the ranks pass a vector of that size round
/// their ring, so that the caches are in the state that an algorithm finds. Then all ranks
///
///     sum          add the arrived vector to the sent one
///     copy         copy the arrived vector to memory of their own
///     copy_sent    copy from there over the sent vector
///     copy_rows    do the same as copy, in rows of `local_row` bytes
Task time_local_work(Comm& comm, Repetitions repetitions, bool payload, Rows* rows);

constexpr Bytes local_row = 32;

}  // namespace tradewind::measure
