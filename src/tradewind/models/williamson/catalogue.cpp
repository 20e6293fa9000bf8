/// The table of test cases.
#include <algorithm>
#include <cmath>

#include "tradewind/models/williamson/cases.hpp"

namespace tradewind::williamson {

namespace {

constexpr CaseEntry table[] = {
    {1, "cosine bell carried by solid rotation", make_case1, true, 12},
    {2, "steady solid rotation in geostrophic balance", make_case2, true, 5},
    {3, "steady jet with compact support", make_case3, true, 5},
    {4, "forced low travelling in a zonal flow", make_case4, false, 5},
    {5, "zonal flow over an isolated mountain", make_case5, false, 15},
    {6, "Rossby-Haurwitz wave of wavenumber 4", make_case6, false, 14},
};

}  // namespace

double TestCase::coriolis(LonLat at) const {
    return 2 * rotation * std::sin(at.theta);
}

std::span<const CaseEntry> test_cases() {
    return table;
}

const CaseEntry& test_case(std::int64_t number) {
    const auto found = std::ranges::find(table, number, &CaseEntry::number);
    if (found != std::end(table)) return *found;
    if (number == 7) {
        throw ConfigError(
            "case = 7 starts from observed 500 hPa fields, which are not part of this program; "
            "known are: 1..6");
    }
    throw ConfigError(text("case = ", number, " is unknown; known are: 1..6"));
}

std::unique_ptr<TestCase> make_test_case(std::int64_t number, double alpha) {
    const CaseEntry& entry = test_case(number);
    if (!std::isfinite(alpha) || (alpha != 0.0 && !entry.takes_alpha)) {
        throw ConfigError(text("alpha = ", alpha, " radians: case ", number,
                               " is not turned; a finite angle is allowed in cases 1, 2 and 3"));
    }
    return entry.make(alpha);
}

}  // namespace tradewind::williamson
