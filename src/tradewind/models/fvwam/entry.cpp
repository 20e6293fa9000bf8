/// The wave model as an entry of the catalogue of programs.
#include <numbers>

#include "tradewind/models/fvwam/memory.hpp"
#include "tradewind/models/fvwam/run.hpp"
#include "tradewind/models/fvwam/settings.hpp"
#include "tradewind/program/model_run.hpp"

namespace tradewind::fvwam {

namespace {

constexpr double degrees = 180 / std::numbers::pi;
/// The most cells whose graph METIS gets in memory, and whose messages are counted.
constexpr std::int64_t most_items = std::int64_t{1} << 24;

[[nodiscard]] std::vector<Number> numbers_of(const WaveDiagnostics& d) {
    return {{"mean_height_m", "mean significant height", "m", d.mean_height},
            {"highest_m", "largest significant height", "m", d.highest},
            {"highest_longitude_deg", "its longitude", "degrees_east", d.highest_longitude, false},
            {"highest_latitude_deg", "its latitude", "degrees_north", d.highest_latitude, false},
            {"energy_m2", "variance of the elevation per area", "m2", d.energy},
            {"energy_longitude_deg", "longitude of the centre of energy", "degrees_east",
             d.energy_longitude, false},
            {"energy_latitude_deg", "latitude of the centre of energy", "degrees_north",
             d.energy_latitude, false},
            {"energy_direction_deg", "mean direction of the energy", "degrees", d.energy_direction,
             false},
            {"fastest_wind_m_s", "fastest wind", "m s-1", d.fastest_wind}};
}

/// Returns the cells as faces between the corners of the file.
[[nodiscard]] MeshTopology topology_of(const VoronoiMesh& mesh) {
    MeshTopology topology;
    topology.faces_are = "Voronoi cells of the sea";
    for (const double angle : mesh.corner_longitude) topology.longitudes.push_back(angle * degrees);
    for (const double angle : mesh.corner_latitude) topology.latitudes.push_back(angle * degrees);
    const auto cells = std::size_t(mesh.cells());
    for (std::size_t cell = 0; cell < cells; ++cell) {
        topology.nodes_per_face =
            std::max(topology.nodes_per_face, mesh.graph.first[cell + 1] - mesh.graph.first[cell]);
    }
    for (std::size_t cell = 0; cell < cells; ++cell) {
        std::int64_t left = topology.nodes_per_face;
        for (std::int64_t s = mesh.graph.first[cell]; s < mesh.graph.first[cell + 1]; ++s, --left)
            topology.face_nodes.push_back(double(mesh.corners[std::size_t(s)]));
        for (; left > 0; --left) topology.face_nodes.push_back(-1.0);
        topology.face_longitudes.push_back(mesh.longitude[cell] * degrees);
        topology.face_latitudes.push_back(mesh.latitude[cell] * degrees);
    }
    return topology;
}

/// Returns frequency and direction.
[[nodiscard]] std::vector<Axis> axes_of(const SpectralGrid& grid) {
    std::vector<Axis> axes{
        {"frequency", "frequency_hz", "s-1", "wave_frequency", "frequency", "", {}},
        {"direction",
         "direction_deg",
         "degree",
         "sea_surface_wave_to_direction",
         "direction to which the waves travel, clockwise from north",
         "",
         {}}};
    for (std::int64_t m = 0; m < grid.frequencies(); ++m)
        axes.front().values.push_back(grid.frequency(m));
    for (std::int64_t k = 0; k < grid.directions(); ++k)
        axes.back().values.push_back(grid.direction(k) * degrees);
    return axes;
}

/// Returns the points with their spectra; nothing without points.
[[nodiscard]] std::optional<StationSpectra> stations_of(const WavePlan& plan) {
    if (plan.points.empty()) return std::nullopt;
    StationSpectra stations;
    stations.axes = axes_of(plan.spectrum);
    stations.fields = {{"variance_density_m2_s_rad", "efth", "m2 s rad-1",
                        "sea_surface_wave_directional_variance_spectral_density",
                        "variance of the elevation per frequency and direction",
                        std::vector{station_dimension, std::string_view("frequency"),
                                    std::string_view("direction")}}};
    std::vector<double> bandwidths;
    for (std::int64_t m = 0; m < plan.spectrum.frequencies(); ++m)
        bandwidths.push_back(plan.spectrum.bandwidth(m));
    std::vector<double> depths;
    for (const NamedPoint& point : plan.points) {
        const auto cell = std::size_t(point.cell);
        stations.names.push_back(point.name);
        stations.longitudes.push_back(plan.mesh->longitude[cell] * degrees);
        stations.latitudes.push_back(plan.mesh->latitude[cell] * degrees);
        depths.push_back(plan.mesh->depth[cell]);
    }
    stations.fixed_fields = {
        {{"bandwidth_hz", "bandwidth", "s-1", "", "width of a frequency's band", {"frequency"}},
         std::move(bandwidths)},
        {{"depth_m",
          "depth",
          "m",
          "sea_floor_depth_below_sea_surface",
          "depth of the sea",
          {station_dimension}},
         std::move(depths)}};
    return stations;
}

[[nodiscard]] Outline outline_of(const WavePlan& plan) {
    Outline outline;
    outline.model = "ocean waves on Voronoi cells";
    outline.references = "Pang et al. 2025; Komen et al. 1994";
    outline.processes = {plan.ranks(), 1};
    outline.steps = plan.steps;
    outline.time_step_s = plan.time_step;
    outline.origin = plan.origin;
    outline.mesh = topology_of(*plan.mesh);
    const std::vector<std::string_view> faces{face_dimension};
    outline.fields = {
        {"significant_height_m", "hs", "m", "sea_surface_wave_significant_height",
         "significant wave height", faces},
        {"mean_period_s", "tm", "s",
         "sea_surface_wave_mean_period_from_variance_spectral_density_inverse_frequency_moment",
         "mean wave period", faces},
        {"zero_crossing_period_s", "tz", "s",
         "sea_surface_wave_mean_period_from_variance_spectral_density_second_frequency_moment",
         "zero-crossing wave period", faces},
        {"peak_period_s", "tp", "s", "sea_surface_wave_period_at_variance_spectral_density_maximum",
         "peak wave period", faces},
        {"mean_direction_deg", "dir", "degree", "sea_surface_wave_to_direction",
         "mean direction to which the waves travel", faces},
        {"directional_spread_deg", "spread", "degree", "sea_surface_wave_directional_spread",
         "directional spread", faces},
        {"east_wind_m_s", "u10", "m s-1", "eastward_wind", "eastward wind at 10 m", faces},
        {"north_wind_m_s", "v10", "m s-1", "northward_wind", "northward wind at 10 m", faces}};
    outline.fixed_fields = {
        {{"depth_m", "depth", "m", "sea_floor_depth_below_sea_surface", "depth of the sea", faces},
         plan.mesh->depth}};
    outline.stations = stations_of(plan);
    outline.numbers = {
        {"largest_stable_step_s", "largest stable time step", "s", plan.largest_stable_step},
        {"cells", "sea cells", "1", plan.mesh->cells()},
        {"finest_spacing_km", "smallest distance of two cells", "km",
         1e-3 * plan.mesh->finest_spacing}};
    return outline;
}

class WaveRun final : public ModelRun {
public:
    explicit WaveRun(std::shared_ptr<const WavePlan> plan)
        : plan_(std::move(plan)), outline_(outline_of(*plan_)) {}

    [[nodiscard]] const Outline& outline() const noexcept override { return outline_; }
    Task run(Comm& comm, RunObserver& observer, const Checkpoints& checkpoints) const override {
        return follow(comm, *plan_, observer, checkpoints);
    }

private:
    /// An observer that turns snapshots into outputs.
    class WaveTranslator final : public WaveObserver {
    public:
        WaveTranslator(const WavePlan& plan, RunObserver& observer)
            : plan_(plan), observer_(observer) {}
        void stepped(std::int64_t step) override { observer_.stepped(step); }
        void observed(std::int64_t step, const WaveSnapshot& snapshot) override {
            ModelOutput output{
                step, double(step) * plan_.time_step, {}, numbers_of(snapshot.diagnostics)};
            if (plan_.tide) {
                output.numbers.push_back(
                    {"level_m", "water level", "m", plan_.tide->level(output.time_s)});
            }
            for (const auto& field : snapshot.fields) output.fields.emplace_back(field);
            if (!plan_.points.empty()) output.spectra.emplace_back(snapshot.spectra);
            observer_.observed(output);
        }

    private:
        const WavePlan& plan_;
        RunObserver& observer_;
    };

    static Task follow(Comm& comm, const WavePlan& plan, RunObserver& observer,
                       const Checkpoints& checkpoints) {
        WaveTranslator translator(plan, observer);
        co_await run_model(comm, plan, translator, checkpoints);
    }

    std::shared_ptr<const WavePlan> plan_;
    Outline outline_;
};

Program make(const Settings& settings, Rank ranks) {
    return [plan = make_plan(settings, ranks)](Comm& comm) { return run_skeleton(comm, *plan); };
}

/// Returns messages and bytes of all steps, from the halos of all ranks.
Estimate expect(const Settings& settings, Rank ranks) {
    const auto plan = make_plan(settings, ranks);
    Estimate sum;
    for (Rank rank = 0; rank < ranks; ++rank) {
        const RankCells cells =
            cells_of_rank(plan->graph, plan->partition, rank, rings_of(plan->scheme));
        const auto exchanges = double(plan->exchanges());
        sum.messages += double(cells.partners.size()) * exchanges;
        sum.bytes += double(cells.halo() * plan->words()) * 8 * exchanges;
    }
    return sum;
}

/// Returns the cells; two neighbours exchange one spectrum each.
ItemGraph item_graph(const Settings& settings, Rank ranks) {
    const auto plan = make_plan(settings, ranks);
    const CellGraph& cells = plan->graph;
    if (cells.cells() > most_items) {
        throw ConfigError(text("fvwam: ", name_of_file(given::mesh.of(settings)), " has ",
                               cells.cells(), " sea cells; a graph of them has at most ",
                               most_items));
    }
    ItemGraph graph;
    graph.first.push_back(0);
    for (std::int64_t cell = 0; cell < cells.cells(); ++cell) {
        for (std::int64_t s = cells.first[std::size_t(cell)];
             s < cells.first[std::size_t(cell) + 1]; ++s) {
            if (cells.neighbors[std::size_t(s)] == no_cell) continue;
            graph.neighbors.push_back(cells.neighbors[std::size_t(s)]);
            graph.weights.push_back(1);
        }
        graph.first.push_back(std::int64_t(graph.neighbors.size()));
        graph.owners.push_back(plan->partition.owner(cell));
    }
    return graph;
}

/// Counts the cells that each rank sends to each neighbour.
std::vector<HaloEdge> halo_edges(const Settings& settings, Rank ranks) {
    const auto plan = make_plan(settings, ranks);
    std::vector<HaloEdge> edges;
    for (Rank rank = 0; rank < ranks; ++rank) {
        const RankCells cells =
            cells_of_rank(plan->graph, plan->partition, rank, rings_of(plan->scheme));
        for (const CellPartner& partner : cells.partners) {
            if (!partner.sends.empty())
                edges.push_back({rank, partner.rank, std::int64_t(partner.sends.size())});
        }
    }
    return edges;
}

std::unique_ptr<const ModelRun> plan(const Settings& settings, Rank ranks) {
    return std::make_unique<WaveRun>(make_run_plan(settings, ranks));
}

}  // namespace

extern const ProgramEntry entry;
constinit const ProgramEntry entry = {
    .name = "fvwam",
    .summary = "ocean waves on Voronoi cells, by WAM's source terms",
    .settings = given::always,
    .run_settings = given::with_data,
    .make = make,
    .estimate = expect,
    .operations = operations,
    .processes = no_process_grid,
    .plan = plan,
    .memory = memory_of,
    .item_graph = item_graph,
    .halo_edges = halo_edges,
    .tuned_setting = "exchange",
    .can_restart = true,
};

}  // namespace tradewind::fvwam
