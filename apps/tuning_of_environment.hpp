/// TRADEWIND_TUNING: the tuning of programs whose settings name no other one.
#pragma once

#include <cstdlib>
#include <string>

#include "tradewind/comm/tuning/read_algorithm.hpp"
#include "tradewind/program/entry.hpp"

namespace tradewind {

/// Sets `tuning`, and the setting that may be "tuned", if the environment names a tuning and the
/// settings name neither another algorithm nor a tuning. Programs of phases need `tuning` alone.
inline void tune_by_environment(const ProgramEntry& program, Settings& settings) {
    const char* const tuning = std::getenv("TRADEWIND_TUNING");
    if (tuning == nullptr || *tuning == '\0' || settings.has("tuning")) return;
    const std::string key(program.tuned_setting);
    if (program.phases == nullptr) {
        if (key.empty() || settings.get<std::string>(key, std::string(tuned)) != tuned) return;
        settings.set(key, std::string(tuned));
    }
    settings.set("tuning", std::string(tuning));
}

}  // namespace tradewind
