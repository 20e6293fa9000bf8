/// Computes the state of the sea on every rank, and sums and extremes on rank 0.
#include "tradewind/models/fvwam/snapshot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace tradewind::fvwam {

namespace {

constexpr double degrees = 180 / std::numbers::pi;

/// The numbers of a cell that rank 0 needs: the shown fields, then its energy.
enum Extra : std::uint8_t { energy = wave_field_count, energy_east, energy_north, record_size };

[[nodiscard]] double in_degrees(double angle) {
    const double turned = angle * degrees;
    return turned < 0 ? turned + 360 : turned;
}

void record(const WaveCore& core, std::int64_t own, double* numbers) {
    const SeaState state = core.state(own);
    const bool is_calm = !(state.significant_height > 0);
    const double unknown = std::numeric_limits<double>::quiet_NaN();
    const auto known = [&](double value) { return is_calm ? unknown : value; };
    const WindVector wind = core.wind(own);
    const CellEnergy sum = core.energy(own);
    numbers[significant_height] = state.significant_height;
    numbers[mean_period] = known(state.mean_period);
    numbers[zero_crossing_period] = known(state.zero_crossing_period);
    numbers[peak_period] = known(state.peak_period);
    numbers[mean_direction] = known(in_degrees(state.mean_direction));
    numbers[directional_spread] = known(state.spread * degrees);
    numbers[wind_east] = wind.east;
    numbers[wind_north] = wind.north;
    numbers[energy] = sum.energy;
    numbers[energy_east] = sum.east;
    numbers[energy_north] = sum.north;
}

/// Gathers the records of all cells on rank 0, in the order of the cells.
Task gather(Comm& comm, const WaveCore& core, std::vector<double>& all) {
    const ItemPartition& partition = core.plan().partition;
    std::vector<double> own(std::size_t(core.cells().own * record_size));
    for (std::int64_t n = 0; n < core.cells().own; ++n)
        record(core, n, own.data() + n * record_size);
    if (comm.rank() != 0) {
        co_await comm.send(0, ConstBuffer(Buffer(std::span(own))));
        co_return;
    }
    all.resize(std::size_t(core.plan().graph.cells() * record_size));
    for (Rank rank = 0; rank < comm.size(); ++rank) {
        own.resize(std::size_t(partition.size(rank) * record_size));
        if (rank > 0) co_await comm.recv(rank, Buffer(std::span(own)));
        for (std::int64_t n = 0; n < partition.size(rank); ++n)
            std::copy_n(own.begin() + n * record_size, record_size,
                        all.begin() + partition.item(rank, n) * record_size);
    }
}

/// Returns the rank's number of one of its own cells.
[[nodiscard]] std::int64_t own_number(const RankCells& cells, std::int64_t cell) {
    const auto end = cells.cells.begin() + cells.own;
    return std::lower_bound(cells.cells.begin(), end, std::int32_t(cell)) - cells.cells.begin();
}

/// Brings the spectra of all points to rank 0, one after the other.
Task gather_spectra(Comm& comm, const WaveCore& core, std::vector<double>& all) {
    const WavePlan& plan = core.plan();
    std::vector<double> one(std::size_t(plan.spectrum.size()));
    for (const NamedPoint& point : plan.points) {
        const Rank owner = plan.partition.owner(point.cell);
        if (comm.rank() == owner) core.spectrum(own_number(core.cells(), point.cell), one.data());
        if (comm.rank() == owner && owner != 0)
            co_await comm.send(0, ConstBuffer(Buffer(std::span(one))));
        if (comm.rank() != 0) continue;
        if (owner != 0) co_await comm.recv(owner, Buffer(std::span(one)));
        all.insert(all.end(), one.begin(), one.end());
    }
}

/// A vector in space.
struct SpaceVector {
    double x = 0.0;
    double y = 0.0;
    double z = 0.0;
};

/// The sums over all cells from which means follow.
struct EnergySums {
    double area = 0.0;
    double height = 0.0;
    double energy = 0.0;
    /// The places weighted by energy, and the directions in space.
    SpaceVector center;
    SpaceVector direction;
};

void add(const VoronoiMesh& mesh, std::size_t cell, const double* numbers, EnergySums& sums) {
    const double area = mesh.area[cell];
    const double weight = area * numbers[energy];
    const double east = area * numbers[energy_east];
    const double north = area * numbers[energy_north];
    const double sin_lon = std::sin(mesh.longitude[cell]);
    const double cos_lon = std::cos(mesh.longitude[cell]);
    const double sin_lat = std::sin(mesh.latitude[cell]);
    const double cos_lat = std::cos(mesh.latitude[cell]);
    sums.area += area;
    sums.height += area * numbers[significant_height];
    sums.energy += weight;
    sums.center.x += weight * cos_lat * cos_lon;
    sums.center.y += weight * cos_lat * sin_lon;
    sums.center.z += weight * sin_lat;
    sums.direction.x += -east * sin_lon - north * sin_lat * cos_lon;
    sums.direction.y += east * cos_lon - north * sin_lat * sin_lon;
    sums.direction.z += north * cos_lat;
}

[[nodiscard]] WaveDiagnostics diagnostics_of(const WavePlan& plan, const std::vector<double>& all) {
    const VoronoiMesh& mesh = *plan.mesh;
    EnergySums sums;
    WaveDiagnostics found;
    for (std::size_t cell = 0; cell < std::size_t(mesh.cells()); ++cell) {
        const double* const numbers = all.data() + cell * record_size;
        add(mesh, cell, numbers, sums);
        found.fastest_wind =
            std::max(found.fastest_wind, std::hypot(numbers[wind_east], numbers[wind_north]));
        if (numbers[significant_height] <= found.highest) continue;
        found.highest = numbers[significant_height];
        found.highest_longitude = mesh.longitude[cell] * degrees;
        found.highest_latitude = mesh.latitude[cell] * degrees;
    }
    found.mean_height = sums.height / sums.area;
    found.energy = sums.energy / sums.area;
    if (!(sums.energy > 0)) return found;
    const SpaceVector& c = sums.center;
    const double longitude = std::atan2(c.y, c.x);
    const double latitude = std::atan2(c.z, std::hypot(c.x, c.y));
    const SpaceVector& d = sums.direction;
    const double east = d.y * std::cos(longitude) - d.x * std::sin(longitude);
    const double north =
        d.z * std::cos(latitude) -
        (d.x * std::cos(longitude) + d.y * std::sin(longitude)) * std::sin(latitude);
    found.energy_longitude = longitude * degrees;
    found.energy_latitude = latitude * degrees;
    found.energy_direction = in_degrees(std::atan2(east, north));
    return found;
}

}  // namespace

Task take_snapshot(Comm& comm, const WaveCore& core, WaveSnapshot& snapshot) {
    comm.begin_phase("output");
    std::vector<double> all;
    co_await gather(comm, core, all);
    co_await gather_spectra(comm, core, snapshot.spectra);
    if (comm.rank() != 0) co_return;
    const auto cells = std::size_t(core.plan().graph.cells());
    snapshot.fields.assign(wave_field_count, std::vector<double>(cells));
    for (std::size_t cell = 0; cell < cells; ++cell)
        for (std::size_t field = 0; field < wave_field_count; ++field)
            snapshot.fields[field][cell] = all[cell * record_size + field];
    snapshot.diagnostics = diagnostics_of(core.plan(), all);
}

}  // namespace tradewind::fvwam
