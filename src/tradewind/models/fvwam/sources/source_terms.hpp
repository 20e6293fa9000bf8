/// The source terms of a cell: wind input, whitecapping, interactions of four waves, bottom
/// friction and breaking, integrated over one step.
///
/// The order is that of WAM: limit the energy by the depth; mean values; stress of the wind, input
/// and the stress that waves take up; both again with the new stress; whitecapping; interactions;
/// bottom friction and breaking; the update; the tail above the cut-off.
///
/// Whatever a cell keeps from step to step is in its spectrum and its Roughness, so that results do
/// not depend on which object computes it.
/// Sources: pang2025, section 2.1, and komen1994.
#pragma once

#include <memory>

#include "tradewind/models/fvwam/dispersion.hpp"
#include "tradewind/models/fvwam/sources/physics.hpp"

namespace tradewind::fvwam {

/// Throws ConfigError unless a spectrum has the 12 directions and 8 frequencies that source terms
/// need at least.
void check_source_spectrum(const SpectralGrid& spectrum);

template <class Real>
class SourceTerms {
public:
    /// Makes tables and work memory for one rank. The time step is in s; the drag coefficient of
    /// the wind is at most `largest_drag`. Throws ConfigError unless there are at least 12
    /// directions and 8 frequencies, and the time step is positive.
    SourceTerms(const SpectralGrid& spectrum, Physics physics, double time_step,
                double largest_drag = 1.0);
    ~SourceTerms();
    SourceTerms(SourceTerms&&) noexcept;
    SourceTerms& operator=(SourceTerms&&) noexcept;
    SourceTerms(const SourceTerms&) = delete;
    SourceTerms& operator=(const SourceTerms&) = delete;

    /// Integrates the spectrum of a cell over one time step: value[m * directions + k], in
    /// m2 s/rad and not negative.
    void advance(Real* values, const WaterColumn<Real>& water, const Wind& wind,
                 Roughness<Real>& roughness);

private:
    struct Work;
    std::unique_ptr<Work> work_;
};

extern template class SourceTerms<float>;
extern template class SourceTerms<double>;

}  // namespace tradewind::fvwam
