/// The choice of algorithms for programs and models, read from settings: by name, or from a tuning.
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

/// The name of an algorithm, or of a choice of a model, that a tuning decides.
inline constexpr std::string_view tuned = "tuned";

/// Returns the tuning in the setting `tuning`; throws ConfigError if it is missing or wrong.
[[nodiscard]] Tuning need_tuning(const Settings& settings);
/// Returns the tuning if the algorithm is "tuned", else nothing; throws ConfigError if options are
/// given as well.
[[nodiscard]] std::optional<Tuning> read_tuning(const Settings& settings);

/// Reads the algorithm of an alltoallv with blocks of `block` bytes among `ranks` ranks; the
/// default is "ring_k".
[[nodiscard]] Choice<AlltoallvAlgorithm> read_alltoallv(const Settings& settings, Rank ranks,
                                                        Bytes block);
/// Reads the algorithm of an allreduce of `vector` bytes on `ranks` ranks; the default is
/// "recursive_k".
[[nodiscard]] Choice<AllreduceAlgorithm> read_allreduce(const Settings& settings, Rank ranks,
                                                        Bytes vector);
/// Reads the algorithm of a neighbourhood exchange with messages of `message` bytes; the default is
/// "burst". Throws ConfigError for an algorithm that needs a window, since programs have none.
[[nodiscard]] Choice<NeighborAlgorithm> read_neighbor(const Settings& settings, Rank ranks,
                                                      Bytes message);

/// Returns one line for each operation whose tuned case is for another number of ranks.
[[nodiscard]] std::vector<std::string> tuning_remarks(const Tuning& tuning,
                                                      std::span<const OperationUse> uses);

}  // namespace tradewind
