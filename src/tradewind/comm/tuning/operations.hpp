/// The table of operations whose algorithm has a name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tradewind/comm/operation.hpp"
#include "tradewind/comm/tuning/use.hpp"

namespace tradewind {

struct OperationEntry {
    Operation operation;
    /// True if experiments choose the algorithm, and `tradewind tune` searches for the best.
    bool is_chosen = false;
    /// Lists the names and summaries of all algorithms.
    std::vector<std::pair<std::string_view, std::string_view>> (*summaries)() = nullptr;
    /// Lists the algorithms that programs can use, with their options.
    std::vector<Way> (*ways)() = nullptr;
    /// Reads the options of one of them; throws ConfigError if there is no such algorithm.
    Options (*read)(std::string_view algorithm, const Settings& options) = nullptr;
};

/// Returns all operations in the order of `tradewind list algorithms`.
[[nodiscard]] std::span<const OperationEntry> operation_entries();

}  // namespace tradewind
