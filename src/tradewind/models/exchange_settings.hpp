/// The choice of a model's mesh exchange, from settings or from a tuning.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tradewind/comm/mesh/mesh_algorithms.hpp"
#include "tradewind/comm/mesh/mesh_options.hpp"
#include "tradewind/comm/read_options.hpp"
#include "tradewind/comm/tuning/read_algorithm.hpp"
#include "tradewind/comm/tuning/use.hpp"

namespace tradewind {

/// The settings that models with a mesh exchange declare.
namespace exchange_settings {
/// Returns a declaration without a default and with a meaning that names the model's own.
[[nodiscard]] constexpr auto with_own_default(auto declared, std::string_view meaning) {
    declared = declared.without_default();
    declared.meaning = meaning;
    return declared;
}
inline constexpr auto schedule = with_own_default(
    mesh_options::schedule,
    "pack and unpack around all messages, or each message as it goes and comes, or start all sends "
    "and receive one message after the other; default: synchronous, on_arrival with overlap");
inline constexpr auto order = with_own_default(mesh_options::summation,
                                               "order of sums (se): fixed, with the same bits on "
                                               "any ranks, or as they arrive; default: fixed");
inline constexpr auto exchange =
    declare::word("exchange",
                  "algorithm of mesh, with options NAME:KEY=VALUE, or \"tuned\"; default: the "
                  "schedule by isend and irecv");
}  // namespace exchange_settings

/// The use of an exchange: the model, what its messages do, and how large they are.
struct ExchangeUse {
    std::string_view program;
    MeshCombination combination;
    Rank ranks;
    /// Returns the average bytes of a message; only a tuning asks for them.
    std::function<Bytes()> average_message;
    /// True if work between send and receive is wanted.
    bool overlaps = false;
};

/// Reads the exchange. Throws ConfigError for choices that are not known or contradict each other.
[[nodiscard]] MeshExchangeOptions read_exchange(const Settings& settings, const ExchangeUse& use);

/// Returns the exchange as an operation that a tuning can choose, if there are several ranks.
[[nodiscard]] std::vector<OperationUse> operations_of(const ExchangeUse& use, std::int64_t count);

}  // namespace tradewind
