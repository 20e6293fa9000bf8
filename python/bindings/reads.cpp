/// The record of what is read while a run is set up.
#include "reads.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "programs.hpp"
#include "settings.hpp"
#include "tradewind/simcomm/machine_settings.hpp"
#include "tradewind/simcomm/read_machine.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

nb::dict read_values(const nb::dict& spec) {
    simcomm::Sections sections = sections_from(spec);
    for (const simcomm::SectionEntry& section : simcomm::machine_sections())
        (void)sections[std::string(section.name)];
    std::map<std::string, std::shared_ptr<Settings::Reads>> reads;
    for (auto& [name, settings] : sections) {
        reads[name] = std::make_shared<Settings::Reads>();
        settings.record(reads[name]);
    }
    const GivenProgram given(sections);
    (void)given.make();
    without_gil([&] { (void)simcomm::predict(sections, given.ranks(), {}); });
    (void)simcomm::read_observation(sections.at("simulation"), given.ranks());
    nb::dict result;
    for (const auto& [name, values] : reads) {
        nb::dict section;
        for (const auto& [key, held] : *values) {
            const auto cast = [](const auto& value) -> nb::object { return nb::cast(value); };
            section[nb::str(key.data(), key.size())] = std::visit(cast, held);
        }
        result[nb::str(name.data(), name.size())] = section;
    }
    return result;
}

}  // namespace tradewind::bindings
