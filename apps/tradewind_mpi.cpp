/// tradewind-mpi: what mpiexec starts. Prints one JSON object on the first rank.
///
///     tradewind-mpi info                            library and number of ranks
///     tradewind-mpi verify                          every algorithm with real data; status 1 if one is wrong
///     tradewind-mpi run PROGRAM [KEY=VALUE...]      a program of the catalogue, timed
///     tradewind-mpi measure NAME [KEY=VALUE...]     a measurement of the table, all its repetitions
///     tradewind-mpi simulate SECTION.KEY=VALUE...   one simulation, shared by the processes
#include <algorithm>
#include <iostream>
#include <memory>

#include "simulate.hpp"
#include "tradewind/base/settings_text.hpp"
#include "tradewind/comm/verification/verification.hpp"
#include "tradewind/measure/json.hpp"
#include "tradewind/measure/timing.hpp"
#include "tradewind/mpi/collectives.hpp"
#include "tradewind/mpi/library.hpp"
#include "tradewind/mpi/mpi_comm.hpp"
#include "tradewind/mpi/runtime.hpp"
#include "tradewind/skeleton/program.hpp"

namespace tradewind {

namespace {

using Words = std::span<const std::string>;

/// The start of every result.
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

mpi::Body timed(const std::string& name, const Program& program) {
    return [name, program](Comm& world) {
        std::vector<double> slowest;
        mpi::run(world, [&](Comm& comm) { return measure::timed(comm, program, {0, 1}, slowest); });
        return print(world, text(R"(, "program": ")", name, R"(", "time_s": )", slowest[0]));
    };
}

mpi::Body measured(const std::string& name, const Settings& settings, Rank ranks) {
    std::vector<measure::Native> natives;
    for (const auto& native : mpi::native_collectives())
        natives.push_back({"native", std::string(native.operation), native.run});
    const auto rows = std::make_shared<measure::Rows>();
    const Program program = measure::measurement(name).make(settings, ranks, natives, *rows);
    return [name, program, rows](Comm& world) {
        mpi::run(world, program);
        return print(world,
                     text(R"(, "measurement": ")", name, R"(", "rows": )", measure::json(*rows)));
    };
}

mpi::Body prepare(Words words, Rank ranks) {
    const std::string action = words.empty() ? "" : words[0];
    if (action == "info") return [](Comm& world) { return print(world, ""); };
    if (action == "verify") return verify;
    if (action == "run" && words.size() >= 2) {
        const auto settings = read_settings(words.subspan(2));
        return timed(words[1], skeleton::make_program(words[1], settings, ranks));
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
