/// The models beside the skeleton programs.
#include "programs.hpp"

#include <nanobind/stl/string_view.h>

#include "tradewind/models/helmholtz/solve.hpp"
#include "tradewind/models/pstswm/run.hpp"
#include "tradewind/models/semi_lagrangian/run.hpp"
#include "tradewind/models/settings.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

namespace {

using FindProcesses = std::optional<ProcessGrid> (*)(const Settings& settings, Rank ranks);

struct ModelEntry {
    std::string_view name;
    std::string_view summary;
    Program (*make)(const Settings& settings, Rank ranks);
    FindProcesses processes;
};

std::optional<ProcessGrid> no_processes(const Settings&, Rank) {
    return {};
}

std::optional<ProcessGrid> processes_of_columns(const Settings& settings, Rank ranks) {
    const auto grid = models::read_numbers<3>("program", settings, "grid");
    return models::read_processes("program", settings, ranks, {grid[0], grid[1]});
}

constexpr ModelEntry models[] = {
    {"pstswm", "messages of the spectral transform shallow water model (worley1998)",
     pstswm::make_skeleton, no_processes},
    {"semi_lagrangian", "semi-Lagrangian steps on the sphere, wide halo or exchange on demand",
     semi_lagrangian::make_skeleton, processes_of_columns},
    {"helmholtz", "GCR(k) or pipelined GCR(k) on a 3-D Helmholtz problem", helmholtz::make_skeleton,
     processes_of_columns},
};

[[nodiscard]] const ModelEntry* find_model(const std::string& name) {
    for (const ModelEntry& model : models)
        if (model.name == name) return &model;
    return nullptr;
}

}  // namespace

Program make_program(const std::string& name, const Settings& settings, Rank ranks) {
    const ModelEntry* const model = find_model(name);
    return model != nullptr ? model->make(settings, ranks)
                            : skeleton::make_program(name, settings, ranks);
}

skeleton::Estimate estimate(const std::string& name, const Settings& settings, Rank ranks) {
    const ModelEntry* const model = find_model(name);
    return model != nullptr ? skeleton::count_messages(ranks, model->make(settings, ranks), 1024)
                            : skeleton::estimate(name, settings, ranks);
}

std::vector<skeleton::OperationUse> operations_of(const std::string& name, const Settings& settings,
                                                  Rank ranks) {
    if (find_model(name) != nullptr) return {};
    return skeleton::program(name).operations(settings, ranks);
}

std::optional<ProcessGrid> processes_of(const std::string& name, const Settings& settings,
                                        Rank ranks) {
    const ModelEntry* const model = find_model(name);
    return model != nullptr ? model->processes(settings, ranks)
                            : skeleton::program(name).processes(settings, ranks);
}

Settings program_settings(const Settings& section) {
    auto values = section.values();
    values.erase("name");
    values.erase("ranks");
    return Settings(std::move(values));
}

nb::list programs() {
    nb::list result;
    for (const auto& entry : skeleton::programs())
        result.append(nb::make_tuple(entry.name, entry.summary));
    for (const ModelEntry& model : models) result.append(nb::make_tuple(model.name, model.summary));
    return result;
}

}  // namespace tradewind::bindings
