/// The look-up of a program among skeleton programs and models.
#include "programs.hpp"

#include <nanobind/stl/string_view.h>

namespace nb = nanobind;

namespace tradewind::bindings {

namespace {

/// Returns the section without the keys that every program has.
Settings own_settings(const Settings& section) {
    auto values = section.values();
    values.erase("name");
    values.erase("ranks");
    return Settings(std::move(values));
}

}  // namespace

GivenProgram::GivenProgram(const simcomm::Sections& sections)
    : name_(sections.at("program").need<std::string>("name")),
      ranks_(sections.at("program").need<std::int64_t>("ranks")),
      settings_(own_settings(sections.at("program"))),
      model_(models::find(name_)) {}

Program GivenProgram::make() const {
    return model_ != nullptr ? model_->make(settings_, ranks_)
                             : skeleton::make_program(name_, settings_, ranks_);
}

skeleton::Estimate GivenProgram::estimate() const {
    return model_ != nullptr ? skeleton::count_messages(ranks_, make(), 1024)
                             : skeleton::estimate(name_, settings_, ranks_);
}

std::vector<OperationUse> GivenProgram::operations() const {
    return model_ != nullptr ? model_->operations(settings_, ranks_)
                             : skeleton::program(name_).operations(settings_, ranks_);
}

std::vector<std::string> GivenProgram::tuning_remarks() const {
    return model_ != nullptr ? models::tuning_remarks(*model_, settings_, ranks_)
                             : skeleton::tuning_remarks(name_, settings_, ranks_);
}

std::optional<ProcessGrid> GivenProgram::processes() const {
    return model_ != nullptr ? model_->processes(settings_, ranks_)
                             : skeleton::program(name_).processes(settings_, ranks_);
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
