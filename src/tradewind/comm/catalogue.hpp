/// The common part of the tables of algorithms: look-up by name, checks of options, tags.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "tradewind/base/errors.hpp"
#include "tradewind/comm/comm.hpp"

namespace tradewind {

/// Tags of the collective operations, below 32767, which every MPI library accepts, and above the
/// tags of models.
namespace tags {
inline constexpr Tag alltoallv = 32001;
inline constexpr Tag allreduce = 32002;
inline constexpr Tag allgather = 32003;
inline constexpr Tag bcast = 32004;
inline constexpr Tag barrier = 32005;
/// The tag of the neighbourhood exchange; the next one serves the set-up of its windows.
inline constexpr Tag neighbor = 32006;
/// The first tag of exchanges between parts of a mesh; the last one is mesh + 31.
inline constexpr Tag mesh = 32010;
inline constexpr Tag reduce = 32051;
inline constexpr Tag gather = 32052;
inline constexpr Tag scatter = 32053;
inline constexpr Tag scan = 32054;
inline constexpr Tag reduce_scatter = 32055;
/// The tag of the messages that tell a sender, in any exchange, that it may send.
inline constexpr Tag go_ahead = 32100;
}  // namespace tags

/// Throws a ConfigError that names the known algorithms: those of all tables that `is_allowed`.
template <class Algorithm, class IsAllowed>
[[noreturn]] void refuse_algorithm(std::initializer_list<std::span<const Algorithm>> tables,
                                   std::string_view operation, std::string_view name,
                                   IsAllowed is_allowed) {
    std::string known;
    for (const auto& table : tables) {
        for (const Algorithm& algorithm : table) {
            if (!is_allowed(algorithm)) continue;
            known += known.empty() ? "" : ", ";
            known += algorithm.name;
        }
    }
    throw ConfigError(text(operation, ": there is no algorithm '", name, "'; known are: ", known));
}

/// Returns the entry called `name`; throws a ConfigError that names the known ones.
template <class Algorithm>
[[nodiscard]] const Algorithm& find_algorithm(std::span<const Algorithm> table,
                                              std::string_view operation, std::string_view name) {
    const auto found = std::ranges::find(table, name, &Algorithm::name);
    if (found != table.end()) return *found;
    refuse_algorithm<Algorithm>({table}, operation, name, [](const Algorithm&) { return true; });
}

/// Throws ConfigError if `value`, the value of `option`, is below `smallest`.
inline void require_at_least(std::int64_t smallest, std::int64_t value, std::string_view algorithm,
                             std::string_view option = "radix") {
    if (value >= smallest) return;
    throw ConfigError(
        text(algorithm, ": ", option, " is ", value, ", must be at least ", smallest));
}

}  // namespace tradewind
