/// tradewind-mpi: the program that mpiexec starts for measurements and shared simulations; it
/// prints one JSON object on the first rank.
///
///     tradewind-mpi info                            library, number of ranks and of nodes
///     tradewind-mpi verify                          every algorithm with real data; status 1 if one is wrong
///     tradewind-mpi run PROGRAM [KEY=VALUE...]      a program or model of the catalogue, timed;
///                                                   beside its own keys repetitions (1) and
///                                                   warm_up (0)
///     tradewind-mpi measure NAME [KEY=VALUE...]     a measurement of the table, all its repetitions
///     tradewind-mpi simulate SECTION.KEY=VALUE...   one simulation, shared by the processes
#include <algorithm>
#include <iostream>
#include <memory>

#include "simulate.hpp"
#include "tradewind/base/settings_text.hpp"
#include "tradewind/catalogue/programs.hpp"
#include "tradewind/comm/verification/verification.hpp"
#include "tradewind/measure/json.hpp"
#include "tradewind/measure/timing.hpp"
#include "tradewind/models/spectral/speed.hpp"
#include "tradewind/mpi/collectives.hpp"
#include "tradewind/mpi/graph.hpp"
#include "tradewind/mpi/library.hpp"
#include "tradewind/mpi/mpi_comm.hpp"
#include "tradewind/mpi/runtime.hpp"
#include "tuning_of_environment.hpp"

namespace tradewind {

namespace {

using Words = std::span<const std::string>;

/// Returns the start of every result.
std::string header(const Comm& world) {
    return text(R"({"library": ")", mpi::library_version(), R"(", "ranks": )", world.size());
}

int print(const Comm& world, const std::string& rest, int status = 0) {
    if (world.rank() == 0) std::cout << header(world) << rest << "}" << std::endl;
    return status;
}

int verify(Comm& world) {
    std::vector<Verdict> verdicts;
    mpi::run(world, [&](Comm& comm) { return verify_algorithms(comm, verdicts); });
    std::string list;
    for (const Verdict& verdict : verdicts) {
        list += text(list.empty() ? "" : ", ", R"({"operation": ")", verdict.operation,
                     R"(", "algorithm": ")", verdict.algorithm, R"(", "wrong_ranks": )",
                     verdict.wrong, "}");
    }
    const auto failed = std::ranges::count_if(verdicts, [](const auto& v) { return v.wrong > 0; });
    return print(world, text(R"(, "failed": )", failed, R"(, "algorithms": [)", list, "]"),
                 failed > 0 ? 1 : 0);
}

/// Returns the words as a JSON list of strings.
std::string quoted(const std::vector<std::string>& words) {
    std::string list;
    for (const std::string& word : words) list += text(list.empty() ? "\"" : ", \"", word, '"');
    return "[" + list + "]";
}

/// Returns a text in quotation marks, as JSON has it.
std::string quoted(const std::string& words) {
    std::string result = "\"";
    for (const char letter : words) {
        if (letter == '"' || letter == '\\') result += '\\';
        if (static_cast<unsigned char>(letter) >= ' ') result += letter;
    }
    return result + '"';
}

std::string list_of(const ProcessGrid& grid) {
    return text("[", grid.cx, ", ", grid.cy, "]");
}

/// Returns the process grids of a program and of its phases as JSON; nothing where it has none.
std::string process_grids(const ProgramEntry& entry, const Settings& settings, Rank ranks) {
    std::string told;
    if (const auto grid = entry.processes(settings, ranks))
        told += text(R"(, "processes": )", list_of(*grid));
    if (entry.phases == nullptr) return told;
    std::string phases;
    for (const PhaseOutline& phase : entry.phases(settings, ranks)) {
        phases += text(phases.empty() ? "" : ", ", R"({"name": )", quoted(phase.name));
        if (const auto grid = phase.entry->processes(phase.settings, phase.ranks))
            phases += text(R"(, "processes": )", list_of(*grid));
        phases += "}";
    }
    return text(told, R"(, "phases": [)", phases, "]");
}

/// Repetitions of a program, and the choice of a model to run with data.
struct RunOptions {
    measure::Repetitions repetitions;
    bool with_payload = true;
};

/// Returns a program of which a tool records nothing else.
Program recorded(const Program& program) {
    mpi::set_recording(false);
    return [program](Comm& comm) -> Task {
        mpi::set_recording(true);
        co_await program(comm);
        mpi::set_recording(false);
    };
}

mpi::Body timed(const std::string& name, const Settings& settings, const RunOptions& options,
                Rank ranks) {
    const ProgramEntry& entry = find_program(name);
    const bool has_data = options.with_payload && times_data(entry);
    const Program program =
        has_data ? make_timed(entry, settings, ranks) : entry.make(settings, ranks);
    const std::string grids = process_grids(entry, settings, ranks);
    return [name, program = recorded(program), repetitions = options.repetitions,
            remarks = quoted(tuning_remarks(entry, settings, ranks)), grids,
            has_data](Comm& world) {
        if (!has_data) mpi::do_charged_work(world);
        std::vector<double> slowest;
        mpi::run(world,
                 [&](Comm& comm) { return measure::timed(comm, program, repetitions, slowest); });
        std::string list;
        for (const double time : slowest) list += text(list.empty() ? "" : ", ", time);
        return print(world,
                     text(R"(, "program": ")", name, R"(", "time_s": )", std::ranges::min(slowest),
                          R"(, "seconds": [)", list, R"(], "remarks": )", remarks, grids));
    };
}

measure::Native measured_native(const mpi::NativeNeighbor& native) {
    const auto connect = [native](Comm& comm, const NeighborGraph& graph) {
        const auto made =
            std::make_shared<mpi::GraphComm>(mpi::communicator_of(comm), graph, native.reorder);
        return measure::ConnectedNative{
            made->rank(), [made, native](Comm& on, const NeighborExchange& data) {
                return mpi::exchange(on, *made, data, native.nonblocking);
            }};
    };
    return {std::string(native.name), std::string(neighbor_operation.name), nullptr, connect};
}

/// Makes the kernels of the transforms of PSTSWM at T85 with 16 levels.
std::vector<measure::Kernel> spectral_kernels() {
    const auto work = std::make_shared<spectral::TransformWork>(85, 16);
    return {{"legendre", work->legendre_flops(), 0, [work] { work->legendre(); }},
            {"fourier", work->fourier_flops(), 0, [work] { work->fourier(); }}};
}

Program measurement(const std::string& name, const Settings& settings, Rank ranks,
                    measure::Rows& rows) {
    std::vector<measure::Native> natives;
    for (const auto& native : mpi::native_collectives())
        natives.push_back({"native", std::string(native.operation), native.run});
    for (const auto& native : mpi::native_neighbors()) natives.push_back(measured_native(native));
    return measure::measurement(name).make(settings, ranks, {natives, spectral_kernels}, rows);
}

mpi::Body measured(const std::string& name, const Settings& settings, Rank ranks) {
    const auto rows = std::make_shared<measure::Rows>();
    const Program program = measurement(name, settings, ranks, *rows);
    return [name, program, rows](Comm& world) {
        mpi::run(world, program);
        return print(world,
                     text(R"(, "measurement": ")", name, R"(", "rows": )", measure::json(*rows)));
    };
}

/// The program's own settings, and how it runs: once, with data if it has any.
std::pair<Settings, RunOptions> run_settings(const std::string& program, const Settings& given) {
    const RunOptions options{
        {measure::given::warm_up.of(given, 0), measure::given::repetitions.of(given, 1)},
        measure::given::payload.of(given)};
    Settings own =
        given.without({measure::given::warm_up.name(), measure::given::repetitions.name(),
                       measure::given::payload.name()});
    tune_by_environment(find_program(program), own);
    return {own, options};
}

mpi::Body prepare(Words words, Rank ranks) {
    const std::string action = words.empty() ? "" : words[0];
    if (action == "info") {
        return [](Comm& world) { return print(world, text(R"(, "nodes": )", mpi::nodes())); };
    }
    if (action == "verify") return verify;
    if (action == "run" && words.size() >= 2) {
        const auto [settings, options] = run_settings(words[1], read_settings(words.subspan(2)));
        return timed(words[1], settings, options, ranks);
    }
    if (action == "measure" && words.size() >= 2)
        return measured(words[1], read_settings(words.subspan(2)), ranks);
    if (action == "simulate") return simulation(words.subspan(1));
    throw ConfigError(
        "usage: tradewind-mpi info | verify | run PROGRAM [KEY=VALUE...] | measure NAME "
        "[KEY=VALUE...] | simulate SECTION.KEY=VALUE...");
}

}  // namespace

}  // namespace tradewind

int main(int count, char** arguments) {
    return tradewind::mpi::run_main(count, arguments, tradewind::prepare);
}
