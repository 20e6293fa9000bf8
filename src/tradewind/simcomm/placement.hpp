/// Placement: the node of each rank, and its network interface.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/process_grid.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::simcomm {

/// The interface of a rank: cyclically by its number in the node; the same for a block of the ranks
/// of a node; or each one in turn, message by message. `stripe` is cyclic, but cuts the data of a
/// rendezvous into parts for all interfaces.
enum class Affinity : std::uint8_t { cyclic, block, message, stripe };

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
    Affinity affinity = Affinity::cyclic;
    /// Equal blocks of the ranks of a node are bound to these.
    std::int32_t numa_domains = 1;
};

/// Throws ConfigError unless the nodes of a machine have room for so many ranks.
void check_room(std::int64_t ranks, std::int32_t ranks_per_node, const sim::Topology& topology);

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
        return std::uint32_t(node * nics_per_node_ + interface(rank - node * ranks_per_node_));
    }
    /// Returns the NUMA domain to which a rank is bound, within its node.
    [[nodiscard]] std::int32_t domain(Rank rank) const {
        if (numa_domains_ == 1) return 0;
        return domains_.empty() ? block_of(rank % ranks_per_node_, numa_domains_)
                                : domains_[std::size_t(rank)];
    }

private:
    /// Returns the number of the block, of `blocks` equal ones, of a rank of a node.
    [[nodiscard]] std::int32_t block_of(std::int32_t local, std::int32_t blocks) const noexcept {
        return std::int32_t(std::int64_t{local} * blocks / ranks_per_node_);
    }
    [[nodiscard]] std::int32_t interface(std::int32_t local) const noexcept {
        return affinity_ == Affinity::block ? block_of(local, nics_per_node_)
                                            : local % nics_per_node_;
    }

    Rank ranks_;
    std::int32_t ranks_per_node_;
    std::int32_t nics_per_node_;
    Affinity affinity_;
    std::int32_t numa_domains_;
    /// The interfaces of the ranks; empty for the linear rule, which needs no memory.
    std::vector<std::uint32_t> nics_;
    /// Their NUMA domains; empty for the linear rule, or if there is one domain in a node.
    std::vector<std::uint8_t> domains_;
};

}  // namespace tradewind::simcomm
