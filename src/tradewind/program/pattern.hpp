/// Makes the catalogue entry of a communication pattern from the function that reads its plan.
///
/// A pattern has a plan (a struct), a reader `Plan read(const Settings&, Rank)`, a coroutine
/// `Task start(Comm&, const Plan&)`, beside the plan `Estimate estimate(const Plan&[, Rank])` and,
/// if it has operations to tune, `std::vector<OperationUse> uses(const Plan&, Rank)`. A plan with a
/// member `processes` has a process grid.
#pragma once

#include "tradewind/comm/tuning/read_algorithm.hpp"
#include "tradewind/program/entry.hpp"

namespace tradewind {

template <auto read, auto start, auto uses>
struct Pattern {
    static Program make(const Settings& settings, Rank ranks) {
        using Plan = decltype(read(settings, ranks));
        check_ranks("program", ranks);
        const auto plan = std::make_shared<const Plan>(read(settings, ranks));
        return [plan, ranks](Comm& comm) {
            check_size("program", comm, ranks);
            return start(comm, *plan);
        };
    }

    static Estimate expect(const Settings& settings, Rank ranks) {
        check_ranks("program", ranks);
        const auto plan = read(settings, ranks);
        if constexpr (requires { estimate(plan, ranks); }) {
            return estimate(plan, ranks);
        } else {
            return estimate(plan);
        }
    }

    static std::vector<OperationUse> operations(const Settings& settings, Rank ranks) {
        check_ranks("program", ranks);
        const auto plan = read(settings, ranks);
        if constexpr (uses != nullptr) {
            return uses(plan, ranks);
        } else {
            return {};
        }
    }

    static std::optional<ProcessGrid> processes(const Settings& settings, Rank ranks) {
        check_ranks("program", ranks);
        const auto plan = read(settings, ranks);
        if constexpr (requires { plan.processes; }) {
            return plan.processes;
        } else {
            return {};
        }
    }
};

/// Returns the entry of the pattern whose plan `read` reads and `start` carries out.
template <auto read, auto start, auto uses = nullptr>
[[nodiscard]] constexpr ProgramEntry pattern_entry(std::string_view name, std::string_view summary,
                                                   Schema settings,
                                                   std::string_view operation = {}) {
    using Functions = Pattern<read, start, uses>;
    ProgramEntry entry;
    entry.name = name;
    entry.summary = summary;
    entry.settings = settings;
    entry.operation = operation;
    if (operation.empty()) entry.tuned_setting = {};
    entry.make = Functions::make;
    entry.estimate = Functions::expect;
    entry.operations = Functions::operations;
    entry.processes = Functions::processes;
    return entry;
}

}  // namespace tradewind
