/// HommePlan: everything that is fixed before a run, checked.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tradewind/base/settings.hpp"
#include "tradewind/models/homme/fields.hpp"
#include "tradewind/models/homme/initial_state.hpp"
#include "tradewind/models/homme/levels.hpp"
#include "tradewind/models/homme/mesh/geometry.hpp"
#include "tradewind/models/homme/mesh/output_grid.hpp"
#include "tradewind/models/homme/mesh/partition.hpp"
#include "tradewind/models/homme/stability.hpp"
#include "tradewind/models/williamson/test_case.hpp"

namespace tradewind::homme {

/// The flow of the beginning, and with it the equations: the first two are of the primitive
/// equations, the others of shallow water.
enum class FlowCase : std::uint8_t {
    baroclinic_wave,
    steady,
    williamson2,
    williamson3,
    williamson5,
    williamson6
};

/// The discretisation: spectral elements or discontinuous Galerkin.
enum class Discretisation : std::uint8_t { spectral_elements, discontinuous_galerkin };

/// Everything about a run; all ranks share one object.
struct HommePlan {
    HommePlan(std::int64_t ne, int np, Rank ranks)
        : mesh(ne), rule(np), geometry(mesh, rule), partition(mesh.elements(), ranks) {}
    HommePlan(const HommePlan&) = delete;
    HommePlan& operator=(const HommePlan&) = delete;

    CubedSphere mesh;
    GaussLobatto rule;
    CubeGeometry geometry;
    /// The elements of each rank; by default the curve is cut into parts.
    ItemPartition partition;
    FlowCase flow = FlowCase::baroclinic_wave;
    /// The case of the shallow water equations; null with the primitive equations.
    std::shared_ptr<const williamson::TestCase> shallow_water;
    /// The levels of the primitive equations.
    HybridLevels levels;
    /// The number of levels, or of independent layers of shallow water.
    std::int64_t layers = 26;
    /// The speed of the fastest waves that the steps must resolve.
    double fastest_wave = external_wave;  // m/s
    double time_step = 600.0;             // s
    std::int64_t steps = 1;
    std::int64_t output_every = 0;
    Discretisation method = Discretisation::spectral_elements;
    std::int64_t remap_every = 3;
    std::int64_t viscosity_steps = 3;
    double hyperviscosity = 0.0;   // m4/s
    double top_viscosity = 2.5e5;  // m2/s
    /// The speed of gravity waves in the fluxes of discontinuous Galerkin, and its viscosity.
    double wave_speed = 0.0;           // m/s
    double viscosity = 0.0;            // m2/s
    double largest_stable_step = 0.0;  // s
    /// The filter of discontinuous Galerkin: the time in which it damps the highest polynomials to
    /// 1/e, or 0 for none, and its order.
    double filter_time = 0.0;  // s
    double filter_order = 0.0;
    Connectivity connectivity = Connectivity::edges_and_corners;
    /// True if work that needs no neighbour is done between send and receive.
    bool overlaps = false;
    MeshExchangeOptions exchange;
    std::int64_t longitudes = 0;
    std::int64_t latitudes = 0;
    /// True if the fields are also shown at the points of the elements.
    bool shows_points = false;
    /// The points of the grid in the elements, of a run with data.
    std::optional<OutputGrid> grid;

    [[nodiscard]] Rank ranks() const noexcept { return partition.parts(); }
    /// Returns the number of prognostic fields.
    [[nodiscard]] std::size_t fields() const noexcept { return shallow_water ? 3 : most_fields; }
    [[nodiscard]] double radius() const noexcept;  // m
    /// Returns the Coriolis parameter in 1/s and the geopotential of the ground in m2/s2.
    [[nodiscard]] double coriolis(const PointGeometry& point) const;
    [[nodiscard]] double surface_geopotential(const PointGeometry& point) const;
    [[nodiscard]] JablonowskiWilliamson initial_flow() const;
    [[nodiscard]] double latitude_deg(std::int64_t j) const {
        return -90.0 + 180.0 * (double(j) + 0.5) / double(latitudes);
    }
    [[nodiscard]] double longitude_deg(std::int64_t i) const {
        return 360.0 * double(i) / double(longitudes);
    }
    [[nodiscard]] bool is_output_step(std::int64_t step) const noexcept {
        return step == steps || (output_every > 0 && step % output_every == 0);
    }
};

/// Returns the longitude, from 0 to 2 pi, and the latitude of a point.
[[nodiscard]] williamson::LonLat lon_lat(const PointGeometry& point);

/// Reads a plan from the settings of settings.hpp. Throws ConfigError, also for more ranks than
/// elements and for steps that would be unstable. Without `steps` and `days` there is one step.
[[nodiscard]] std::shared_ptr<const HommePlan> make_plan(const Settings& settings, Rank ranks);
/// Reads the plan of a run with data. Without `steps` and `days` it has the length of the case.
[[nodiscard]] std::shared_ptr<const HommePlan> make_run_plan(const Settings& settings, Rank ranks);

}  // namespace tradewind::homme
