/// PhaseClock: the phase that a simulated rank is in, and since when.
#pragma once

#include <cstdint>

#include "tradewind/simcomm/rank/rank_context.hpp"

namespace tradewind::simcomm {

class PhaseClock {
public:
    /// Ends the phase and begins another one.
    void begin(const RankContext& rank, const char* name, Picoseconds now) {
        end(rank, now);
        phase_ = rank.log().phase_index(*rank.worker, name);
        if (CriticalPath* const path = rank.path(); path != nullptr) [[unlikely]]
            path->enter_phase(rank.rank, phase_);
        start_ = now;
    }
    void end(const RankContext& rank, Picoseconds now) {
        if (phase_ >= 0) rank.log().add_phase(*rank.worker, {rank.rank, phase_, start_, now});
        phase_ = -1;
    }

    /// Returns the number of the phase among those of the rank's worker; -1: there is none.
    [[nodiscard]] std::int32_t phase() const noexcept { return phase_; }

private:
    Picoseconds start_ = 0;
    std::int32_t phase_ = -1;
};

}  // namespace tradewind::simcomm
