/// Settings that choose the algorithm of an operation: by name with options, or from a tuning.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tradewind/base/setting.hpp"
#include "tradewind/base/settings.hpp"
#include "tradewind/comm/read_options.hpp"
#include "tradewind/comm/tuning/tuning.hpp"
#include "tradewind/comm/tuning/use.hpp"

namespace tradewind {

/// The word in place of an algorithm, or of a choice of a model, that leaves it to a tuning.
inline constexpr std::string_view tuned = "tuned";

/// The settings of a program that name an algorithm of its operation.
namespace algorithm_settings {
inline constexpr auto algorithm = declare::word(
    "algorithm", "algorithm of the operation, or \"tuned\"; none: the default of the operation");
inline constexpr auto tuning = declare::word(
    "tuning",
    "file of `tradewind tune`, or its table, where something is \"tuned\"; none: nothing is");
inline constexpr const Declaration* names[] = {&algorithm, &tuning};
inline constexpr auto two_sided = joined(names, options::two_sided);
inline constexpr auto any_transport = joined(names, options::all);
}  // namespace algorithm_settings

/// The setting `tuning`; ConfigError if it is missing or wrong.
[[nodiscard]] Tuning need_tuning(const Settings& settings);
/// Returns the tuning if the algorithm is "tuned", else nothing; throws ConfigError if options are
/// given as well.
[[nodiscard]] std::optional<Tuning> read_tuning(const Settings& settings);

/// Reads the algorithm of an alltoallv with blocks of `block` bytes among `ranks` ranks.
[[nodiscard]] Choice<AlltoallvAlgorithm> read_alltoallv(const Settings& settings, Rank ranks,
                                                        Bytes block);
/// Reads the algorithm of an allreduce of `vector` bytes on `ranks` ranks.
[[nodiscard]] Choice<AllreduceAlgorithm> read_allreduce(const Settings& settings, Rank ranks,
                                                        Bytes vector);
/// Reads the algorithm of a neighbourhood exchange with messages of `message` bytes.
/// Throws ConfigError for an algorithm that needs a connection, since programs keep none.
[[nodiscard]] Choice<NeighborAlgorithm> read_neighbor(const Settings& settings, Rank ranks,
                                                      Bytes message);

/// Returns one line for each operation whose tuned case is for another number of ranks.
[[nodiscard]] std::vector<std::string> tuning_remarks(const Tuning& tuning,
                                                      std::span<const OperationUse> uses);

}  // namespace tradewind
