/// The programs of the catalogue and the settings that they declare.
#pragma once

#include <nanobind/nanobind.h>

#include "interrupts.hpp"
#include "tradewind/catalogue/programs.hpp"
#include "tradewind/simcomm/assemble.hpp"

namespace tradewind::bindings {

/// The program that the section `program` describes. Its functions release the lock of Python.
class GivenProgram {
public:
    explicit GivenProgram(const simcomm::Sections& sections);

    [[nodiscard]] Rank ranks() const noexcept { return ranks_; }
    [[nodiscard]] Program make() const {
        return without_gil([&] { return entry_->make(settings_, ranks_); });
    }
    [[nodiscard]] Estimate estimate() const {
        return without_gil([&] { return entry_->estimate(settings_, ranks_); });
    }
    [[nodiscard]] std::vector<OperationUse> operations() const {
        return without_gil([&] { return entry_->operations(settings_, ranks_); });
    }
    /// Lists where a run takes what was tuned for another number of ranks.
    [[nodiscard]] std::vector<std::string> remarks() const {
        return without_gil([&] { return tuning_remarks(*entry_, settings_, ranks_); });
    }
    /// Returns the items that a program distributes, if one can choose how.
    [[nodiscard]] std::optional<ItemGraph> item_graph() const {
        if (entry_->item_graph == nullptr) return {};
        return without_gil([&] { return entry_->item_graph(settings_, ranks_); });
    }
    /// Returns who sends how many items to whom in an exchange of the halo, if there is one.
    [[nodiscard]] std::optional<std::vector<HaloEdge>> halo_edges() const {
        if (entry_->halo_edges == nullptr) return {};
        return without_gil([&] { return entry_->halo_edges(settings_, ranks_); });
    }
    /// Returns the process grid of a program that has one.
    [[nodiscard]] std::optional<ProcessGrid> processes() const {
        return without_gil([&] { return entry_->processes(settings_, ranks_); });
    }

    /// Lists the phases of a program that has some.
    [[nodiscard]] std::vector<PhaseOutline> phases() const {
        if (entry_->phases == nullptr) return {};
        return without_gil([&] { return entry_->phases(settings_, ranks_); });
    }

private:
    const ProgramEntry* entry_;
    Rank ranks_;
    Settings settings_;
};

/// Returns every program as a dictionary: name, summary, operation, is_model, can_restart,
/// has_items, has_halo, tuned_setting, and the declarations of settings, message_settings and
/// run_settings.
[[nodiscard]] nanobind::list list_programs();
/// Returns the declarations of the settings that choose an algorithm.
[[nodiscard]] nanobind::list list_algorithm_settings();

}  // namespace tradewind::bindings
