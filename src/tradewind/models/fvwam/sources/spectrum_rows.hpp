/// Copies between a spectrum and rows in work memory.
#pragma once

#include <vector>

#include "tradewind/models/fvwam/sources/rows.hpp"

namespace tradewind::fvwam {

/// Values in m2 s/rad below this, waves of a hundredth of a millimetre, are read as 0. In single
/// precision, products of them would be subnormal, which slows processors down.
inline constexpr double least_density = 1e-8;

/// Copies a spectrum, value[m * directions + k], to rows with halos, and computes the sum over
/// directions of each frequency.
void read_spectrum(const float* values, Rows<float>& rows, std::vector<double>& sums);
void read_spectrum(const double* values, Rows<double>& rows, std::vector<double>& sums);

/// Copies rows to a spectrum.
void write_spectrum(const Rows<float>& rows, float* values);
void write_spectrum(const Rows<double>& rows, double* values);

/// Multiplies rows by a factor, in the halos as well.
void scale_rows(Rows<float>& rows, double factor);
void scale_rows(Rows<double>& rows, double factor);

}  // namespace tradewind::fvwam
