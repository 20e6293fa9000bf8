/// Measurements: programs that repeat and time an operation on any Comm, the same on real and on
/// simulated ranks; and their table.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tradewind/base/setting.hpp"
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

/// A piece of a model's work, which one rank repeats.
struct Kernel {
    std::string name;
    /// The operations of one call, counted from its loops.
    double flops = 0.0;
    Bytes memory = 0;
    std::function<void()> run;
};
/// A function that makes the kernels of a rank, each with its own memory.
using MakeKernels = std::function<std::vector<Kernel>()>;

/// The operations and kernels that can be measured besides those of any Comm.
struct Platform {
    std::span<const Native> natives{};
    MakeKernels kernels{};
};

/// A measurement and the settings that it reads; each is described in the file of the same name.
struct MeasurementEntry {
    std::string_view name;
    std::string_view summary;
    Schema settings;
    /// A function that does what `make` does after the check of the keys.
    Program (*prepare)(const Settings& settings, Rank ranks, const Platform& platform,
                       Rows& rows) = nullptr;

    /// Makes a program for exactly `ranks` ranks, of which rank 0 appends to `rows`. Throws
    /// ConfigError, before any rank runs, for a setting that is not declared and for a wrong value.
    [[nodiscard]] Program make(const Settings& settings, Rank ranks, const Platform& platform,
                               Rows& rows) const;
};

/// Returns all measurements, in the order of measurements.def.
[[nodiscard]] std::span<const MeasurementEntry> measurements();
/// Returns the measurement called `name`; throws a ConfigError that names the known ones.
[[nodiscard]] const MeasurementEntry& measurement(std::string_view name);

}  // namespace tradewind::measure
