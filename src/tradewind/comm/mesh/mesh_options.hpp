/// The settings of a MeshExchange, and their reading from one line of text: a name of
/// mesh_algorithms.hpp such as "on_arrival.persistent" or "pairwise:protocol=(1,6)", or single
/// settings such as "schedule=on_arrival,summation=arrival".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tradewind/comm/mesh/mesh_exchange.hpp"
#include "tradewind/comm/read_options.hpp"

namespace tradewind {

/// The settings of the exchange, which models declare as their own.
namespace mesh_options {
inline constexpr auto schedule = declare::one_of<MeshSchedule>(
    "schedule",
    "pack and unpack around all messages, or each message as it goes and comes, or start all sends "
    "and receive one message after the other",
    {{"synchronous", MeshSchedule::synchronous},
     {"on_arrival", MeshSchedule::on_arrival},
     {"in_order", MeshSchedule::in_order}});
inline constexpr auto summation = declare::one_of<MeshOrder>(
    "summation", "order of sums: fixed, with the same bits on any ranks, or as they arrive",
    {{"fixed", MeshOrder::fixed}, {"arrival", MeshOrder::arrival}});
inline constexpr auto algorithm = declare::word(
    "algorithm", "algorithm of neighbor that carries messages; default: isend and irecv");
inline constexpr const Declaration* all[] = {&schedule, &summation, &algorithm, &options::protocol};
}  // namespace mesh_options

/// Reads NAME, NAME:KEY=VALUE,... or KEY=VALUE,...; an empty text selects the defaults. Throws
/// ConfigError for a name, key or value that is not known, and for values that contradict each
/// other.
[[nodiscard]] MeshExchangeOptions read_mesh_options(std::string_view words,
                                                    MeshCombination combination);

/// Returns the names of all algorithms, on MPI those of the library with them; tests, verification
/// and measurements loop over them.
[[nodiscard]] std::vector<std::string> mesh_choices(bool has_library);

}  // namespace tradewind
