/// The operations at call sites, whose algorithms the setting `sites` chooses.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tradewind/trace/collectives/library_rules.hpp"
#include "tradewind/trace/trace.hpp"

namespace tradewind::trace {

/// The operations that have an algorithm, by the strings of the call sites that make them.
using SiteOperations = std::map<std::int64_t, std::set<std::string_view>>;

/// Returns the operations at all call sites of a trace. With the rules of a library a collective
/// may be made of two others, which are at its site, too.
[[nodiscard]] SiteOperations operations_at_sites(const TraceView& trace, ChoiceRules rules);

/// Returns the text of the sites that are nearest to one that does not exist, with their
/// operations: those in the same file by their line, then those with a similar name.
[[nodiscard]] std::string nearest_sites(std::string_view site, const SiteOperations& known,
                                        const std::vector<std::string>& strings);

}  // namespace tradewind::trace
