/// HyperX: a grid of switches of any dimension whose rows are all-to-all; and the star.
#pragma once

#include <memory>
#include <vector>

#include "tradewind/sim/topology/divisor.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

/// One dimension of a HyperX: its extent, and the difference of the numbers of neighbours.
struct HyperXDimension {
    Divisor extent;
    Divisor stride;
    /// The first port of the dimension, whose ports are its coordinates without the own one.
    PortId first_port;
};

///     extents 3, 2        0 --- 1 --- 2       switch = x + 3 y; 0 and 2 are linked, too
///                         |     |     |
///                         3 --- 4 --- 5       ports: x' = 0, 1, 2 without the own x; then y' ...
///
/// Two switches are linked iff they differ in one coordinate (Ahn et al. 2009).
class HyperX final : public Topology {
public:
    HyperX(const std::vector<std::int32_t>& extents, NodeId nodes_per_switch);

    [[nodiscard]] SwitchId switches() const override { return switches_; }
    [[nodiscard]] PortId radix() const override { return radix_; }
    [[nodiscard]] Link neighbour(SwitchId here, PortId port) const override;
    [[nodiscard]] int distance(SwitchId from, SwitchId to) const override;
    [[nodiscard]] int diameter() const override;
    [[nodiscard]] std::vector<std::int64_t> coordinates(SwitchId here) const override;
    [[nodiscard]] std::vector<NumberingLevel> numbering() const override;
    /// Returns a panel for each dimension, planes as layers.
    [[nodiscard]] std::vector<LinkPanel> link_panels() const override;
    [[nodiscard]] LinkPlace link_place(SwitchId here, PortId port) const override;

    [[nodiscard]] const std::vector<HyperXDimension>& dimensions() const noexcept {
        return dimensions_;
    }

private:
    [[nodiscard]] std::vector<std::int64_t> extents() const;
    [[nodiscard]] std::size_t dimension_of(PortId port) const noexcept;

    std::vector<HyperXDimension> dimensions_;
    SwitchId switches_ = 1;
    PortId radix_ = 0;
};

}  // namespace tradewind::sim
