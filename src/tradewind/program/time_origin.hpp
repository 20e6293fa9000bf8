/// TimeOrigin: the date at which a run begins, where its forcing has dates.
#pragma once

#include <string>

namespace tradewind {

/// A time as CF has it, such as 6 hours since 2024-04-15 00:00:00 in the standard calendar.
struct TimeOrigin {
    /// The date that the unit of the forcing's time names; empty: there is none.
    std::string since;
    /// The calendar of CF; empty: the standard one.
    std::string calendar;
    /// The beginning of the run after that date.
    double start_s = 0.0;
};

}  // namespace tradewind
