/// Simulations that all processes of a test program share.
#pragma once

#include "support/machine.hpp"

namespace support {

/// Returns the group of all processes.
[[nodiscard]] sim::ProcessGroup& all_processes();

/// Returns the result of a simulation that all processes share; it is complete on the first
/// process.
[[nodiscard]] inline simcomm::RunResult run_jointly(const Sections& sections,
                                                    const Program& program, Rank ranks,
                                                    const simcomm::RunProgress& progress = {}) {
    return simcomm::simulate(sections, program, ranks, progress, &all_processes()).run;
}

/// Makes windows wide, so that a run needs few exchanges.
inline void slow_down_links(Sections& sections) {
    sections["link"].set("latency", std::int64_t{1'000'000});
}

[[nodiscard]] inline bool is_first_process() {
    return all_processes().process() == 0;
}

}  // namespace support
