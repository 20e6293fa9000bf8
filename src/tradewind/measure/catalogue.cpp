/// The table of measurements.
#include "tradewind/comm/catalogue.hpp"
#include "tradewind/measure/measurement.hpp"

namespace tradewind::measure {

#define MEASUREMENT(entry) extern const MeasurementEntry entry;
#include "tradewind/measure/measurements.def"
#undef MEASUREMENT

Program MeasurementEntry::make(const Settings& given, Rank ranks, const Platform& platform,
                               Rows& rows) const {
    refuse_unknown(name, given, {settings});
    return prepare(given, ranks, platform, rows);
}

std::span<const MeasurementEntry> measurements() {
#define MEASUREMENT(entry) entry,
    static const MeasurementEntry table[] = {
#include "tradewind/measure/measurements.def"
    };
#undef MEASUREMENT
    return table;
}

const MeasurementEntry& measurement(std::string_view name) {
    return find_algorithm(measurements(), "measurements", name);
}

}  // namespace tradewind::measure
