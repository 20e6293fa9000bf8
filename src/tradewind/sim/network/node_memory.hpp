/// NodeMemory: the time at which the memory of a node has moved some bytes. It serves each
/// interface alone (AMM1), or all that its cores and interfaces do together (AMM2, AMM3).
#pragma once

#include <algorithm>
#include <vector>

#include "tradewind/sim/network/parameters.hpp"
#include "tradewind/sim/observe/report.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

class NodeMemory {
public:
    NodeMemory(const NetworkParameters& parameters, NodeId nodes)
        : rate_(parameters.memory),
          nics_per_node_(std::uint32_t(parameters.nics_per_node)),
          domains_(std::uint32_t(parameters.numa_domains)) {
        if (parameters.node_model == NodeModel::amm1) return;
        free_.resize(std::size_t(nodes) * domains_);
        moved_.resize(free_.size());
    }

    [[nodiscard]] bool is_shared() const noexcept { return !free_.empty(); }
    /// Moves `bytes` through the memory beside interface `nic`, from `time` on. Returns the time at
    /// which that is done. Equal blocks of the interfaces of a node are beside its NUMA domains.
    Picoseconds use(std::uint32_t nic, Picoseconds time, Bytes bytes) noexcept {
        if (domains_ == 1) return use_domain(nic / nics_per_node_, time, bytes);
        const std::uint32_t node = nic / nics_per_node_;
        const std::uint32_t domain = (nic - node * nics_per_node_) * domains_ / nics_per_node_;
        return use_domain(node * domains_ + domain, time, bytes);
    }
    /// Does the same for the NUMA domain of that number: node * domains of a node + domain.
    Picoseconds use_domain(std::uint32_t domain, Picoseconds time, Bytes bytes) noexcept {
        if (!is_shared()) return time + rate_.time(bytes);
        Picoseconds& free = free_[domain];
        free = std::max(free, time) + rate_.time(bytes);
        moved_[domain] += bytes;
        return free;
    }

    /// Returns the load of the memories of some nodes, for a simulated time of 1 / `per_time`.
    [[nodiscard]] LinkClassReport load(NodeId first, NodeId last, double per_time) const {
        LinkClassReport result{"memory", false, rate_.ps_per_byte()};
        const auto begin = std::size_t(first) * domains_;
        const auto end = std::min(std::size_t(last) * domains_, moved_.size());
        for (std::size_t i = begin; i < end; ++i) {
            ++result.links;
            result.bytes += moved_[i];
            const double used = double(moved_[i]) * result.ps_per_byte * per_time;
            result.utilisation_max = std::max(result.utilisation_max, used);
        }
        return result;
    }

private:
    TransferRate rate_;
    std::uint32_t nics_per_node_;
    std::uint32_t domains_;
    std::vector<Picoseconds> free_;
    /// The bytes that each has moved so far.
    std::vector<Bytes> moved_;
};

}  // namespace tradewind::sim
