/// The table of measurements.
#include "tradewind/comm/catalogue.hpp"
#include "tradewind/measure/measurements.hpp"

namespace tradewind::measure {

namespace {

constexpr std::string_view pingpong_keys[] = {"sizes", "repetitions", "warm_up", "payload"};
constexpr std::string_view swap_keys[] = {"transport",   "protocol", "swaps",  "sizes",
                                          "repetitions", "warm_up",  "payload"};
constexpr std::string_view collectives_keys[] = {"operation",   "algorithm", "radix",  "sizes",
                                                 "repetitions", "warm_up",   "payload"};
constexpr std::string_view neighbor_keys[] = {"processes", "neighbors",   "edges",   "algorithm",
                                              "sizes",     "repetitions", "warm_up", "payload"};
constexpr std::string_view overhead_keys[] = {"sizes", "repetitions", "warm_up", "payload"};
constexpr std::string_view overlap_keys[] = {"sizes", "repetitions", "warm_up", "payload"};

constexpr MeasurementEntry table[] = {
    {"pingpong", "half round trip between rank 0 and the last rank, by kind of send", pingpong_keys,
     make_pingpong},
    {"swap", "exchange between two neighbouring ranks, by every protocol of worley1998", swap_keys,
     make_swap},
    {"collectives", "every algorithm of an operation, beside that of the MPI library",
     collectives_keys, make_collectives},
    {"overhead", "processor time of a send and of a receive, and the message rate", overhead_keys,
     make_overhead},
    {"overlap", "how much of a message's time computation can hide (Sandia host overhead)",
     overlap_keys, make_overlap},
    {"neighbor", "messages along a graph of ranks, beside those of the MPI library", neighbor_keys,
     make_neighbor},
};

}  // namespace

Program MeasurementEntry::make(const Settings& settings, Rank ranks,
                               std::span<const Native> natives, Rows& rows) const {
    refuse_unknown(name, settings, keys);
    return prepare(settings, ranks, natives, rows);
}

std::span<const MeasurementEntry> measurements() {
    return table;
}

const MeasurementEntry& measurement(std::string_view name) {
    return find_algorithm(measurements(), "measurements", name);
}

}  // namespace tradewind::measure
