/// The settings that several patterns share, and readers of plans.
#pragma once

#include "tradewind/base/setting.hpp"
#include "tradewind/comm/process_grid.hpp"
#include "tradewind/skeleton/gcr.hpp"
#include "tradewind/skeleton/transposition.hpp"

namespace tradewind::skeleton {

/// The largest amount of data in bytes; more would approach the limit of 64 bits.
inline constexpr double most_bytes = 1e18;
inline constexpr auto large = double(largest_count);

namespace shared {
inline constexpr auto grid = declare::whole_list("grid", "grid points in x, y and z", 3).required();
inline constexpr auto processes =
    declare::whole_list("processes", "process grid [cx, cy]; default: the squarest that fits", 2);
inline constexpr auto element_size =
    declare::size("element_size", "bytes of a number", 8).within(1, large);
inline constexpr auto fields =
    declare::whole("fields", "numbers at each grid point", 1).within(1, large);
inline constexpr auto repeat =
    declare::whole("repeat", "runs of all of this, one after the other", 1).within(1, large);
inline constexpr auto bytes =
    declare::size("bytes", "bytes of a message, block or vector").within(0, most_bytes).required();
inline constexpr auto iterations =
    declare::whole("iterations", "iterations of GCR(k)", Gcr{}.iterations).within(1, large);
inline constexpr auto restart =
    declare::whole("restart", "k of GCR(k), earlier directions", Gcr{}.restart).within(1, large);
}  // namespace shared

/// Throws ConfigError with the given and the allowed number of bytes.
void check_bytes(double bytes);
[[nodiscard]] Extents read_grid(const Settings& settings);
[[nodiscard]] Elements read_elements(const Settings& settings, const Extents& grid);
[[nodiscard]] ProcessGrid read_processes(const Settings& settings, Rank ranks,
                                         const ProcessLimits& limits);

/// Reads the exchange of each stage; grid, processes and elements have been set.
void read_stages(const Settings& settings, Transposition& plan);
/// Reads `iterations`, `restart` and the reduction. `is_pipelined` has been set.
void read_iterations(const Settings& settings, Rank ranks, Gcr& plan);

}  // namespace tradewind::skeleton
