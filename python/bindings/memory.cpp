/// Foretells the memory of a model's run from the outline of its plan.
#include "memory.hpp"

#include "settings.hpp"
#include "tradewind/base/errors.hpp"
#include "tradewind/models/helmholtz/memory.hpp"
#include "tradewind/models/pstswm/memory.hpp"
#include "tradewind/models/semi_lagrangian/memory.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

namespace {

[[nodiscard]] models::RunMemory memory_of(const std::string& model, const Settings& settings,
                                          std::int64_t ranks) {
    if (model == "pstswm") return pstswm::memory_of(pstswm::make_outline(settings, ranks));
    if (model == "semi_lagrangian")
        return semi_lagrangian::memory_of(semi_lagrangian::make_outline(settings, ranks));
    if (model == "helmholtz") {
        return helmholtz::memory_of(
            helmholtz::make_outline(settings, ranks, helmholtz::most_iterations));
    }
    throw ConfigError(
        text("no model ", model, " has data; pstswm, semi_lagrangian and helmholtz do"));
}

}  // namespace

nb::dict foretell_memory(const std::string& model, const nb::dict& settings, std::int64_t ranks) {
    nb::dict spec;
    spec["model"] = settings;
    const models::RunMemory memory = memory_of(model, sections_from(spec).at("model"), ranks);
    nb::dict result;
    result["ranks"] = memory.ranks;
    result["results"] = memory.results;
    return result;
}

}  // namespace tradewind::bindings
