/// A cell of the sea for tests of waves.
#pragma once

#include <vector>

#include "tradewind/models/fvwam/sources/initial_spectrum.hpp"
#include "tradewind/models/fvwam/sources/integrals.hpp"
#include "tradewind/models/fvwam/sources/source_terms.hpp"

/// The size of a spectrum.
struct SpectrumSize {
    std::int64_t directions;
    std::int64_t frequencies;
};

/// One cell with its spectrum, zero at first, and source terms of its own.
template <class Real>
struct WaveCell {
    WaveCell(const SpectrumSize& size, tradewind::fvwam::Physics physics, double step, double depth)
        : spectrum(size.directions, size.frequencies, size.frequencies > 30 ? 0.03715 : 0.042, 1.1),
          table(spectrum, 1.1),
          water(table.column(table.bin(depth))),
          source_terms(spectrum, physics, step),
          values(std::size_t(spectrum.size())) {}

    /// Sets the spectrum of a wind and 30 km, times a factor.
    void set_jonswap(const tradewind::fvwam::Wind& wind, double factor) {
        tradewind::fvwam::set_jonswap(spectrum, wind, tradewind::fvwam::default_fetch,
                                      values.data());
        for (Real& value : values) value *= Real(factor);
    }
    void advance(const tradewind::fvwam::Wind& wind) {
        source_terms.advance(values.data(), water, wind, roughness);
    }
    [[nodiscard]] tradewind::fvwam::SeaState state() const {
        return tradewind::fvwam::sea_state(spectrum, values.data());
    }

    tradewind::fvwam::SpectralGrid spectrum;
    tradewind::fvwam::DepthTable<Real> table;
    tradewind::fvwam::WaterColumn<Real> water;
    tradewind::fvwam::SourceTerms<Real> source_terms;
    tradewind::fvwam::Roughness<Real> roughness;
    std::vector<Real> values;
};
