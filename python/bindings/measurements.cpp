/// Measurements on simulated ranks.
#include "measurements.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "interrupts.hpp"
#include "settings.hpp"
#include "tradewind/measure/timing.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

nb::list measure_simulated(const nb::dict& spec, const std::string& name,
                           const nb::dict& settings) {
    const simcomm::Sections sections = sections_from(spec);
    const auto ranks = sections.at("program").need<std::int64_t>("ranks");
    nb::dict wrapped;
    wrapped["measurement"] = settings;
    Settings given = sections_from(wrapped).at("measurement");
    given.set(measure::given::payload.name(), false);
    measure::Rows rows;
    const auto report = [](std::int64_t, std::int64_t, Picoseconds) {
        const nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        return true;
    };
    without_gil([&] {
        const Program program = measure::measurement(name).make(given, ranks, {}, rows);
        (void)simcomm::simulate(sections, program, ranks, report);
    });
    nb::list result;
    for (const measure::Row& row : rows) {
        nb::dict entry;
        entry["name"] = row.name;
        entry["bytes"] = row.bytes;
        entry["seconds"] = row.seconds;
        entry["values"] = row.values;
        result.append(entry);
    }
    return result;
}

}  // namespace tradewind::bindings
