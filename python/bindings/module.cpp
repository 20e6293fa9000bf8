/// The module tradewind._core: simulations, models, measurements and the contents of the tables.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <sys/resource.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <string>

#include "interrupts.hpp"
#include "machine.hpp"
#include "measurements.hpp"
#include "models.hpp"
#include "operations.hpp"
#include "programs.hpp"
#include "raw_trace.hpp"
#include "reads.hpp"
#include "result.hpp"
#include "routes.hpp"
#include "settings.hpp"
#include "tables.hpp"
#include "trace.hpp"
#include "tradewind/comm/protocol/transport.hpp"
#include "tradewind/sim/kernel/process_group.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

namespace {

#ifdef __clang__
constexpr const char* compiler = "clang " __clang_version__;
#else
constexpr const char* compiler = "g++ " __VERSION__;
#endif

double processor_seconds() {
    return double(std::clock()) / double(CLOCKS_PER_SEC);
}

/// Returns the peak resident memory from VmHWM, which belongs to the process itself; on Linux
/// ru_maxrss keeps the peak of the parent across exec.
std::int64_t peak_resident_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return std::int64_t{usage.ru_maxrss} * 1024;
}

/// Adds the process grids of the phases that the experiment describes to those in the result.
void add_process_grids(const nb::list& described, const nb::dict& result) {
    for (const nb::handle part : described) {
        if (part["processes"].is_none()) continue;
        for (const nb::handle phase : nb::cast<nb::list>(result["phases"]))
            if (phase["name"].equal(part["name"])) phase["processes"] = part["processes"];
    }
}

/// Runs one experiment. `group` is a capsule from tradewind._processes, or None if this process
/// runs it alone.
nb::dict simulate(const nb::dict& spec, const nb::object& progress, const nb::object& group) {
    sim::ProcessGroup* const shared = group.is_none()
                                          ? nullptr
                                          : static_cast<sim::ProcessGroup*>(PyCapsule_GetPointer(
                                                group.ptr(), "tradewind.ProcessGroup"));
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    const simcomm::Sections sections = sections_from(spec);
    const GivenProgram given(sections);
    const auto report = [&](std::int64_t finished, std::int64_t work, Picoseconds time) {
        const nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        return progress.is_none() || nb::cast<bool>(progress(finished, work, time));
    };
    const auto start = std::chrono::steady_clock::now();
    const double processor_start = processor_seconds();
    const Program program = given.make();
    const simcomm::Outcome outcome = without_gil(
        [&] { return simcomm::simulate(sections, program, given.ranks(), report, shared); });
    // Only the first process has the whole result.
    nb::dict result;
    if (shared == nullptr || shared->process() == 0) {
        result = dictionary_from(outcome, given.ranks());
        if (const nb::object grid = process_grid(given.processes()); !grid.is_none())
            result["processes"] = grid;
        add_process_grids(phases(spec), result);
    }
    result["wall_s"] =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result["cpu_s"] = processor_seconds() - processor_start;
    result["peak_rss_bytes"] = peak_resident_bytes();
    return result;
}

nb::dict predict(const nb::dict& spec) {
    const simcomm::Sections sections = sections_from(spec);
    const GivenProgram given(sections);
    // An estimate of many ranks may take long.
    const Estimate traffic = given.estimate();
    const simcomm::Prediction prediction = without_gil([&] {
        return simcomm::predict(sections, given.ranks(),
                                {traffic.messages, traffic.bytes, traffic.at_once});
    });
    nb::dict result;
    result["memory_bytes"] = prediction.memory_bytes;
    result["address_bytes"] = prediction.address_bytes;
    result["ranks"] = given.ranks();
    result["nodes"] = prediction.nodes;
    result["switches"] = prediction.switches;
    result["messages"] = traffic.messages;
    result["packets"] = prediction.packets;
    result["bytes"] = traffic.bytes;
    return result;
}

/// Translates a C++ exception to the class of tradewind.errors with the same name.
template <class Exception>
void translate(const char* name) {
    nb::register_exception_translator(
        [](const std::exception_ptr& error, void* payload) {
            try {
                std::rethrow_exception(error);
            } catch (const Exception& exception) {
                const nb::object type =
                    nb::module_::import_("tradewind.errors").attr(static_cast<char*>(payload));
                PyErr_SetString(type.ptr(), exception.what());
            }
        },
        const_cast<char*>(name));
}

}  // namespace

}  // namespace tradewind::bindings

NB_MODULE(_core, module) {
    using namespace tradewind;
    using namespace tradewind::bindings;
    module.doc() = "The compiled part of Tradewind.";
    look_for_signals();
    module.attr("version") = TRADEWIND_VERSION;
    module.attr("compiler") = compiler;
    // The translator registered last is tried first, hence derived classes come after their bases.
    translate<Error>("Error");
    translate<ConfigError>("ConfigError");
    translate<TopologyError>("TopologyError");
    translate<TraceError>("TraceError");
    translate<DeadlockError>("DeadlockError");
    translate<MessageError>("MessageError");
    translate<Interrupted>("Interrupted");
    add_trace(module);
    add_raw_trace(module);
    module.def("simulate", &simulate, nb::arg("spec"), nb::arg("progress") = nb::none(),
               nb::arg("group") = nb::none(),
               "Runs one experiment. `spec` holds a table for each section, in base units.");
    module.def("predict", &predict, nb::arg("spec"),
               "Estimates the memory and the traffic of an experiment.");
    module.def("read_values", &read_values, nb::arg("spec"),
               "Returns the settings that are read to set up an experiment, with defaults.");
    module.def("routes", &routes, nb::arg("spec"), nb::arg("nodes"),
               "Returns every route between the first nodes of a machine.");
    module.def("survey_machine", &survey_machine, nb::arg("spec"),
               "Returns the nodes, switches, links, distances and bisection of a machine.");
    module.def("message_cost", &bindings::message_cost, nb::arg("spec"), nb::arg("source"),
               nb::arg("target"), nb::arg("bytes"),
               "Returns the time of a message between two nodes, and its parts.");
    module.def("shortest_route", &shortest_route, nb::arg("spec"), nb::arg("source"),
               nb::arg("target"), "Returns the links of the shortest route between two nodes.");
    module.def("wiring", &wiring, nb::arg("spec"), nb::arg("most_links"),
               "Returns the switches of a machine, and how they are joined.");
    module.def("place_ranks", &place_ranks, nb::arg("spec"), nb::arg("ranks"),
               "Returns the node of each rank.");
    module.def("check_room", &bindings::check_room, nb::arg("spec"), nb::arg("ranks"),
               "Refuses more ranks than the nodes of a machine have room for.");
    module.def("plan_model", &plan_model, nb::arg("model"), nb::arg("settings"), nb::arg("ranks"),
               "Checks a model's run and returns its properties.");
    module.def("predict_model_memory", &predict_model_memory, nb::arg("model"), nb::arg("settings"),
               nb::arg("ranks"), "Estimates the memory of a model's run with data.");
    module.def("run_model", &run_model, nb::arg("model"), nb::arg("settings"), nb::arg("ranks"),
               nb::arg("observer"), nb::arg("checkpoints"),
               "Runs a model with real data on simulated ranks.");
    module.def("programs", &list_programs, "Returns every program with its settings.");
    module.def("topologies", &list_topologies, "Returns every topology with its settings.");
    module.def("routings", &list_routings, "Returns every routing rule with its settings.");
    module.def("collectives", &list_collectives,
               "Returns every operation with its default algorithm.");
    module.def("measurements", &list_measurements, "Returns the settings of every measurement.");
    module.def("machine_settings", &list_machine_settings,
               "Returns the settings of each section of a machine or simulation.");
    module.def("algorithm_settings", &list_algorithm_settings,
               "Returns the settings that choose an algorithm.");
    module.def("measure", &measure_simulated, nb::arg("spec"), nb::arg("name"), nb::arg("settings"),
               "Runs a measurement on the simulated ranks of an experiment; returns its rows.");
    module.def("operations", &operations, nb::arg("spec"),
               "Returns the operations of a program whose algorithm can be chosen.");
    module.def("processes", &processes, nb::arg("spec"),
               "Returns a program's process grid, or None.");
    module.def("phases", &bindings::phases, nb::arg("spec"),
               "Returns the phases of a program that has some: name, ranks and process grid.");
    module.def("item_graph", &item_graph, nb::arg("spec"),
               "Returns the items that a program distributes and their neighbours, or None.");
    module.def("rank_edges", &rank_edges, nb::arg("graph"), nb::arg("partition"), nb::arg("ranks"),
               "Returns the edges of a graph of ranks from a file: from, to, weight.");
    module.def(
        "halo_edges", &halo_edges, nb::arg("spec"),
        "Returns who sends how many items to whom in an exchange of a program's halo: from, to, "
        "weight; or None.");
    module.def("tuning_remarks", &bindings::tuning_remarks, nb::arg("spec"),
               "Returns remarks on operations tuned for another number of ranks.");
    module.def("put_protocols", &tradewind::put_protocols,
               "Returns the message protocols that differ when puts carry them.");
    module.def("algorithms", &algorithms, "Returns the algorithms that can be chosen.");
    module.def("tuned_case", &tuned_case, nb::arg("table"), nb::arg("operation"), nb::arg("ranks"),
               nb::arg("bytes"), "Returns the case that a tuning table selects.");
    module.def("catalogue", &catalogue,
               "Returns names and summaries of all that is chosen by name.");
}
