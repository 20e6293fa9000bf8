/// The baroclinic wave of Jablonowski and Williamson (2006) and the balanced flow that it perturbs.
#pragma once

namespace tradewind::homme {

/// Parameters of the flow; constants of the planet are those of constants.hpp unless given.
struct JablonowskiWilliamson {
    double radius;
    double rotation;
    double gas_constant;
    double gravity;
    /// True with the perturbation of the wind at 20 E, 40 N.
    bool is_perturbed = true;

    /// Returns the wind to the east in m/s at the height eta = p / ps; there is none to the north.
    [[nodiscard]] double wind(double longitude, double latitude, double eta) const;
    /// Returns the temperature in K.
    [[nodiscard]] double temperature(double latitude, double eta) const;
    /// Returns the geopotential of the ground in m2/s2. The surface pressure is 1000 hPa
    /// everywhere.
    [[nodiscard]] double surface_geopotential(double latitude) const;
};

}  // namespace tradewind::homme
