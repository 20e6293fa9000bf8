/// Outlines and outputs as dictionaries of numbers and numpy arrays.
#include "models.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "array.hpp"
#include "interrupts.hpp"
#include "settings.hpp"
#include "tradewind/catalogue/programs.hpp"
#include "tradewind/program/checkpoint.hpp"
#include "tradewind/program/model_run.hpp"
#include "tradewind/simcomm/virtual_ranks.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

namespace {

Settings settings_from(const nb::dict& settings) {
    nb::dict spec;
    spec["model"] = settings;
    return sections_from(spec).at("model");
}

const ProgramEntry& find_model(const std::string& name) {
    const ProgramEntry& entry = find_program(name);
    if (entry.plan == nullptr) throw ConfigError(text(name, " has no data to run with"));
    return entry;
}

/// Nests numbers whose names have dots.
nb::dict nested(const std::vector<Number>& numbers) {
    nb::dict result;
    for (const Number& number : numbers) {
        const nb::object value =
            std::visit([](const auto& one) { return nb::cast(one); }, number.value);
        const auto dot = number.name.find('.');
        if (dot == std::string::npos) {
            result[nb::cast(number.name)] = value;
            continue;
        }
        const nb::object group = nb::cast(number.name.substr(0, dot));
        if (!result.contains(group)) result[group] = nb::dict();
        result[group][nb::cast(number.name.substr(dot + 1))] = value;
    }
    return result;
}

/// Lists name, meaning, unit and whether it is a headline, for tables.
nb::list described(const std::vector<Number>& numbers) {
    nb::list result;
    for (const Number& number : numbers) {
        nb::dict one;
        one["name"] = number.name;
        one["meaning"] = number.meaning;
        one["unit"] = number.unit;
        one["is_headline"] = number.is_headline;
        result.append(one);
    }
    return result;
}

std::vector<std::size_t> shape_of(const FieldInfo& field, const Outline& outline) {
    std::vector<std::size_t> shape;
    for (const std::string_view dimension : field.dimensions) {
        for (const Axis& axis : outline.axes)
            if (axis.dimension == dimension) shape.push_back(axis.values.size());
        if (dimension == node_dimension) shape.push_back(std::size_t(outline.mesh->nodes()));
        if (dimension == face_dimension) shape.push_back(std::size_t(outline.mesh->faces()));
        if (!outline.stations) continue;
        for (const Axis& axis : outline.stations->axes)
            if (axis.dimension == dimension) shape.push_back(axis.values.size());
        if (dimension == station_dimension) shape.push_back(outline.stations->names.size());
    }
    return shape;
}

nb::object array(std::span<const double> values, const std::vector<std::size_t>& shape) {
    return owning_array(std::vector<double>(values.begin(), values.end()), shape);
}

nb::dict dictionary(const FieldInfo& field) {
    nb::dict result;
    result["name"] = field.name;
    result["variable"] = field.variable;
    result["unit"] = field.unit;
    result["standard_name"] = field.standard_name;
    result["long_name"] = field.long_name;
    result["dimensions"] = nb::tuple(nb::cast(field.dimensions));
    result["cell_methods"] = field.cell_methods;
    return result;
}

nb::dict dictionary(const Axis& axis) {
    nb::dict result;
    result["dimension"] = axis.dimension;
    result["name"] = axis.name;
    result["unit"] = axis.unit;
    result["standard_name"] = axis.standard_name;
    result["long_name"] = axis.long_name;
    result["axis"] = axis.axis;
    result["values"] = array(axis.values, {axis.values.size()});
    return result;
}

nb::dict dictionary(const MeshTopology& mesh) {
    const auto nodes = std::size_t(mesh.nodes());
    const auto faces = std::size_t(mesh.faces());
    nb::dict sizes;
    sizes[nb::cast(node_dimension)] = nodes;
    sizes[nb::cast(face_dimension)] = faces;
    nb::dict result;
    result["sizes"] = sizes;
    result["faces_are"] = mesh.faces_are;
    result["longitudes"] = array(mesh.longitudes, {nodes});
    result["latitudes"] = array(mesh.latitudes, {nodes});
    result["face_nodes"] = array(mesh.face_nodes, {faces, std::size_t(mesh.nodes_per_face)});
    const std::size_t places = mesh.face_longitudes.size();
    result["face_longitudes"] = array(mesh.face_longitudes, {places});
    result["face_latitudes"] = array(mesh.face_latitudes, {places});
    return result;
}

nb::list list_of(const std::vector<Axis>& axes) {
    nb::list result;
    for (const Axis& axis : axes) result.append(dictionary(axis));
    return result;
}

nb::list list_of(const std::vector<FieldInfo>& fields) {
    nb::list result;
    for (const FieldInfo& field : fields) result.append(dictionary(field));
    return result;
}

nb::list list_of(const std::vector<FixedField>& fields, const Outline& outline) {
    nb::list result;
    for (const FixedField& field : fields) {
        nb::dict one = dictionary(field.info);
        one["values"] = array(field.values, shape_of(field.info, outline));
        result.append(one);
    }
    return result;
}

nb::dict dictionary(const StationSpectra& stations, const Outline& outline) {
    const std::size_t count = stations.names.size();
    nb::dict result;
    result["names"] = stations.names;
    result["longitudes"] = array(stations.longitudes, {count});
    result["latitudes"] = array(stations.latitudes, {count});
    result["axes"] = list_of(stations.axes);
    result["fields"] = list_of(stations.fields);
    result["fixed_fields"] = list_of(stations.fixed_fields, outline);
    return result;
}

/// Returns arrays by the names of their fields.
nb::dict named_arrays(const std::vector<FieldInfo>& fields,
                      const std::vector<std::span<const double>>& values, const Outline& outline) {
    nb::dict result;
    for (std::size_t i = 0; i < values.size(); ++i)
        result[nb::cast(fields[i].name)] = array(values[i], shape_of(fields[i], outline));
    return result;
}

class PythonObserver final : public RunObserver {
public:
    PythonObserver(const Outline& outline, nb::object observer)
        : outline_(outline), observer_(std::move(observer)) {}

    void stepped(std::int64_t step) override {
        const nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        observer_.attr("stepped")(step);
    }

    void observed(const ModelOutput& output) override {
        const nb::gil_scoped_acquire gil;
        nb::dict result;
        result["step"] = output.step;
        result["time_s"] = output.time_s;
        result["fields"] = named_arrays(outline_.fields, output.fields, outline_);
        result["spectra"] = outline_.stations
                                ? named_arrays(outline_.stations->fields, output.spectra, outline_)
                                : nb::dict();
        result["numbers"] = nested(output.numbers);
        result["about_numbers"] = described(output.numbers);
        observer_.attr("observed")(result);
    }

private:
    const Outline& outline_;
    nb::object observer_;
};

/// Plans a run while other threads of Python go on: a plan of many ranks may take long.
auto plan_without_gil(const ProgramEntry& model, const Settings& settings, std::int64_t ranks) {
    return without_gil([&] { return model.plan(settings, ranks); });
}

Checkpoints checkpoints_from(const ProgramEntry& model, const Settings& settings,
                             const nb::dict& given) {
    if (given.size() == 0) return {};
    if (!model.can_restart) throw ConfigError(text(model.name, " has no checkpoints"));
    return {identity_of(model.name, TRADEWIND_VERSION, settings),
            nb::cast<std::int64_t>(given["every"]), nb::cast<std::string>(given["file"]),
            nb::cast<std::string>(given["restart"])};
}

}  // namespace

nb::dict plan_model(const std::string& model, const nb::dict& settings, std::int64_t ranks) {
    const auto planned = plan_without_gil(find_model(model), settings_from(settings), ranks);
    const Outline& outline = planned->outline();
    nb::dict result;
    result["model"] = outline.model;
    result["references"] = outline.references;
    result["processes"] = nb::make_tuple(outline.processes.cx, outline.processes.cy);
    result["steps"] = outline.steps;
    result["time_step_s"] = outline.time_step_s;
    nb::dict origin;
    origin["since"] = outline.origin.since;
    origin["calendar"] = outline.origin.calendar;
    origin["start_s"] = outline.origin.start_s;
    result["origin"] = origin;
    result["axes"] = list_of(outline.axes);
    result["mesh"] = outline.mesh ? nb::object(dictionary(*outline.mesh)) : nb::none();
    result["fields"] = list_of(outline.fields);
    result["fixed_fields"] = list_of(outline.fixed_fields, outline);
    result["stations"] =
        outline.stations ? nb::object(dictionary(*outline.stations, outline)) : nb::none();
    result["numbers"] = nested(outline.numbers);
    result["about_numbers"] = described(outline.numbers);
    return result;
}

nb::dict predict_model_memory(const std::string& model, const nb::dict& settings,
                              std::int64_t ranks) {
    const ProgramEntry& entry = find_model(model);
    const Settings given = settings_from(settings);
    const RunMemory memory = without_gil([&] { return entry.memory(given, ranks); });
    nb::dict result;
    result["ranks"] = memory.ranks;
    result["results"] = memory.results;
    return result;
}

nb::dict run_model(const std::string& model, const nb::dict& settings, std::int64_t ranks,
                   const nb::object& observer, const nb::dict& checkpoints) {
    const ProgramEntry& entry = find_model(model);
    const Settings given = settings_from(settings);
    const auto planned = plan_without_gil(entry, given, ranks);
    const Checkpoints files = checkpoints_from(entry, given, checkpoints);
    PythonObserver watch(planned->outline(), observer);
    const auto go_on = [](std::int64_t, std::int64_t, Picoseconds) {
        const nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        return true;
    };
    const simcomm::Traffic traffic = without_gil([&] {
        return simcomm::run_virtual(
            ranks, [&](Comm& comm) { return planned->run(comm, watch, files); }, go_on);
    });
    nb::dict result;
    result["messages"] = traffic.messages;
    result["bytes"] = traffic.bytes;
    result["simulated_s"] = seconds(traffic.time);
    return result;
}

}  // namespace tradewind::bindings
