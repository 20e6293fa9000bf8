/// The return of Lagrangian layers to the reference levels.
#pragma once

#include "tradewind/models/homme/fields.hpp"
#include "tradewind/models/homme/levels.hpp"

namespace tradewind::homme {

/// Remaps wind and temperature of all columns to the reference levels of their surface pressure by
/// monotone piecewise parabolas. Mass, momentum and enthalpy of every column are conserved.
/// Source: Colella and Woodward (1984), equations 1.6 to 1.10.
class Remap {
public:
    explicit Remap(HybridLevels levels);
    void apply(Fields& fields);

private:
    HybridLevels levels_;
    /// Four columns, the parabolas in their layers, and the result.
    LaneVector work_;
};

}  // namespace tradewind::homme
