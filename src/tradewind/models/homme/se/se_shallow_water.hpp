/// The stages of the shallow water equations by spectral elements, in vector-invariant form:
///
///     dv/dt = -(zeta + f) k x v - grad(|v|^2/2 + g h + Phi_s)
///     dh/dt = -div(v h)
///
/// Layers are independent copies. Source: Taylor, Tribbia and Iskandarani (1997).
#pragma once

#include "tradewind/models/homme/se/se_kernels.hpp"

namespace tradewind::homme {

/// Computes a stage. `result` may be `of`.
void se_shallow_water_stage(const SeDerivatives& d, const SeElement& element,
                            const VerticalGrid& column, const SeStage& stage,
                            const ConstElementFields& a, const ConstElementFields& b,
                            const ConstElementFields& of, const ElementFields& result);

/// Adds the assembled change by viscosity.
void se_shallow_water_add_viscosity(const SeElement& element, const VerticalGrid& column,
                                    const ConstElementFields& change, const ElementFields& fields);

}  // namespace tradewind::homme
