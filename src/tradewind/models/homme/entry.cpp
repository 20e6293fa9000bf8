/// The dynamical core as a program: its messages alone, or a run with data.
#include <algorithm>
#include <map>
#include <numbers>
#include <utility>

#include "tradewind/models/homme/exchange.hpp"
#include "tradewind/models/homme/memory.hpp"
#include "tradewind/models/homme/run.hpp"
#include "tradewind/models/homme/settings.hpp"
#include "tradewind/program/model_run.hpp"

namespace tradewind::homme {

namespace {

constexpr double pascals_per_hectopascal = 100.0;
/// The most elements whose graph is made, which takes a few hundred bytes each.
constexpr std::int64_t most_items = 2'000'000;

[[nodiscard]] std::vector<Number> shallow_water_numbers(const CoreDiagnostics& found) {
    std::vector<Number> numbers = {
        {"mass_m", "mean depth", "m", found.mean},
        {"energy_m3_s2", "mean total energy", "m3 s-2", found.total_energy},
        {"potential_enstrophy_1_m_s2", "mean potential enstrophy", "m-1 s-2",
         found.potential_enstrophy},
        {"lowest_depth_m", "least depth", "m", found.lowest, false},
        {"highest_depth_m", "greatest depth", "m", found.highest, false},
        {"fastest_wind_m_s", "fastest wind", "m s-1", found.fastest_wind}};
    if (found.errors) williamson::append(*found.errors, numbers);
    return numbers;
}

[[nodiscard]] std::vector<Number> column_numbers(const CoreDiagnostics& found) {
    const auto in_hpa = [](double pascals) { return pascals / pascals_per_hectopascal; };
    return {{"lowest_pressure_hpa", "lowest surface pressure", "hPa", in_hpa(found.lowest)},
            {"lowest_pressure_longitude_deg", "its longitude", "degrees_east",
             found.lowest_longitude, false},
            {"lowest_pressure_latitude_deg", "its latitude", "degrees_north", found.lowest_latitude,
             false},
            {"highest_pressure_hpa", "highest surface pressure", "hPa", in_hpa(found.highest)},
            {"mean_pressure_hpa", "mean surface pressure", "hPa", in_hpa(found.mean)},
            {"kinetic_energy_j_m2", "kinetic energy", "J m-2", found.kinetic_energy},
            {"total_energy_j_m2", "total energy", "J m-2", found.total_energy},
            {"fastest_wind_m_s", "fastest wind", "m s-1", found.fastest_wind}};
}

[[nodiscard]] std::vector<double> range(std::int64_t count, const auto& value) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(value(i));
    return values;
}

/// Adds the zonal means of the primitive equations and their levels.
void add_zonal_means(const HommePlan& plan, Outline& outline) {
    outline.axes.push_back({"lev", "level_hpa", "hPa", "", "reference pressure of the level", "Z",
                            range(plan.layers, [&](std::int64_t k) {
                                return plan.levels.middle(k) * reference_pressure /
                                       pascals_per_hectopascal;
                            })});
    const std::vector<std::string_view> section{"lev", "lat"};
    outline.fields.push_back({"zonal_mean_east_wind_m_s", "u_mean", "m s-1", "eastward_wind",
                              "zonal mean of the eastward wind", section, "lon: mean"});
    outline.fields.push_back({"zonal_mean_temperature_k", "t_mean", "K", "air_temperature",
                              "zonal mean of the temperature", section, "lon: mean"});
}

/// The names of the shown fields at the points of the elements, in files and results.
struct PointNames {
    std::string_view shown;
    std::string_view name;
    std::string_view variable;
};
constexpr PointNames names_at_points[] = {
    {"ps", "surface_pressure_at_points_hpa", "ps_points"},
    {"t850", "temperature_850_at_points_k", "t850_points"},
    {"u850", "east_wind_850_at_points_m_s", "u850_points"},
    {"v850", "north_wind_850_at_points_m_s", "v850_points"},
    {"vorticity850", "vorticity_850_at_points_1_s", "vorticity850_points"},
    {"h", "depth_at_points_m", "h_points"},
    {"u", "east_wind_at_points_m_s", "u_points"},
    {"v", "north_wind_at_points_m_s", "v_points"},
    {"vorticity", "vorticity_at_points_1_s", "vorticity_points"}};

/// Returns the points of the elements as nodes; neighbours have their own ones. The quadrilaterals
/// between the points are the faces.
[[nodiscard]] MeshTopology points_of(const HommePlan& plan) {
    const int np = plan.rule.count();
    MeshTopology mesh;
    mesh.faces_are = "quadrilaterals between the points of the elements";
    mesh.nodes_per_face = 4;
    for (std::int64_t e = 0; e < plan.mesh.elements(); ++e) {
        for (int p = 0; p < np * np; ++p) {
            const williamson::LonLat at = lon_lat(plan.geometry.point(e, p % np, p / np));
            mesh.longitudes.push_back(at.lambda * 180 / std::numbers::pi);
            mesh.latitudes.push_back(at.theta * 180 / std::numbers::pi);
        }
        for (int j = 0; j + 1 < np; ++j) {
            for (int i = 0; i + 1 < np; ++i) {
                const auto first = double(e * np * np + j * np + i);
                for (const int step : {0, 1, np + 1, np}) mesh.face_nodes.push_back(first + step);
            }
        }
    }
    return mesh;
}

/// Adds the shown fields once more, at the points of the elements.
void add_points(const HommePlan& plan, Outline& outline) {
    outline.mesh = points_of(plan);
    for (std::size_t i = 0; i < shown_fields(plan); ++i) {
        FieldInfo field = outline.fields[i];
        const auto* const names =
            std::ranges::find(names_at_points, field.variable, &PointNames::shown);
        field.name = names->name;
        field.variable = names->variable;
        field.dimensions = {node_dimension};
        outline.fields.push_back(field);
    }
}

[[nodiscard]] Outline outline_of(const HommePlan& plan) {
    Outline outline;
    const bool is_shallow = bool(plan.shallow_water);
    outline.model = is_shallow ? "shallow water equations on the cubed sphere"
                               : "hydrostatic dynamical core on the cubed sphere";
    outline.references = is_shallow ? "Williamson et al. 1992; Jamroz and Klofkorn 2016"
                                    : "Dennis et al. 2012; Jamroz and Klofkorn 2016";
    outline.processes = {plan.ranks(), 1};
    outline.steps = plan.steps;
    outline.time_step_s = plan.time_step;
    const std::vector<double> latitudes =
        range(plan.latitudes, [&](std::int64_t j) { return plan.latitude_deg(j); });
    outline.axes = {
        {"lat", "latitude_deg", "degrees_north", "latitude", "latitude", "Y", latitudes},
        {"lon", "longitude_deg", "degrees_east", "longitude", "longitude", "X",
         range(plan.longitudes, [&](std::int64_t i) { return plan.longitude_deg(i); })}};
    const std::vector<std::string_view> grid{"lat", "lon"};
    outline.fields = {
        {"surface_pressure_hpa", "ps", "hPa", "surface_air_pressure", "surface pressure", grid},
        {"temperature_850_k", "t850", "K", "air_temperature", "temperature at 850 hPa", grid},
        {"east_wind_850_m_s", "u850", "m s-1", "eastward_wind", "eastward wind at 850 hPa", grid},
        {"north_wind_850_m_s", "v850", "m s-1", "northward_wind", "northward wind at 850 hPa",
         grid},
        {"vorticity_850_1_s", "vorticity850", "s-1", "atmosphere_relative_vorticity",
         "relative vorticity at 850 hPa", grid}};
    if (is_shallow) {
        outline.fields = {
            {"depth_m", "h", "m", "", "depth of the fluid", grid},
            {"east_wind_m_s", "u", "m s-1", "eastward_wind", "eastward wind", grid},
            {"north_wind_m_s", "v", "m s-1", "northward_wind", "northward wind", grid},
            {"vorticity_1_s", "vorticity", "s-1", "atmosphere_relative_vorticity",
             "relative vorticity", grid}};
    } else {
        add_zonal_means(plan, outline);
    }
    if (plan.shows_points) add_points(plan, outline);
    outline.numbers = {
        {"largest_stable_step_s", "largest stable time step", "s", plan.largest_stable_step}};
    return outline;
}

class CoreRun final : public ModelRun {
public:
    explicit CoreRun(std::shared_ptr<const HommePlan> plan)
        : plan_(std::move(plan)), outline_(outline_of(*plan_)) {}

    [[nodiscard]] const Outline& outline() const noexcept override { return outline_; }
    Task run(Comm& comm, RunObserver& observer, const Checkpoints& checkpoints) const override {
        return follow(comm, *plan_, observer, checkpoints);
    }

private:
    /// An observer that turns snapshots into outputs.
    class CoreTranslator final : public CoreObserver {
    public:
        CoreTranslator(const HommePlan& plan, RunObserver& observer)
            : plan_(plan), observer_(observer) {}
        void stepped(std::int64_t step) override { observer_.stepped(step); }
        void observed(std::int64_t step, const CoreSnapshot& snapshot) override {
            ModelOutput output{step,
                               double(step) * plan_.time_step,
                               {},
                               plan_.shallow_water ? shallow_water_numbers(snapshot.diagnostics)
                                                   : column_numbers(snapshot.diagnostics)};
            for (const auto& field : snapshot.fields) output.fields.emplace_back(field);
            observer_.observed(output);
        }

    private:
        const HommePlan& plan_;
        RunObserver& observer_;
    };

    static Task follow(Comm& comm, const HommePlan& plan, RunObserver& observer,
                       const Checkpoints& checkpoints) {
        CoreTranslator translator(plan, observer);
        co_await run_model(comm, plan, translator, checkpoints);
    }

    std::shared_ptr<const HommePlan> plan_;
    Outline outline_;
};

Program make(const Settings& settings, Rank ranks) {
    return [plan = make_plan(settings, ranks)](Comm& comm) { return run_skeleton(comm, *plan); };
}

Estimate expect(const Settings& settings, Rank ranks) {
    return count_messages(ranks, make(settings, ranks), most_ranks_counted);
}

/// Returns the elements; weights are the points that two of them exchange: np along edges, and 1 at
/// corners, if these are exchanged.
ItemGraph item_graph(const Settings& settings, Rank ranks) {
    const auto plan = make_plan(settings, ranks);
    if (plan->mesh.elements() > most_items) {
        throw ConfigError(text("homme: ne = ", plan->mesh.ne(), " has ", plan->mesh.elements(),
                               " elements; a graph of them has at most ", most_items));
    }
    ItemGraph graph;
    graph.first.push_back(0);
    for (std::int64_t e = 0; e < plan->mesh.elements(); ++e) {
        for (const ItemShare& share : shares_of(plan->mesh, e, plan->rule.count(),
                                                plan->connectivity, ReceivedAs::own_points)) {
            graph.neighbors.push_back(share.item);
            graph.weights.push_back(std::int64_t(share.sends.size()));
        }
        graph.first.push_back(std::int64_t(graph.neighbors.size()));
        graph.owners.push_back(plan->partition.owner(e));
    }
    return graph;
}

/// Counts the points that each rank sends to each neighbour.
std::vector<HaloEdge> halo_edges(const Settings& settings, Rank ranks) {
    const ItemGraph graph = item_graph(settings, ranks);
    std::map<std::pair<Rank, Rank>, std::int64_t> points;
    for (std::size_t e = 0; e < graph.owners.size(); ++e) {
        for (std::int64_t n = graph.first[e]; n < graph.first[e + 1]; ++n) {
            const Rank other = graph.owners[std::size_t(graph.neighbors[std::size_t(n)])];
            if (other != graph.owners[e])
                points[{graph.owners[e], other}] += graph.weights[std::size_t(n)];
        }
    }
    std::vector<HaloEdge> edges;
    for (const auto& [pair, count] : points) edges.push_back({pair.first, pair.second, count});
    return edges;
}

std::unique_ptr<const ModelRun> plan(const Settings& settings, Rank ranks) {
    return std::make_unique<CoreRun>(make_run_plan(settings, ranks));
}

RunMemory memory(const Settings& settings, Rank ranks) {
    return memory_of(*make_run_plan(settings, ranks));
}

}  // namespace

extern const ProgramEntry entry;
constinit const ProgramEntry entry = {
    .name = "homme",
    .summary = "hydrostatic or shallow water core on the cubed sphere, spectral elements or DG",
    .settings = given::always,
    .run_settings = given::with_data,
    .make = make,
    .estimate = expect,
    .operations = operations,
    .processes = no_process_grid,
    .plan = plan,
    .memory = memory,
    .item_graph = item_graph,
    .halo_edges = halo_edges,
    .tuned_setting = "exchange",
    .can_restart = true,
};

}  // namespace tradewind::homme
