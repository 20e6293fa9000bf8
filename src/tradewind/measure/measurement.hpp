/// Measurements: programs that repeat and time an operation on any Comm, the same on real and on
/// simulated ranks; and their table.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tradewind/base/settings.hpp"
#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/neighbor/graph.hpp"
#include "tradewind/comm/program.hpp"

namespace tradewind::measure {

/// The repetitions of one case. The time of a repetition is that of its slowest rank.
struct Row {
    std::string name;
    Bytes bytes = 0;
    std::vector<double> seconds;
    /// The values that are derived from the repetitions, if there are more than their median.
    std::map<std::string, double> values{};
};
using Rows = std::vector<Row>;

/// A neighbourhood exchange that is set up for a graph. If the ranks have been renumbered, `vertex`
/// is the vertex of the graph that this rank has become.
struct ConnectedNative {
    Rank vertex = 0;
    std::function<Task(Comm& comm, const NeighborExchange& data)> run;
};

/// An operation that only one kind of Comm has, to be measured beside the algorithms: a collective
/// of the MPI library.
struct Native {
    std::string name;
    std::string operation;
    /// A function that runs the operation once; `bytes` has the meaning given in collectives.cpp.
    Task (*run)(Comm& comm, Bytes bytes, ConstBuffer send, Buffer receive) = nullptr;
    /// A function that sets up the operation for a graph; collective. It replaces `run` for the
    /// operation "neighbor".
    std::function<ConnectedNative(Comm& comm, const NeighborGraph& graph)> connect = {};
};

/// A measurement and the settings that it reads. All settings are:
///
///     sizes                 bytes of a message, block or vector; default: powers of two, 8 B to 4 MiB
///     repetitions, warm_up  per case (100 and 10)
///     operation             of collectives: alltoallv, allreduce, allgather, bcast or barrier; no default
///     algorithm             of that operation; "all" = every one in the table
///     radix                 of the algorithm; 0 = its default
///     transport             of a swap: two_sided or one_sided
///     protocol              of a swap; "all" = every one of worley1998's Table 2 that differs
///     swaps                 swaps that form one exchange (1); (2,x) and (3,x) overlap them
///     processes             of neighbor: columns and rows of the ranks; default: the squarest
///     neighbors             in that grid: 4 or 8
///     edges                 instead of a grid: source, destination, source, destination, ...
///     payload               true if buffers have memory (default); simulations need none
struct MeasurementEntry {
    std::string_view name;
    std::string_view summary;
    std::span<const std::string_view> keys;
    /// A function that does what `make` does after the check of the keys.
    Program (*prepare)(const Settings& settings, Rank ranks, std::span<const Native> natives,
                       Rows& rows);

    /// Makes a program for exactly `ranks` ranks, of which rank 0 appends to `rows`. Throws
    /// ConfigError, before any rank runs, for a setting that is not in `keys` and for a wrong
    /// value.
    [[nodiscard]] Program make(const Settings& settings, Rank ranks,
                               std::span<const Native> natives, Rows& rows) const;
};

[[nodiscard]] std::span<const MeasurementEntry> measurements();
/// Returns the measurement called `name`; throws a ConfigError that names the known ones.
[[nodiscard]] const MeasurementEntry& measurement(std::string_view name);

}  // namespace tradewind::measure
