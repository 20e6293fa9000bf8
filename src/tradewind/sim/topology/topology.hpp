/// Topology: the wiring of switch ports, as arithmetic on switch numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tradewind/sim/topology/link_panel.hpp"

namespace tradewind::sim {

using SwitchId = std::int32_t;
using PortId = std::int32_t;
using NodeId = std::int32_t;

inline constexpr SwitchId no_switch = -1;

/// The far end of a link. `to` is `no_switch` where a port is not wired.
struct Link {
    SwitchId to = no_switch;
    PortId port = 0;
    /// The index into link_classes(): links of one class share bandwidth and latency.
    std::int32_t link_class = 0;
};

/// A level of the numbering of switches: so many parts of the level before, one after the other.
struct NumberingLevel {
    std::int32_t parts = 1;
    /// True if they lie along a dimension of their own: a row, a column.
    bool line = false;
};

/// The wiring of a machine. Switches 0 .. terminal_switches() - 1 carry nodes_per_switch() nodes
/// each, in order: node n is attached to switch n / nodes_per_switch(). Every switch has network
/// ports 0 .. radix() - 1 (nodes not counted). No two links enter a switch at the same port.
class Topology {
public:
    virtual ~Topology() = default;

    [[nodiscard]] virtual SwitchId switches() const = 0;
    [[nodiscard]] virtual SwitchId terminal_switches() const { return switches(); }
    [[nodiscard]] virtual PortId radix() const = 0;
    [[nodiscard]] virtual Link neighbour(SwitchId here, PortId port) const = 0;
    /// Returns the number of switch-to-switch links of the shortest route between two switches that
    /// carry nodes.
    [[nodiscard]] virtual int distance(SwitchId from, SwitchId to) const = 0;
    /// Returns the largest distance between two switches that carry nodes.
    [[nodiscard]] virtual int diameter() const = 0;
    /// Returns the names of the kinds of links, "link" or e.g. {"local", "global"}.
    [[nodiscard]] virtual std::vector<std::string> link_classes() const { return {"link"}; }
    /// Returns false if neighbour(neighbour(u, p)) is not (u, p) for some link: it has no partner
    /// in the other direction, or at another port.
    [[nodiscard]] virtual bool is_two_way() const { return true; }
    /// Returns the coordinates of a switch, for people: (x, y, z), (x, y, group), (level, index)
    /// ...
    [[nodiscard]] virtual std::vector<std::int64_t> coordinates(SwitchId here) const = 0;
    /// Returns the levels of the numbering of switches with nodes: rows of switches, planes of
    /// rows, groups, subtrees. The product of all parts is terminal_switches().
    [[nodiscard]] virtual std::vector<NumberingLevel> numbering() const {
        return {{terminal_switches(), false}};
    }

    /// Returns the panels in which the links are drawn for people; without a better arrangement by
    /// switch and port.
    [[nodiscard]] virtual std::vector<LinkPanel> link_panels() const {
        return {{"links", {"", "port", "switch"}, {1, radix(), switches()}}};
    }
    /// Returns the place of a wired link in those panels.
    [[nodiscard]] virtual LinkPlace link_place(SwitchId here, PortId port) const {
        return {0, {0, port, here}};
    }

    [[nodiscard]] NodeId nodes_per_switch() const noexcept { return nodes_per_switch_; }
    [[nodiscard]] NodeId nodes() const { return terminal_switches() * nodes_per_switch_; }

protected:
    explicit Topology(NodeId nodes_per_switch) noexcept : nodes_per_switch_(nodes_per_switch) {}

private:
    NodeId nodes_per_switch_;
};

}  // namespace tradewind::sim
