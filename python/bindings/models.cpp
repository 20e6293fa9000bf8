/// Fields and diagnostics as dictionaries of NumPy arrays.
#include "models.hpp"

#include <nanobind/stl/string.h>

#include <numbers>

#include "array.hpp"
#include "settings.hpp"
#include "tradewind/models/pstswm/run.hpp"
#include "tradewind/simcomm/virtual_ranks.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

namespace {

nb::str key(std::string_view name) {
    return nb::str(name.data(), name.size());
}

nb::dict dictionary(const pstswm::Norms& norms) {
    nb::dict result;
    result["l1"] = norms.l1;
    result["l2"] = norms.l2;
    result["maximum"] = norms.maximum;
    return result;
}

nb::dict dictionary(const pstswm::Diagnostics& diagnostics) {
    nb::dict result;
    for (const auto& [name, value] : pstswm::diagnostic_numbers())
        result[key(name)] = diagnostics.*value;
    for (const auto& [name, norms] : pstswm::diagnostic_norms())
        if (diagnostics.has_norms) result[key(name)] = dictionary(diagnostics.*norms);
    return result;
}

class PythonObserver final : public pstswm::Observer {
public:
    PythonObserver(const pstswm::Plan& plan, nb::object observer)
        : plan_(plan), observer_(std::move(observer)) {}

    void stepped(std::int64_t step) override {
        const nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        observer_.attr("stepped")(step);
    }

    void observed(const pstswm::Snapshot& snapshot) override {
        const nb::gil_scoped_acquire gil;
        nb::dict result;
        result["step"] = snapshot.step;
        result["time_s"] = snapshot.time;
        for (const auto& [name, values] : pstswm::snapshot_fields())
            result[key(name)] = field(snapshot.*values);
        result["diagnostics"] = dictionary(pstswm::diagnose(plan_, snapshot, 0));
        observer_.attr("observed")(result);
    }

private:
    [[nodiscard]] nb::object field(const std::vector<double>& values) const {
        return owning_array(values, {std::size_t(plan_.levels), std::size_t(plan_.latitudes),
                                     std::size_t(plan_.longitudes)});
    }

    const pstswm::Plan& plan_;
    nb::object observer_;
};

/// Returns the properties of a plan: coordinates in degrees, and the height of the ground in m as
/// [latitude][longitude].
nb::dict grid_of(const pstswm::Plan& plan) {
    constexpr double degrees = 180 / std::numbers::pi;
    std::vector<double> latitudes;
    std::vector<double> longitudes;
    std::vector<double> ground;
    for (std::int64_t i = 0; i < plan.longitudes; ++i)
        longitudes.push_back(plan.longitude(i) * degrees);
    for (std::int64_t j = 0; j < plan.latitudes; ++j) {
        latitudes.push_back(plan.latitude(j) * degrees);
        for (std::int64_t i = 0; i < plan.longitudes; ++i) {
            const pstswm::Place at{plan.longitude(i), plan.latitude(j)};
            ground.push_back(plan.test_case->ground(at) / pstswm::gravity);
        }
    }
    const auto rows = std::size_t(plan.latitudes);
    const auto columns = std::size_t(plan.longitudes);
    nb::dict result;
    result["latitude_deg"] = owning_array(std::move(latitudes), {rows});
    result["longitude_deg"] = owning_array(std::move(longitudes), {columns});
    result["ground_m"] = owning_array(std::move(ground), {rows, columns});
    result["processes"] = nb::make_tuple(plan.mesh.px, plan.mesh.py);
    result["steps"] = plan.steps;
    result["fastest_wave_m_s"] = plan.fastest_wave;
    result["courant_number"] = plan.courant_number;
    nb::list fields;
    for (const auto& [name, values] : pstswm::snapshot_fields()) fields.append(key(name));
    result["fields"] = fields;
    return result;
}

pstswm::Plan plan_of(const nb::dict& settings, std::int64_t ranks) {
    nb::dict spec;
    spec["pstswm"] = settings;
    return pstswm::make_plan(sections_from(spec).at("pstswm"), ranks);
}

}  // namespace

nb::dict plan_pstswm(const nb::dict& settings, std::int64_t ranks) {
    const pstswm::Plan plan = plan_of(settings, ranks);
    pstswm::require_data(plan);
    return grid_of(plan);
}

nb::dict run_pstswm(const nb::dict& settings, std::int64_t ranks, const nb::object& observer) {
    const pstswm::Plan plan = plan_of(settings, ranks);
    PythonObserver watch(plan, observer);
    simcomm::Traffic traffic;
    {
        const nb::gil_scoped_release no_gil;
        traffic = simcomm::run_virtual(
            ranks, [&](Comm& comm) { return pstswm::run_model(comm, plan, watch); });
    }
    nb::dict result;
    result["messages"] = traffic.messages;
    result["bytes"] = traffic.bytes;
    return result;
}

}  // namespace tradewind::bindings
