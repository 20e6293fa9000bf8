/// Xgft: extended generalised fat-trees, the k-ary n-tree among them.
#pragma once

#include <memory>
#include <vector>

#include "tradewind/sim/topology/divisor.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

///     XGFT(2; 2,3; 1,2)     level 2      3     4         m = children, w = parents (Ohring et al.
///                                       /|\   /|\        1995), p = parallel cables
///     each switch of level 2 to      (to 0, 1, 2 each)
///     each of level 1       level 1    0    1    2
///                                     / \  / \  / \      children[0] = 2 nodes on each of 3 leaves
///                           nodes    0  1 2  3 4  5
///
/// Level i = 1..h holds W(i) = w2..wi switches for each of m(i+1)..mh subtrees: switch number =
/// first(i) + subtree * W(i) + b, where b has the mixed-radix digits b2 (lowest) .. bi < wi. A
/// parent and a child are linked iff their labels agree in all digits but the parent's level.
/// Ports: down ports child + m * cable (none at leaves: nodes are not counted), then the up ports
/// parent + w * cable.
class Xgft final : public Topology {
public:
    struct Arities {
        std::vector<std::int32_t> children;
        std::vector<std::int32_t> parents;
        std::vector<std::int32_t> cables;
    };
    /// The switches of one level, counted from 0 at the leaves here.
    struct Level {
        SwitchId first = 0;
        /// W: switches that serve the same subtree; also the D-mod-k divisor.
        Divisor siblings;
        /// The number of leaves under one subtree.
        Divisor leaves;
        Divisor children;
        PortId down_ports = 0;
        /// The parents and up ports. The number of up ports is 0 at the top, where the divisors are
        /// 1.
        Divisor parents;
        Divisor up;
        PortId up_ports = 0;
    };

    explicit Xgft(const Arities& arities);

    [[nodiscard]] SwitchId switches() const override { return switches_; }
    [[nodiscard]] SwitchId terminal_switches() const override { return terminal_switches_; }
    [[nodiscard]] PortId radix() const override { return radix_; }
    [[nodiscard]] Link neighbour(SwitchId here, PortId port) const override;
    [[nodiscard]] int distance(SwitchId from, SwitchId to) const override;
    [[nodiscard]] int diameter() const override;
    /// Returns (level, number in the level), level 0 at the leaves.
    [[nodiscard]] std::vector<std::int64_t> coordinates(SwitchId here) const override;
    [[nodiscard]] std::vector<NumberingLevel> numbering() const override;
    /// Returns a panel for each pair of levels and direction, by lower switch and its up port.
    [[nodiscard]] std::vector<LinkPanel> link_panels() const override;
    [[nodiscard]] LinkPlace link_place(SwitchId here, PortId port) const override;

    [[nodiscard]] const std::vector<Level>& levels() const noexcept { return levels_; }
    /// Returns true if some switch has fewer links up than links or nodes below.
    [[nodiscard]] bool is_tapered() const noexcept;
    [[nodiscard]] std::size_t level_of(SwitchId here) const noexcept {
        std::size_t level = 0;
        for (std::size_t above = 1; above < levels_.size(); ++above) {
            level += here >= levels_[above].first ? 1U : 0U;
        }
        return level;
    }
    /// Returns the child that leads from `here` on `level` down to leaf `target`, or -1 if none
    /// does.
    [[nodiscard]] std::int32_t child_towards(SwitchId here, std::size_t level,
                                             SwitchId target) const noexcept {
        const Level& own = levels_[level];
        const std::int32_t subtree = own.siblings.quotient(here - own.first);
        if (subtree != own.leaves.quotient(target)) return -1;
        return levels_[level - 1].leaves.quotient(target) - subtree * own.children.value();
    }

private:
    void add_level(const Arities& arities, std::size_t level);
    [[nodiscard]] Link above(std::size_t level, SwitchId here, PortId up) const;
    [[nodiscard]] Link below(std::size_t level, SwitchId here, PortId down) const;

    std::vector<Level> levels_;
    SwitchId switches_ = 0;
    SwitchId terminal_switches_ = 0;
    PortId radix_ = 0;
};

}  // namespace tradewind::sim
