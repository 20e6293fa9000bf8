/// The table of operations.
#include "tradewind/comm/tuning/operations.hpp"

#include "tradewind/comm/allgather/allgather.hpp"
#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/barrier/barrier.hpp"
#include "tradewind/comm/bcast/bcast.hpp"
#include "tradewind/comm/gather/gather.hpp"
#include "tradewind/comm/mesh/mesh_algorithms.hpp"
#include "tradewind/comm/neighbor/neighbor.hpp"
#include "tradewind/comm/reduce/reduce.hpp"
#include "tradewind/comm/reduce_scatter/reduce_scatter.hpp"
#include "tradewind/comm/scan/scan.hpp"
#include "tradewind/comm/scatter/scatter.hpp"

namespace tradewind {

namespace {

template <auto table>
std::vector<std::pair<std::string_view, std::string_view>> summaries_of() {
    std::vector<std::pair<std::string_view, std::string_view>> all;
    for (const auto& algorithm : table()) all.emplace_back(algorithm.name, algorithm.summary);
    return all;
}

template <const Operation& operation, auto table>
std::vector<Way> ways_of() {
    std::vector<Way> ways;
    add_ways(table(), std::string(operation.name), "", operation.default_algorithm, ways);
    return ways;
}

template <auto find>
Options options_by_name(std::string_view algorithm, const Settings& options) {
    return read_options(options, find(algorithm));
}

/// Returns the ways of a mesh exchange, which have names of their own each.
std::vector<Way> mesh_ways() {
    std::vector<Way> ways;
    for (const MeshAlgorithm& one : mesh_algorithms()) {
        ways.push_back({std::string(mesh_operation.name), one.name, options_of(one), one.name,
                        one.name == mesh_operation.default_algorithm});
    }
    return ways;
}

constexpr OperationEntry entries[] = {
    {alltoallv_operation, true, summaries_of<alltoallv_algorithms>,
     ways_of<alltoallv_operation, alltoallv_algorithms>, options_by_name<alltoallv_algorithm>},
    {allreduce_operation, true, summaries_of<allreduce_algorithms>,
     ways_of<allreduce_operation, allreduce_algorithms>, options_by_name<allreduce_algorithm>},
    {allgather_operation, false, summaries_of<allgather_algorithms>,
     ways_of<allgather_operation, allgather_algorithms>, options_by_name<allgather_algorithm>},
    {bcast_operation, false, summaries_of<bcast_algorithms>,
     ways_of<bcast_operation, bcast_algorithms>, options_by_name<bcast_algorithm>},
    {reduce_operation, false, summaries_of<reduce_algorithms>,
     ways_of<reduce_operation, reduce_algorithms>, options_by_name<reduce_algorithm>},
    {gather_operation, false, summaries_of<gather_algorithms>,
     ways_of<gather_operation, gather_algorithms>, options_by_name<gather_algorithm>},
    {scatter_operation, false, summaries_of<scatter_algorithms>,
     ways_of<scatter_operation, scatter_algorithms>, options_by_name<scatter_algorithm>},
    {scan_operation, false, summaries_of<scan_algorithms>, ways_of<scan_operation, scan_algorithms>,
     options_by_name<scan_algorithm>},
    {reduce_scatter_operation, false, summaries_of<reduce_scatter_algorithms>,
     ways_of<reduce_scatter_operation, reduce_scatter_algorithms>,
     options_by_name<reduce_scatter_algorithm>},
    {barrier_operation, false, summaries_of<barrier_algorithms>,
     ways_of<barrier_operation, barrier_algorithms>, options_by_name<barrier_algorithm>},
    {neighbor_operation, true, summaries_of<neighbor_algorithms>,
     ways_of<neighbor_operation, neighbor_algorithms>, options_by_name<neighbor_algorithm>},
    {mesh_operation, true, summaries_of<mesh_algorithms>, mesh_ways,
     options_by_name<mesh_algorithm>},
};

}  // namespace

std::span<const OperationEntry> operation_entries() {
    return entries;
}

}  // namespace tradewind
