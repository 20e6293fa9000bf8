/// The models beside the skeleton programs.
#include "programs.hpp"

#include <nanobind/stl/string_view.h>

#include "tradewind/models/catalogue.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

Program make_program(const std::string& name, const Settings& settings, Rank ranks) {
    const models::ModelEntry* const model = models::find(name);
    return model != nullptr ? model->make(settings, ranks)
                            : skeleton::make_program(name, settings, ranks);
}

skeleton::Estimate estimate(const std::string& name, const Settings& settings, Rank ranks) {
    const models::ModelEntry* const model = models::find(name);
    return model != nullptr ? skeleton::count_messages(ranks, model->make(settings, ranks), 1024)
                            : skeleton::estimate(name, settings, ranks);
}

std::vector<OperationUse> operations_of(const std::string& name, const Settings& settings,
                                        Rank ranks) {
    const models::ModelEntry* const model = models::find(name);
    return model != nullptr ? model->operations(settings, ranks)
                            : skeleton::program(name).operations(settings, ranks);
}

std::vector<std::string> tuning_remarks_of(const std::string& name, const Settings& settings,
                                           Rank ranks) {
    const models::ModelEntry* const model = models::find(name);
    return model != nullptr ? models::tuning_remarks(*model, settings, ranks)
                            : skeleton::tuning_remarks(name, settings, ranks);
}

std::optional<ProcessGrid> processes_of(const std::string& name, const Settings& settings,
                                        Rank ranks) {
    const models::ModelEntry* const model = models::find(name);
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
    for (const auto& model : models::catalogue())
        result.append(nb::make_tuple(model.name, model.summary));
    return result;
}

}  // namespace tradewind::bindings
