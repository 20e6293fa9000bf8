/// HommePlan: everything that is fixed before a run, checked.
#pragma once

#include <memory>
#include <string>

#include "tradewind/base/settings.hpp"
#include "tradewind/models/homme/initial_state.hpp"
#include "tradewind/models/homme/levels.hpp"
#include "tradewind/models/homme/mesh/geometry.hpp"
#include "tradewind/models/homme/mesh/partition.hpp"

namespace tradewind::homme {

/// The flow of the beginning.
enum class FlowCase : std::uint8_t { baroclinic_wave, steady };

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
    /// The elements of the curve, cut into parts for the ranks.
    Partition partition;
    HybridLevels levels;
    FlowCase flow = FlowCase::baroclinic_wave;
    double time_step = 600.0;  // s
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
    MeshSchedule schedule = MeshSchedule::synchronous;
    MeshOrder order = MeshOrder::fixed;
    Connectivity connectivity = Connectivity::edges_and_corners;
    /// True if work that needs no neighbour is done between send and receive.
    bool overlaps = false;
    std::string algorithm;
    Options options;
    std::int64_t longitudes = 0;
    std::int64_t latitudes = 0;

    [[nodiscard]] Rank ranks() const noexcept { return partition.parts(); }
    [[nodiscard]] JablonowskiWilliamson initial_flow() const;
    [[nodiscard]] MeshExchangeOptions exchange_options() const;
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

/// Reads a plan from the settings of settings.hpp. Throws ConfigError, also for more ranks than
/// elements and for steps that would be unstable.
[[nodiscard]] std::shared_ptr<const HommePlan> make_plan(const Settings& settings, Rank ranks);

}  // namespace tradewind::homme
