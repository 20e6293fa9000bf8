/// Checks of settings that plans of several models make.
#pragma once

#include <cmath>
#include <initializer_list>
#include <string_view>

#include "tradewind/base/setting.hpp"

namespace tradewind {

/// Throws ConfigError if a setting is given that `choice` of a program does not have.
inline void refuse_given(std::string_view program, const Settings& settings,
                         std::string_view choice,
                         std::initializer_list<const Declaration*> others) {
    for (const Declaration* const other : others) {
        if (!settings.has(other->name())) continue;
        throw ConfigError(text(program, ": ", choice, " has no ", other->key));
    }
}

/// Returns the number of time steps of `step` seconds in `length` seconds. Throws ConfigError, with
/// the value of the setting as it was given, unless it is whole.
[[nodiscard]] inline std::int64_t whole_steps(double length, double step,
                                              const Declaration& setting, double value) {
    const double count = std::round(length / step);
    if (count >= 1 && std::abs(count * step - length) <= 1e-9 * length) return std::int64_t(count);
    throw ConfigError(
        text(setting.key, " = ", value, ": expected a multiple of the time step, ", step, " s"));
}

}  // namespace tradewind
