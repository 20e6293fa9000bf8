/// The reading of the sections, the run of the simulation, and its result on the first process.
#include "simulate.hpp"

#include <chrono>
#include <cstdio>
#include <iostream>

#include "mpi_process_group.hpp"
#include "tradewind/base/settings_text.hpp"
#include "tradewind/catalogue/programs.hpp"
#include "tradewind/simcomm/assemble.hpp"

namespace tradewind {

namespace {

simcomm::Sections read_sections(std::span<const std::string> words) {
    simcomm::Sections sections;
    const Settings settings = read_settings(words);
    for (const auto& [name, value] : settings.values()) {
        const auto dot = name.find('.');
        if (dot == std::string::npos)
            throw ConfigError(text('"', name, "\" is not of the form section.key"));
        sections[name.substr(0, dot)].set(name.substr(dot + 1), value);
    }
    return sections;
}

std::string json(const simcomm::Outcome& outcome, int processes, double wall_s) {
    const auto& network = outcome.run.network;
    char hash[17];
    std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(outcome.run.hash));
    return text(R"({"processes": )", processes, R"(, "hash": ")", hash, R"(", "time_ps": )",
                outcome.run.time, R"(, "messages": )", outcome.run.messages, R"(, "bytes": )",
                outcome.run.bytes, R"(, "packets": )", network.packets, R"(, "packet_hops": )",
                network.packet_hops, R"(, "events": )", network.events, R"(, "windows": )",
                network.windows, R"(, "nodes": )", outcome.nodes, R"(, "delay_max_ps": )",
                network.delay.maximum(), R"(, "delay_median_ps": )", network.delay.quantile(0.5),
                R"(, "link_utilisation_max": )", network.utilisation_max, R"(, "memory_bytes": )",
                outcome.run.memory_bytes, R"(, "wall_s": )", wall_s, "}");
}

}  // namespace

mpi::Body simulation(std::span<const std::string> words) {
    const simcomm::Sections sections = read_sections(words);
    const auto found = sections.find("program");
    if (found == sections.end()) throw ConfigError("simulate: program.name is missing");
    const auto ranks = found->second.need<std::int64_t>("ranks");
    const Program program = find_program(found->second.need<std::string>("name"))
                                .make(found->second.without({"name", "ranks"}), ranks);
    return [sections, program, ranks](Comm& world) {
        const auto start = std::chrono::steady_clock::now();
        MpiProcessGroup group(MPI_COMM_WORLD);
        const auto say = [&](std::ostream& out, const std::string& line) {
            if (world.rank() == 0) out << line << std::endl;
        };
        try {
            const auto outcome = simcomm::simulate(sections, program, ranks, {}, &group);
            const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
            say(std::cout, json(outcome, group.processes(), wall.count()));
            return 0;
        } catch (const ConfigError& error) {
            // All processes get here, since an error of the simulation is thrown on all of them.
            say(std::cerr, text("tradewind: ", error.what()));
            return 2;
        } catch (const Error& error) {
            say(std::cerr, text("tradewind: ", error.what()));
            return 1;
        }
    };
}

}  // namespace tradewind
