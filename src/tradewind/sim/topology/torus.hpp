/// Torus: a grid of switches of any dimension whose rows close to rings.
#pragma once

#include <memory>
#include <vector>

#include "tradewind/sim/topology/divisor.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

/// One dimension of a torus: its extent, and the difference of the numbers of neighbours.
struct TorusDimension {
    Divisor extent;
    Divisor stride;
};

///     extents 4, 3         0 -  1 -  2 -  3 - (0)      switch = x + 4 y
///                          |    |    |    |
///                          4 -  5 -  6 -  7 - (4)      port 2 d:     one step up in dimension d
///                          |    |    |    |            port 2 d + 1: one step down
///                          8 -  9 - 10 - 11 - (8)
///                         (0)  (1)  (2)  (3)
///
/// An extent of 1 has no links (its two ports are not wired); an extent of 2 has two cables between
/// the same two switches, one from each port, as in Blue Gene/Q.
class Torus final : public Topology {
public:
    Torus(const std::vector<std::int32_t>& extents, NodeId nodes_per_switch);

    [[nodiscard]] SwitchId switches() const override { return switches_; }
    [[nodiscard]] PortId radix() const override {
        return 2 * static_cast<PortId>(dimensions_.size());
    }
    [[nodiscard]] Link neighbour(SwitchId here, PortId port) const override;
    [[nodiscard]] int distance(SwitchId from, SwitchId to) const override;
    [[nodiscard]] int diameter() const override;
    [[nodiscard]] std::vector<std::int64_t> coordinates(SwitchId here) const override;
    [[nodiscard]] std::vector<NumberingLevel> numbering() const override;
    /// Returns a panel for each direction, planes as layers.
    [[nodiscard]] std::vector<LinkPanel> link_panels() const override;
    [[nodiscard]] LinkPlace link_place(SwitchId here, PortId port) const override;

    [[nodiscard]] const std::vector<TorusDimension>& dimensions() const noexcept {
        return dimensions_;
    }

private:
    [[nodiscard]] std::vector<std::int64_t> extents() const;

    std::vector<TorusDimension> dimensions_;
    SwitchId switches_ = 1;
};

}  // namespace tradewind::sim
