/// Dragonfly: groups of X x Y switches, all-to-all in rows and columns, joined by global links.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tradewind/sim/topology/divisor.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

///     group 0              group 1          switch = x + X y + X Y g
///     0 - 1 - 2 ========== 6 - 7 - 8        local links: all pairs of a row, all pairs of a column
///     |   |   |            |   |   |        global links join switches of equal (x, y)
///     3 - 4 - 5 ========== 9 - 10 - 11
///
/// Ports: x' without the own x, y' without the own y, then H global ports. Wirings of these:
///
///     full               H = G - 1, global port g' without the own g: the network of zheng2018,
///                        a HyperX X x Y x G.
///     symmetric          H even; with A = x Y + y and i < H/2, port i leads to group g + A H/2 + i
///                        and port i + H/2 to group g - (A H/2 + i), both mod G.
///     sstmacro_legacy    port i leads to group g + ((x + X y) mod G) + i max(1, G/H), mod G, as
///                        SST/macro wired its `dragonfly` from 2016 to 2021. Links are one-way:
///                        what leaves at port i of group g enters at port i of the other group,
///                        and port i there leads on to a third group.
///
/// Links that lead back to their own group are not wired.
class Dragonfly final : public Topology {
public:
    enum class Wiring { full, symmetric, sstmacro_legacy };
    struct Shape {
        std::int32_t x = 1;
        std::int32_t y = 1;
        std::int32_t groups = 1;
        std::int32_t global_links = 0;
        Wiring wiring = Wiring::full;
    };
    /// A switch: (x, y), its number x + X y in the group, and its group.
    struct GroupPosition {
        std::int32_t x = 0;
        std::int32_t y = 0;
        std::int32_t local = 0;
        std::int32_t group = 0;
    };

    Dragonfly(const Shape& shape, NodeId nodes_per_switch);

    [[nodiscard]] SwitchId switches() const override { return switches_; }
    [[nodiscard]] PortId radix() const override { return first_global_ + shape_.global_links; }
    [[nodiscard]] Link neighbour(SwitchId here, PortId port) const override;
    /// Returns the length of the shortest route among those with at most one global link.
    [[nodiscard]] int distance(SwitchId from, SwitchId to) const override;
    [[nodiscard]] int diameter() const override;
    [[nodiscard]] std::vector<std::string> link_classes() const override;
    /// Returns false for sstmacro_legacy, which has some two-way links nevertheless.
    [[nodiscard]] bool is_two_way() const override {
        return shape_.wiring != Wiring::sstmacro_legacy;
    }
    [[nodiscard]] std::vector<std::int64_t> coordinates(SwitchId here) const override;
    [[nodiscard]] std::vector<NumberingLevel> numbering() const override;
    /// Returns a panel for the rows and one for the columns of each group, and one for the global
    /// links by groups.
    [[nodiscard]] std::vector<LinkPanel> link_panels() const override;
    [[nodiscard]] LinkPlace link_place(SwitchId here, PortId port) const override;

    [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
    [[nodiscard]] const Divisor& row() const noexcept { return row_; }
    [[nodiscard]] const Divisor& group() const noexcept { return group_; }
    [[nodiscard]] PortId first_global() const noexcept { return first_global_; }

    [[nodiscard]] GroupPosition position(SwitchId here) const noexcept {
        const std::int32_t group = group_.quotient(here);
        const std::int32_t local = here - group * group_.value();
        const std::int32_t y = row_.quotient(local);
        return {local - y * row_.value(), y, local, group};
    }
    /// Returns the first port on the way from one local number to another of the same group: x,
    /// then y.
    [[nodiscard]] PortId local_port(std::int32_t from, std::int32_t to) const noexcept;
    /// Returns the port of switch `local` whose global link leads `offset` groups on, or -1. Where
    /// there are two such links, `parity` chooses.
    [[nodiscard]] PortId global_port(std::int32_t offset, std::int32_t local,
                                     std::int32_t parity = 0) const noexcept {
        return global_ports_[static_cast<std::size_t>(parity & 1)]
                            [static_cast<std::size_t>(offset * group_.value() + local)];
    }
    /// Returns the number of groups from `from` on to `to`, counted upwards around the circle of
    /// groups.
    [[nodiscard]] std::int32_t offset(std::int32_t from, std::int32_t to) const noexcept {
        return to - from + (to < from ? shape_.groups : 0);
    }
    /// Returns the local number of the switch by which a shortest route leaves for the group
    /// `offset` groups on. It is not for wiring full. `spread` (32 even bits) chooses among equals.
    [[nodiscard]] std::int32_t gateway(std::int32_t from, std::int32_t to, std::int32_t offset,
                                       std::uint32_t spread) const;

private:
    void check() const;
    void wire();
    [[nodiscard]] std::int32_t wired_offset(std::int32_t local, std::int32_t link) const;
    [[nodiscard]] std::int32_t gateway_off_the_way(std::int32_t from, std::int32_t to,
                                                   std::int32_t offset, std::uint32_t spread) const;
    [[nodiscard]] int local_distance(std::int32_t from, std::int32_t to) const noexcept;
    [[nodiscard]] int route_length(std::int32_t from, std::int32_t to, std::int32_t offset) const;
    [[nodiscard]] bool some_gateway_is_two_hops_away() const;
    [[nodiscard]] Link global_neighbour(SwitchId here, std::int32_t link) const;

    Shape shape_;
    Divisor row_;
    Divisor group_;
    SwitchId switches_ = 0;
    PortId first_global_ = 0;
    /// [local * H + link]: the number of groups on to which the link leads, 0 if it is not wired.
    std::vector<std::int32_t> offsets_;
    /// [parity][offset * X Y + local]: see global_port().
    std::array<std::vector<std::int16_t>, 2> global_ports_;
    /// [offset]: the local numbers that have such a link.
    std::vector<std::vector<std::int32_t>> gateways_;
};

}  // namespace tradewind::sim
