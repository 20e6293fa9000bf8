/// The table of models that are programs, too: as a pattern of messages without data, or with data.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tradewind/base/settings.hpp"
#include "tradewind/comm/process_grid.hpp"
#include "tradewind/comm/program.hpp"
#include "tradewind/comm/tuning/use.hpp"

namespace tradewind::models {

struct ModelEntry {
    std::string_view name;
    std::string_view summary;
    /// The setting that may be "tuned".
    std::string_view choice;
    /// The messages alone; throws ConfigError for wrong settings.
    Program (*make)(const Settings& settings, Rank ranks);
    /// To be timed on real processes: with data, but of a solver the messages alone, since what it
    /// computes is the same for every choice.
    Program (*make_timed)(const Settings& settings, Rank ranks);
    /// The operations whose algorithm one can choose.
    std::vector<OperationUse> (*operations)(const Settings& settings, Rank ranks);
    /// The process grid, if the program says it by itself.
    std::optional<ProcessGrid> (*processes)(const Settings& settings, Rank ranks);
};

[[nodiscard]] std::span<const ModelEntry> catalogue();
/// Null if there is none of that name.
[[nodiscard]] const ModelEntry* find(std::string_view name);

/// The ways of all choices that are the models' own.
[[nodiscard]] std::vector<Way> ways();
/// Where a run takes what was tuned for another number of ranks.
[[nodiscard]] std::vector<std::string> tuning_remarks(const ModelEntry& model,
                                                      const Settings& settings, Rank ranks);

}  // namespace tradewind::models
