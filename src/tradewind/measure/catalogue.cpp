/// The table of measurements.
#include "tradewind/comm/catalogue.hpp"
#include "tradewind/measure/measurements.hpp"

namespace tradewind::measure {

namespace {

constexpr std::string_view pingpong_keys[] = {"sizes", "repetitions", "warm_up", "payload"};
constexpr std::string_view collectives_keys[] = {"operation",   "algorithm", "radix",  "sizes",
                                                 "repetitions", "warm_up",   "payload"};
constexpr std::string_view overhead_keys[] = {"sizes", "repetitions", "warm_up", "payload"};
constexpr std::string_view overlap_keys[] = {"sizes", "repetitions", "warm_up", "payload"};

constexpr MeasurementEntry table[] = {
    {"pingpong", "half round trip between rank 0 and the last rank, by kind of send", pingpong_keys,
     make_pingpong},
    {"collectives", "every algorithm of an operation, beside the library's own", collectives_keys,
     make_collectives},
    {"overhead", "processor time of a send and of a receive, and how fast messages follow",
     overhead_keys, make_overhead},
    {"overlap", "what of a message computation can hide (Sandia host overhead)", overlap_keys,
     make_overlap},
};

}  // namespace

std::span<const MeasurementEntry> measurements() {
    return table;
}

const MeasurementEntry& measurement(std::string_view name) {
    return find_algorithm(measurements(), "measurements", name);
}

}  // namespace tradewind::measure
