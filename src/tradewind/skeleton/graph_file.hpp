/// Graphs of ranks from files: who sends how many bytes to whom.
///
///     edge list      a line FROM TO BYTES for each message
///     METIS graph    a line of neighbours for each vertex, and beside it the rank of each vertex
///
/// Lines that start with # or % are comments. Of a METIS graph with edge weights, each edge between
/// two ranks is sent. Without them, each vertex goes once to each rank that has a neighbour of it,
/// with its size if the graph has sizes (the communication volume of METIS).
#pragma once

#include <string>
#include <vector>

#include "tradewind/comm/neighbor/neighbor.hpp"

namespace tradewind::skeleton {

/// The neighbourhoods of all ranks.
using RankGraph = std::vector<Neighborhood>;

/// The file of a graph, as settings name it.
struct GraphFile {
    std::string path;
    /// The rank of each vertex, a number a line; empty: the file is an edge list.
    std::string owners;
    /// The bytes of a unit of weight.
    Bytes unit = 1;
};

/// Reads a graph; throws ConfigError with the line if something is wrong.
[[nodiscard]] RankGraph read_graph(const GraphFile& file, Rank ranks);

}  // namespace tradewind::skeleton
