/// The table of programs whose ranks do not match.
#pragma once

#include <span>

#include "tradewind/comm/comm.hpp"

namespace tradewind {

struct MismatchedProgram {
    const char* name;
    Rank ranks;
    /// Regular expressions of lines that the job prints, separated by newlines.
    const char* expected;
    void (*run)(Comm& world);
};

[[nodiscard]] std::span<const MismatchedProgram> mismatched_programs();

}  // namespace tradewind
