/// Moments: integrals of a spectrum over frequency, with the tail above the last one.
///
///     integral of F(f) f^n df  =  sum of F_m f_m^n df_m  +  F_last f_last^(n+1) / (4 - n)
///
/// The tail is f^-5. The mean values are those of WAM: of 1/f, f, 1/sqrt(k) and sqrt(k).
#pragma once

#include <vector>

#include "tradewind/models/fvwam/dispersion.hpp"

namespace tradewind::fvwam {

/// Mean values of a spectrum.
struct Means {
    double energy;  // the variance in m2
    /// The mean frequency in Hz, E over the integral of F/f, and that with weight f.
    double frequency;
    double upper_frequency;
    /// The mean wave number in rad/m with weight 1/sqrt(k), and that with weight sqrt(k).
    double wave_number;
    double upper_wave_number;
};

/// The weights of moments. A spectrum is given as one number for each frequency, its integral over
/// directions in m2 s.
class Moments {
public:
    explicit Moments(const SpectralGrid& spectrum);

    [[nodiscard]] double energy(const double* spectrum) const;
    /// Returns the mean frequency in Hz, or 0 where there are no waves.
    [[nodiscard]] double mean_frequency(const double* spectrum) const;
    /// Returns the integral of F f^2 in m2/s2.
    [[nodiscard]] double second(const double* spectrum) const;
    template <class Real>
    [[nodiscard]] Means means(const double* spectrum, const WaterColumn<Real>& water) const;

private:
    [[nodiscard]] double sum(const std::vector<double>& weights, const double* spectrum) const;

    double last_;  // Hz
    /// The weights of F, F/f, F f and F f^2, with the tail in the last one.
    std::vector<double> plain_;
    std::vector<double> inverse_;
    std::vector<double> first_;
    std::vector<double> second_;
    std::vector<double> bandwidth_;
};

}  // namespace tradewind::fvwam
