/// Machines on which all messages wait for their receives, or none does, so that a wrong order of
/// calls deadlocks.
#pragma once

#include "counting_comm.hpp"
#include "support/machine.hpp"

namespace tradewind {

/// Returns a star without contention, on which messages of more than `eager_limit` bytes wait for
/// their receive.
inline Machine machine_with(Bytes eager_limit) {
    return [eager_limit](Rank ranks, const Program& program) {
        simcomm::Sections sections = support::star_machine(std::max<Rank>(ranks, 2));
        sections["message"].set("eager_limit", std::int64_t(eager_limit));
        sections["simulation"].set("network", std::string("analytic"));
        return simcomm::simulate(sections, program, ranks).run.time;
    };
}

inline constexpr Bytes no_eager = 0;
inline constexpr Bytes all_eager = 1 << 30;

}  // namespace tradewind
