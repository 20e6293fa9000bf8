/// How programs and models read which algorithm they are to use: by name, or from a tuning.
///
///     algorithm                a name of the operation's table, or "tuned"
///     tuning                   of "tuned": a file, or the text of a table (tuning.hpp)
///     radix, window, protocol, transport
///                              options of a named algorithm
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tradewind/base/settings.hpp"
#include "tradewind/comm/tuning/tuning.hpp"
#include "tradewind/comm/tuning/use.hpp"

namespace tradewind {

/// What an algorithm, or a choice of a model, is called where a tuning decides.
inline constexpr std::string_view tuned = "tuned";

/// The setting `tuning`; ConfigError if it is missing or wrong.
[[nodiscard]] Tuning need_tuning(const Settings& settings);
/// The tuning where the algorithm is "tuned"; else nothing. ConfigError if options are given beside
/// it.
[[nodiscard]] std::optional<Tuning> read_tuning(const Settings& settings);

/// Blocks of `block` bytes among `ranks` ranks; default "ring_k".
[[nodiscard]] Choice<AlltoallvAlgorithm> read_alltoallv(const Settings& settings, Rank ranks,
                                                        Bytes block);
/// Default "recursive_k".
[[nodiscard]] Choice<AllreduceAlgorithm> read_allreduce(const Settings& settings, Rank ranks,
                                                        Bytes vector);
/// Default "burst"; ConfigError for an algorithm that needs a window: programs have none.
[[nodiscard]] Choice<NeighborAlgorithm> read_neighbor(const Settings& settings, Rank ranks,
                                                      Bytes message);

/// One line for each operation that is taken from another number of ranks.
[[nodiscard]] std::vector<std::string> tuning_remarks(const Tuning& tuning,
                                                      std::span<const OperationUse> uses);

}  // namespace tradewind
