/// The table of programs: communication patterns that run on any Comm, made from settings by name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tradewind/base/settings.hpp"
#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/process_grid.hpp"
#include "tradewind/comm/program.hpp"
#include "tradewind/comm/tuning/use.hpp"
#include "tradewind/skeleton/estimate.hpp"

namespace tradewind::skeleton {

/// Settings that programs read; each entry names its own.
///
///     grid = [nx, ny, nz]      grid points; no default
///     processes = [cx, cy]     process grid; default: the squarest one that the grid allows
///     element_size, fields     bytes of a number (8) and numbers per grid point (1)
///     algorithm                of alltoallv ("ring_k"), of allreduce ("recursive_k") or of neighbor
///                              ("burst"), or "tuned"
///     tuning                   of "tuned": a file, or the text of a table (comm/tuning/tuning.hpp)
///     radix, window            tune the algorithm; ignored by those that do not read them
///     protocol, transport      by which calls messages are exchanged ("default"), and by what:
///                              "two_sided" or "puts"
///     stage                    of the transposition: "all", "xz", "xy" or "yz" ("all")
///     neighbors                of a rank in the grid: 4 beside it or 8 around it (4)
///     width                    of the halo, in points; no default
///     backward                 whether every transposition is followed by its reverse (false)
///     iterations, restart      N (25) and k (3) of GCR(k)
///     flops, memory            what a rank computes per iteration: operations and bytes moved (0)
///     bytes                    of a message, block or vector (8)
///     repeat                   how often all of this is done (1)
struct ProgramEntry {
    std::string_view name;
    std::string_view summary;
    std::span<const std::string_view> keys;
    /// Checks everything before any rank runs: throws ConfigError with what was given and what is
    /// allowed.
    Program (*make)(const Settings& settings, Rank ranks);
    Estimate (*estimate)(const Settings& settings, Rank ranks);
    /// The operations whose algorithm one can choose; none for the others.
    std::vector<OperationUse> (*operations)(const Settings& settings, Rank ranks);
    /// The process grid of those that have one.
    std::optional<ProcessGrid> (*processes)(const Settings& settings, Rank ranks);
};

[[nodiscard]] std::span<const ProgramEntry> programs();
/// Throws ConfigError, naming the known ones.
[[nodiscard]] const ProgramEntry& program(std::string_view name);

/// Where the algorithm is "tuned", but for another number of ranks: one line for each such
/// operation.
[[nodiscard]] std::vector<std::string> tuning_remarks(std::string_view name,
                                                      const Settings& settings, Rank ranks);

/// A program for exactly `ranks` ranks, with null buffers. One object serves all of them, on any
/// thread; a run keeps it alive.
[[nodiscard]] Program make_program(std::string_view name, const Settings& settings, Rank ranks);
/// All messages and bytes that the program will send.
[[nodiscard]] Estimate estimate(std::string_view name, const Settings& settings, Rank ranks);

}  // namespace tradewind::skeleton
