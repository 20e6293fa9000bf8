/// tradewind-model: a model with data, as mpiexec starts it. The first rank reports the run in
/// lines of JSON, one object each.
///
///     tradewind-model MODEL FOLDER [KEY=VALUE...]     settings of the model; fields go to FOLDER
///
/// The lines are those of ProgressStream; the last one is {"done": {"library": ..., "ranks": ...,
/// "messages": ..., "bytes": ..., "step_s": ..., "phases": [...]}} with the median time of the
/// steps but the first, and the phases as in phase_report.hpp. A setting may be "tuned" where
/// TRADEWIND_TUNING is set. Besides the model's own settings there are checkpoint_every,
/// checkpoint_file, restart_file and version, see program/checkpoint.hpp, and reorder: true lets
/// MPI renumber the processes by the graph of the halo. The last line then has "moved", the number
/// of processes that have another rank.
#include <array>
#include <iostream>
#include <memory>

#include "phase_report.hpp"
#include "tradewind/base/settings_text.hpp"
#include "tradewind/catalogue/programs.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/mpi/graph.hpp"
#include "tradewind/mpi/library.hpp"
#include "tradewind/mpi/mpi_comm.hpp"
#include "tradewind/mpi/runtime.hpp"
#include "tradewind/program/checkpoint.hpp"
#include "tradewind/program/progress_stream.hpp"
#include "tuning_of_environment.hpp"

namespace tradewind {

namespace {

using Words = std::span<const std::string>;

/// The messages and bytes of all ranks, and the number of processes that MPI has moved.
using Sums = std::array<std::int64_t, 3>;

Sums sums_of_all(mpi::MpiComm& world, bool has_moved) {
    Sums sums{world.messages_sent(), world.bytes_sent(), has_moved ? 1 : 0};
    const Allreduce all{Buffer(std::span<std::int64_t>(sums)), sum<std::int64_t>()};
    const auto& algorithm = allreduce_algorithm("recursive_doubling");
    mpi::run(world, [&](Comm& comm) { return algorithm.run(comm, all, {}); });
    return sums;
}

void report_end(mpi::MpiComm& world, double step_s, bool has_moved) {
    // Neither the times nor the counts contain what the report itself sends.
    (void)world.end_phases();
    const auto [messages, bytes, moved] = sums_of_all(world, has_moved);
    const std::string phases = phases_of_all(world);
    if (world.rank() != 0) return;
    std::cout << text(R"({"done": {"library": ")", mpi::library_version(), R"(", "ranks": )",
                      world.size(), R"(, "messages": )", messages, R"(, "bytes": )", bytes,
                      R"(, "step_s": )", step_s, R"(, "moved": )", moved, R"(, "phases": )", phases,
                      "}}")
              << std::endl;
}

/// Takes a setting that is not the model's own out of the others.
template <class Value>
Value taken(Settings& settings, const std::string& key, Value otherwise) {
    Value value = settings.get<Value>(key, std::move(otherwise));
    auto rest = settings.values();
    rest.erase(key);
    settings = Settings(std::move(rest));
    return value;
}

Checkpoints read_checkpoints(const ProgramEntry& model, Settings& settings) {
    const auto every = taken<std::int64_t>(settings, "checkpoint_every", 0);
    const auto file = taken<std::string>(settings, "checkpoint_file", "");
    const auto restart = taken<std::string>(settings, "restart_file", "");
    const auto version = taken<std::string>(settings, "version", "");
    if ((every > 0 || !restart.empty()) && !model.can_restart)
        throw ConfigError(text(model.name, " has no checkpoints"));
    return {identity_of(model.name, version, settings), every, file, restart};
}

/// The neighbours of each rank in an exchange of the halo, the items as weights.
using HaloGraph = std::vector<Neighborhood>;

HaloGraph halo_graph(const ProgramEntry& model, const Settings& settings, Rank ranks) {
    if (model.halo_edges == nullptr)
        throw ConfigError(text(model.name, " has no halo by whose graph MPI can renumber"));
    HaloGraph graph(static_cast<std::size_t>(ranks));
    for (const HaloEdge& edge : model.halo_edges(settings, ranks)) {
        graph[std::size_t(edge.from)].destinations.push_back({edge.to, edge.items, 0});
        graph[std::size_t(edge.to)].sources.push_back({edge.from, edge.items, 0});
    }
    return graph;
}

/// Runs a model, which the rank 0 of `world` reports. `start` is the rank before MPI renumbered.
void run_model(mpi::MpiComm& world, const ModelRun& planned, const Checkpoints& checkpoints,
               const std::string& folder, Rank start) {
    world.time_phases();
    ProgressStream stream(planned.outline(), folder, std::cout);
    mpi::set_recording(true);
    mpi::run(world, [&](Comm& comm) { return planned.run(comm, stream, checkpoints); });
    mpi::set_recording(false);
    report_end(world, stream.median_step(), world.rank() != start);
}

mpi::Body prepare(Words words, Rank ranks) {
    if (words.size() < 2) throw ConfigError("usage: tradewind-model MODEL FOLDER [KEY=VALUE...]");
    const ProgramEntry& model = find_program(words[0]);
    if (model.plan == nullptr) throw ConfigError(text(model.name, " has no data to run with"));
    Settings settings = read_settings(words.subspan(2));
    const auto checkpoints = std::make_shared<const Checkpoints>(read_checkpoints(model, settings));
    const bool reorders = taken<bool>(settings, "reorder", false);
    tune_by_environment(model, settings);
    const auto graph = std::make_shared<const HaloGraph>(
        reorders ? halo_graph(model, settings, ranks) : HaloGraph{});
    const std::shared_ptr<const ModelRun> planned = model.plan(settings, ranks);
    mpi::set_recording(false);
    return [planned, checkpoints, graph, folder = words[1]](Comm& world) {
        if (graph->empty()) {
            run_model(dynamic_cast<mpi::MpiComm&>(world), *planned, *checkpoints, folder,
                      world.rank());
            return 0;
        }
        const mpi::GraphComm renumbered(
            MPI_COMM_WORLD, [&](Rank rank) { return (*graph)[std::size_t(rank)]; }, true);
        mpi::MpiComm comm(renumbered.communicator(), mpi::puts_of_environment());
        run_model(comm, *planned, *checkpoints, folder, world.rank());
        return 0;
    };
}

}  // namespace

}  // namespace tradewind

int main(int count, char** arguments) {
    return tradewind::mpi::run_main(count, arguments, tradewind::prepare);
}
