/// TRADEWIND_TUNING: the tuning of programs whose settings name no other one.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include "tradewind/comm/tuning/read_algorithm.hpp"

namespace tradewind {

/// Sets `choice`, the setting that may be "tuned", and `tuning`, if the environment names a tuning
/// and the settings name neither another algorithm nor a tuning.
inline void tune_by_environment(std::string_view choice, Settings& settings) {
    const char* const tuning = std::getenv("TRADEWIND_TUNING");
    const std::string key(choice);
    if (tuning == nullptr || *tuning == '\0' || key.empty() || settings.has("tuning")) return;
    if (settings.get<std::string>(key, std::string(tuned)) != tuned) return;
    settings.set(key, std::string(tuned));
    settings.set("tuning", std::string(tuning));
}

}  // namespace tradewind
