/// Placement: the node of each rank, and its network interface.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/process_grid.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::simcomm {

struct PlacementRequest {
    /// The name of the rule. linear: fills node after node. block: equally large blocks of ranks
    /// over the whole machine, in order. round_robin: rank after rank on switch after switch.
    /// random: a random set of nodes, each filled. tiles: rectangles of `processes`, see
    /// place_tiles(). file: `nodes` holds the node of each rank.
    std::string rule = "linear";
    Rank ranks = 1;
    std::int32_t ranks_per_node = 1;
    std::int32_t nics_per_node = 1;
    std::uint64_t seed = 1;
    std::vector<std::int64_t> nodes;
    /// The process grid, cx x cy = ranks.
    ProcessGrid processes{};
};

class Placement {
public:
    /// Places the ranks. Throws ConfigError if the ranks do not fit, or the rule is unknown.
    Placement(const PlacementRequest& request, const sim::Topology& topology);

    [[nodiscard]] Rank ranks() const noexcept { return ranks_; }
    /// Returns the number of the rank's interface: node * nics_per_node + interface within the
    /// node.
    [[nodiscard]] std::uint32_t nic(Rank rank) const {
        if (!nics_.empty()) return nics_[std::size_t(rank)];
        const Rank node = ranks_per_node_ == 1 ? rank : rank / ranks_per_node_;
        return std::uint32_t(node * nics_per_node_ +
                             (rank - node * ranks_per_node_) % nics_per_node_);
    }

private:
    Rank ranks_;
    std::int32_t ranks_per_node_;
    std::int32_t nics_per_node_;
    /// The interfaces of the ranks; empty for the linear rule, which needs no memory.
    std::vector<std::uint32_t> nics_;
};

}  // namespace tradewind::simcomm
