/// The models as programs.
#include "tradewind/models/catalogue.hpp"

#include <algorithm>
#include <memory>

#include "tradewind/base/whole_numbers.hpp"
#include "tradewind/comm/tuning/read_algorithm.hpp"
#include "tradewind/models/helmholtz/solve.hpp"
#include "tradewind/models/pstswm/choices.hpp"
#include "tradewind/models/pstswm/run.hpp"
#include "tradewind/models/semi_lagrangian/run.hpp"
#include "tradewind/models/settings.hpp"

namespace tradewind::models {

namespace {

struct NoObserver final : pstswm::Observer {
    void observed(const pstswm::Snapshot& /*snapshot*/) override {}
};

Task run_pstswm(Comm& comm, const pstswm::Plan& plan) {
    NoObserver observer;
    co_await pstswm::run_model(comm, plan, observer);
}

Program make_pstswm(const Settings& settings, Rank ranks) {
    const auto plan = std::make_shared<const pstswm::Plan>(pstswm::make_plan(settings, ranks));
    return [plan](Comm& comm) { return run_pstswm(comm, *plan); };
}

Task run_semi_lagrangian(Comm& comm, const semi_lagrangian::Plan& plan) {
    semi_lagrangian::Result result;
    co_await semi_lagrangian::run_model(comm, plan, result);
}

Program make_semi_lagrangian(const Settings& settings, Rank ranks) {
    const auto plan =
        std::make_shared<const semi_lagrangian::Plan>(semi_lagrangian::make_plan(settings, ranks));
    return [plan](Comm& comm) { return run_semi_lagrangian(comm, *plan); };
}

std::optional<ProcessGrid> no_processes(const Settings& /*settings*/, Rank /*ranks*/) {
    return {};
}

std::optional<ProcessGrid> processes_of_columns(const Settings& settings, Rank ranks) {
    const auto grid = whole_numbers(settings, "grid", 3);
    return read_processes("program", settings, ranks, {grid[0], grid[1]});
}

constexpr ModelEntry table[] = {
    {"pstswm", "spectral transform shallow water model (worley1998)", "method",
     pstswm::make_skeleton, make_pstswm, pstswm::operations, no_processes},
    {"semi_lagrangian", "semi-Lagrangian steps on the sphere, wide halo or exchange on demand",
     "exchange", semi_lagrangian::make_skeleton, make_semi_lagrangian, semi_lagrangian::operations,
     processes_of_columns},
    {"helmholtz", "GCR(k) or pipelined GCR(k) on a 3-D Helmholtz problem", "algorithm",
     helmholtz::make_skeleton, helmholtz::make_skeleton, helmholtz::operations,
     processes_of_columns},
};

[[nodiscard]] bool asks_for_tuning(const Settings& settings) {
    return std::ranges::any_of(settings.values(), [](const auto& entry) {
        const auto* const word = std::get_if<std::string>(&entry.second);
        return word != nullptr && *word == tuned;
    });
}

}  // namespace

std::span<const ModelEntry> catalogue() {
    return table;
}

const ModelEntry* find(std::string_view name) {
    const auto found = std::ranges::find(table, name, &ModelEntry::name);
    return found == std::end(table) ? nullptr : found;
}

std::vector<Way> ways() {
    std::vector<Way> all = pstswm::ways();
    std::ranges::copy(semi_lagrangian::ways(), std::back_inserter(all));
    return all;
}

std::vector<std::string> tuning_remarks(const ModelEntry& model, const Settings& settings,
                                        Rank ranks) {
    if (!asks_for_tuning(settings)) return {};
    return tradewind::tuning_remarks(need_tuning(settings), model.operations(settings, ranks));
}

}  // namespace tradewind::models
