/// The stages of the shallow water equations by discontinuous Galerkin.
///
/// The equations are those of se_shallow_water.hpp, the fluxes those of dg_kernels.hpp.
/// Source: Nair, Thomas and Loft (2005).
#pragma once

#include "tradewind/models/homme/dg/dg_kernels.hpp"

namespace tradewind::homme {

/// Computes a stage from the fields and the traces of the neighbours. `gradients` and their traces
/// are read if there is viscosity. `result` may be `of`.
void dg_shallow_water_stage(const DgDerivatives& d, const DgElement& element,
                            const VerticalGrid& column, const DgStage& stage,
                            const ConstElementFields& a, const ConstElementFields& of,
                            const ConstElementFields& traces, const ConstElementFields& gradients,
                            const ConstElementFields& gradient_traces, const ElementFields& result);

}  // namespace tradewind::homme
