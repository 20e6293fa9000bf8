/// The entry of a program in the catalogue: what everything generic about programs is made from.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tradewind/base/setting.hpp"
#include "tradewind/base/settings.hpp"
#include "tradewind/comm/process_grid.hpp"
#include "tradewind/comm/program.hpp"
#include "tradewind/comm/tuning/use.hpp"
#include "tradewind/program/estimate.hpp"
#include "tradewind/program/run_memory.hpp"

namespace tradewind {

class ModelRun;

/// The graph of the items that a program distributes over its ranks, and the rank of each: the
/// neighbours of item i are those from first[i] to first[i + 1], with weights.
struct ItemGraph {
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> neighbors;
    std::vector<std::int64_t> weights;
    std::vector<Rank> owners;
};

/// The items, such as cells or columns, that a rank sends to another one in an exchange of the
/// halo.
struct HaloEdge {
    Rank from = 0;
    Rank to = 0;
    std::int64_t items = 0;
};

struct ProgramEntry;

/// One phase of a program that runs others one after the other.
struct PhaseOutline {
    /// The name in results.
    std::string name;
    const ProgramEntry* entry = nullptr;
    /// The settings of `entry`.
    Settings settings;
    /// The number of ranks that run it together.
    Rank ranks = 1;
};

/// A communication pattern, or a model that can run with data, too. All functions throw ConfigError
/// with what was given and what is allowed, before any rank runs.
struct ProgramEntry {
    std::string_view name;
    std::string_view summary;
    /// Settings with and without data, without data only, and with data only.
    Schema settings;
    Schema message_settings{};
    Schema run_settings{};
    /// The operation whose algorithm and options the settings name besides; empty: none.
    std::string_view operation{};
    /// Makes the messages alone, with null buffers. One object serves all ranks, on any thread.
    Program (*make)(const Settings& settings, Rank ranks) = nullptr;
    /// Returns all messages and bytes that the form without data sends.
    Estimate (*estimate)(const Settings& settings, Rank ranks) = nullptr;
    /// Lists the operations whose algorithm one can choose.
    std::vector<OperationUse> (*operations)(const Settings& settings, Rank ranks) = nullptr;
    /// Returns the process grid of those that have one.
    std::optional<ProcessGrid> (*processes)(const Settings& settings, Rank ranks) = nullptr;

    /// Plans a run with data; null for patterns.
    std::unique_ptr<const ModelRun> (*plan)(const Settings& settings, Rank ranks) = nullptr;
    /// Estimates the memory of a run with data, without allocating any of it; null for patterns.
    RunMemory (*memory)(const Settings& settings, Rank ranks) = nullptr;
    /// Lists the ways to make each choice that is the model's own; null: it has none.
    std::vector<Way> (*ways)() = nullptr;
    /// Returns the items whose distribution the settings `partition` and `partition_file` choose;
    /// null: it has none.
    ItemGraph (*item_graph)(const Settings& settings, Rank ranks) = nullptr;
    /// Lists the edges of an exchange of the halo, by sender and then receiver; null: it has none.
    std::vector<HaloEdge> (*halo_edges)(const Settings& settings, Rank ranks) = nullptr;
    /// The setting that may be "tuned".
    std::string_view tuned_setting = "algorithm";
    /// True if a choice is timed with data on real processes. A solver that stops at a tolerance is
    /// timed by its messages alone: what it computes is the same for every choice.
    bool is_timed_with_data = true;
    /// True if runs with data can write checkpoints and restart from them.
    bool can_restart = false;
    /// The programs that may be its phases, and the settings of a phase beside theirs. Those of
    /// phase i have the keys "phase[i].KEY".
    std::span<const ProgramEntry* const> kinds{};
    Schema phase_settings{};
    /// Lists the phases, in their order; null for programs without phases.
    std::vector<PhaseOutline> (*phases)(const Settings& settings, Rank ranks) = nullptr;

    /// Returns whether a setting of that key is declared for all runs.
    [[nodiscard]] bool declares(std::string_view key) const {
        return std::ranges::any_of(
            settings, [&](const Declaration* declared) { return declared->key == key; });
    }
};

/// The most ranks whose messages are counted one by one where no formula gives the estimate.
inline constexpr Rank most_ranks_counted = 1024;

/// Returns the process grid of a program that does not have one.
[[nodiscard]] inline std::optional<ProcessGrid> no_process_grid(const Settings& /*settings*/,
                                                                Rank /*ranks*/) {
    return {};
}

/// Throws ConfigError unless `ranks` lies in 1..largest_count.
inline void check_ranks(std::string_view who, Rank ranks) {
    if (ranks < 1 || ranks > largest_count)
        throw ConfigError(text(who, ": ranks = ", ranks, " is not in 1..", largest_count));
}

/// Throws ConfigError unless `comm` has as many ranks as the program was made for.
inline void check_size(std::string_view who, const Comm& comm, Rank ranks) {
    if (comm.size() == ranks) return;
    throw ConfigError(text(who, ": made for ", ranks, " ranks, started on ", comm.size()));
}

}  // namespace tradewind
