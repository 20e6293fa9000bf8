/// Measurements: operations repeated and timed on any Comm, the same program on real ranks and on
/// simulated ones; their table.
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

/// The repetitions of one case. A repetition takes as long as on its slowest rank.
struct Row {
    std::string name;
    Bytes bytes = 0;
    std::vector<double> seconds;
    /// What was worked out of them, where that is more than a median.
    std::map<std::string, double> values{};
};
using Rows = std::vector<Row>;

/// A neighbourhood exchange that is set up for a graph. The ranks may have been renumbered:
/// `vertex` is the rank whose neighbours this one has there.
struct ConnectedNative {
    Rank vertex = 0;
    std::function<Task(Comm& comm, const NeighborExchange& data)> run;
};

/// Operations that only one kind of Comm has, to be measured beside the others: the collectives of
/// an MPI library.
struct Native {
    std::string name;
    std::string operation;
    /// `bytes` as in Collectives.
    Task (*run)(Comm& comm, Bytes bytes, ConstBuffer send, Buffer receive) = nullptr;
    /// Of the operation "neighbor" instead: sets up what it needs for a graph; collective.
    std::function<ConnectedNative(Comm& comm, const NeighborGraph& graph)> connect = {};
};

/// Settings that measurements read; each entry names its own.
///
///     sizes                 bytes of a message, block or vector; default: powers of two, 8 B to 4 MiB
///     repetitions, warm_up  per case (100 and 10)
///     operation             of collectives: alltoallv, allreduce, allgather, bcast or barrier; no default
///     algorithm             of that operation; "all" = every one of the table
///     radix                 of the algorithm; 0 = its default
///     transport             of a swap: two_sided or one_sided
///     protocol              of a swap; "all" = every one of worley1998's Table 2 that differs
///     swaps                 how many belong together (1); (2,x) and (3,x) overlap them
///     processes             of neighbor: columns and rows of the ranks; default: the squarest
///     neighbors             in that grid: 4 or 8
///     edges                 instead of a grid: source, destination, source, destination, ...
///     payload               whether buffers have memory (true); simulations need none
struct MeasurementEntry {
    std::string_view name;
    std::string_view summary;
    std::span<const std::string_view> keys;
    /// `make`, after the keys have been checked.
    Program (*prepare)(const Settings& settings, Rank ranks, std::span<const Native> natives,
                       Rows& rows);

    /// A program for exactly `ranks` ranks; rank 0 appends to `rows`. Throws ConfigError before any
    /// rank runs: for a setting that is not in `keys` as for a wrong one.
    [[nodiscard]] Program make(const Settings& settings, Rank ranks,
                               std::span<const Native> natives, Rows& rows) const;
};

[[nodiscard]] std::span<const MeasurementEntry> measurements();
/// Throws ConfigError, naming the known ones.
[[nodiscard]] const MeasurementEntry& measurement(std::string_view name);

}  // namespace tradewind::measure
