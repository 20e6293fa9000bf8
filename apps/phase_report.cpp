/// Gathers the times of all ranks and writes them.
#include "phase_report.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <sstream>
#include <string_view>
#include <vector>

#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/mpi/mpi_comm.hpp"

namespace tradewind {

namespace {

constexpr std::string_view columns[] = {"seconds", "blocked_s", "processor_s", "received_bytes"};

/// Combines the values of all ranks.
template <class Value>
void combine(Comm& world, std::vector<Value>& values, const Reduction& reduction) {
    const Allreduce vector{Buffer(std::span(values)), reduction};
    const auto& algorithm = allreduce_algorithm("recursive_doubling");
    mpi::run(world, [&](Comm& comm) { return algorithm.run(comm, vector, {}); });
}

/// Reports whether all ranks have had the same phases in the same order.
[[nodiscard]] bool are_the_same(Comm& world, const std::vector<mpi::PhaseTime>& phases) {
    std::string names;
    for (const mpi::PhaseTime& phase : phases) names += phase.name + '\n';
    const auto hash = std::int64_t(std::hash<std::string>{}(names) >> 1);
    std::vector<std::int64_t> bounds{hash, -hash};
    combine(world, bounds, maximum<std::int64_t>());
    return bounds[0] == -bounds[1];
}

/// Returns the values of all ranks: those of a phase after the other, in each the columns.
[[nodiscard]] std::vector<double> gathered(Comm& world, const std::vector<mpi::PhaseTime>& phases) {
    const auto ranks = std::size_t(world.size());
    std::vector<double> all(phases.size() * std::size(columns) * ranks);
    auto place = std::size_t(world.rank());
    for (const mpi::PhaseTime& phase : phases) {
        for (const double value :
             {phase.seconds, phase.blocked, phase.processor, double(phase.received)}) {
            all[place] = value;
            place += ranks;
        }
    }
    combine(world, all, sum<double>());
    return all;
}

/// Returns the next numbers as a JSON list.
[[nodiscard]] std::string list_of(std::span<const double> values) {
    std::ostringstream list;
    list.precision(std::numeric_limits<double>::max_digits10);
    for (std::size_t n = 0; n < values.size(); ++n) list << (n == 0 ? "[" : ", ") << values[n];
    return list.str() + "]";
}

}  // namespace

std::string phases_of_all(Comm& world) {
    const std::vector<mpi::PhaseTime> phases = dynamic_cast<mpi::MpiComm&>(world).end_phases();
    if (!are_the_same(world, phases)) return "[]";
    const std::vector<double> all = gathered(world, phases);
    const auto ranks = std::size_t(world.size());
    std::string entries;
    std::size_t place = 0;
    for (const mpi::PhaseTime& phase : phases) {
        entries += text(entries.empty() ? "" : ", ", R"({"name": ")", phase.name, '"');
        for (const std::string_view column : columns) {
            entries += text(", \"", column, "\": ", list_of(std::span(all).subspan(place, ranks)));
            place += ranks;
        }
        entries += "}";
    }
    return "[" + entries + "]";
}

}  // namespace tradewind
