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
    void apply_to_column(double* u, double* v, double* t, double* dp);
    /// Computes the parabolas of the layers and the sums of the layers above each interface.
    void fit();
    /// Sets the ghost layers beyond top and ground to mirror images.
    void mirror();

    static constexpr std::int64_t ghosts = 2;

    HybridLevels levels_;
    /// Thicknesses and means of u, v, T of the layers, with ghosts on both sides.
    std::vector<double> thickness_;
    LaneVector mean_;
    LaneVector slope_;
    /// Values at the upper and lower interface of each layer, and integrals above it.
    LaneVector upper_;
    LaneVector lower_;
    LaneVector above_;
};

}  // namespace tradewind::homme
