/// The reading of every table of the library.
#include "tables.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "programs.hpp"
#include "tradewind/base/errors.hpp"
#include "tradewind/comm/allgather/allgather.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/barrier/barrier.hpp"
#include "tradewind/comm/bcast/bcast.hpp"
#include "tradewind/comm/neighbor/neighbor.hpp"
#include "tradewind/comm/protocol/protocol.hpp"
#include "tradewind/models/catalogue.hpp"
#include "tradewind/sim/routing/catalogue.hpp"
#include "tradewind/sim/topology/catalogue.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

namespace {

template <class Entry>
nb::list names_and_summaries(std::span<const Entry> table) {
    nb::list result;
    for (const Entry& entry : table) result.append(nb::make_tuple(entry.name, entry.summary));
    return result;
}

/// Returns the protocols, with the name in words before the summary: "simple: buffered send,
/// receive".
nb::list protocol_list() {
    nb::list result;
    for (const ProtocolEntry& entry : protocols()) {
        result.append(nb::make_tuple(entry.name, text(entry.words, ": ", entry.summary)));
    }
    return result;
}

}  // namespace

nb::dict catalogue() {
    nb::dict result;
    result["topologies"] = names_and_summaries(sim::topologies());
    result["routings"] = names_and_summaries(sim::routings());
    result["alltoallv"] = names_and_summaries(alltoallv_algorithms());
    result["allreduce"] = names_and_summaries(allreduce_algorithms());
    result["allgather"] = names_and_summaries(allgather_algorithms());
    result["bcast"] = names_and_summaries(bcast_algorithms());
    result["barrier"] = names_and_summaries(barrier_algorithms());
    result["neighbor"] = names_and_summaries(neighbor_algorithms());
    result["protocols"] = protocol_list();
    result["programs"] = programs();
    result["models"] = names_and_summaries(models::catalogue());
    return result;
}

}  // namespace tradewind::bindings
