/// NodeMemory: the time at which the memory of a node has moved some bytes. It serves each
/// interface alone (AMM1), or all that its cores and interfaces do together (AMM2, AMM3).
#pragma once

#include <algorithm>
#include <vector>

#include "tradewind/sim/network/parameters.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

class NodeMemory {
public:
    NodeMemory(const NetworkParameters& parameters, NodeId nodes)
        : rate_(parameters.memory), nics_per_node_(std::uint32_t(parameters.nics_per_node)) {
        if (parameters.node_model != NodeModel::amm1) free_.resize(std::size_t(nodes));
    }

    [[nodiscard]] bool is_shared() const noexcept { return !free_.empty(); }
    /// Moves `bytes` through the memory of the node that owns `nic`, from `time` on. Returns the
    /// time at which that is done.
    Picoseconds use(std::uint32_t nic, Picoseconds time, Bytes bytes) noexcept {
        if (!is_shared()) return time + rate_.time(bytes);
        Picoseconds& free = free_[nic / nics_per_node_];
        free = std::max(free, time) + rate_.time(bytes);
        return free;
    }

private:
    TransferRate rate_;
    std::uint32_t nics_per_node_;
    std::vector<Picoseconds> free_;
};

}  // namespace tradewind::sim
