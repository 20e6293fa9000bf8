#include "tradewind/models/fvwam/memory.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "tradewind/base/large_memory.hpp"
#include "tradewind/models/fvwam/settings.hpp"
#include "tradewind/models/fvwam/snapshot.hpp"

namespace tradewind::fvwam {

namespace {

/// Bytes of the mesh, of a plan, and of the preparation of each, per cell, with six sides.
constexpr double mesh_bytes = 6 * (sizeof(CellSide) + 8.0) + 3 * 16.0 + 8 * 8.0;
constexpr double rank_bytes = 6 * (4.0 + 32.0) + 64.0;
/// Doubles of a cell that rank 0 gathers, beside the shown fields.
constexpr double gathered_numbers = 2 * (double(wave_field_count) + 3.0);
constexpr double usual_hours = 24.0;
/// The rings of compact parts: their cells over the square root of those of a part.
constexpr double ring_factor = 3.7;
/// The depths in a rank's table, which has four numbers for each of them and each frequency.
constexpr double tabulated_depths = 1084;

/// Returns the bytes of an array, which fills large pages unless it is small.
[[nodiscard]] double array_bytes(double bytes) {
    constexpr auto page = double(large_page);
    return bytes < 0.5 * page ? bytes : std::ceil(bytes / page) * page;
}

/// Returns the number of points whose spectra are shown.
[[nodiscard]] double points_in(const Settings& settings) {
    if (!settings.has(given::points.name())) return 0.0;
    return double(points_of(text_or_file(given::points.of(settings))).size());
}

/// Returns the bytes of a rank's winds: it keeps all of a file.
[[nodiscard]] double wind_bytes(const Settings& settings) {
    const bool has_file =
        given::wind.of(settings) == WindKind::file && settings.has(given::wind_file.name());
    if (!has_file) return 0.0;
    std::error_code failed;
    const auto size =
        std::filesystem::file_size(path_of_file(given::wind_file.of(settings)), failed);
    return failed ? 0.0 : double(size);
}

}  // namespace

RunMemory memory_of(const Settings& settings, Rank ranks) {
    const NetcdfFile file(path_of_file(given::mesh.of(settings)));
    const auto cells = double(file.dimension("nCells"));
    const bool is_single = given::precision.of(settings) == Precision::single_precision;
    const std::int64_t values = given::directions.of(settings) * given::frequencies.of(settings);
    const auto spectrum =
        double(is_single ? Spectra<float>::bytes(values) : Spectra<double>::bytes(values));
    const double rings = rings_of(given::scheme.of(settings));
    const double halo = ranks == 1
                            ? 0.0
                            : std::min(cells * double(ranks - 1),
                                       rings * ring_factor * std::sqrt(cells * double(ranks)));
    const double own = array_bytes((cells + halo) / double(ranks) * spectrum);
    const double table = tabulated_depths * 4 * double(given::frequencies.of(settings)) *
                         (is_single ? sizeof(float) : sizeof(double));
    const double arrays = 1 + stages_of(given::scheme.of(settings));
    const double lasting = double(ranks) * (arrays * own + table + wind_bytes(settings)) +
                           copies_of_message * halo * spectrum +
                           cells * (mesh_bytes + rank_bytes + 8 * gathered_numbers);
    const auto every = given::output_every_hours.find(settings);
    const double hours = given::hours.of(settings, usual_hours);
    const double outputs = 2 + (every ? hours / *every : 0.0);
    const double shown = cells * double(wave_field_count) + points_in(settings) * double(values);
    return {lasting, outputs * 8 * shown};
}

}  // namespace tradewind::fvwam
