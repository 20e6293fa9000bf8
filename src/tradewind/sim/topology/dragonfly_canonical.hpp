/// DragonflyCanonical: groups of all-to-all routers, each with some global links (Kim et al. 2008).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tradewind/sim/topology/divisor.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

///     a = 2 routers, h = 1 global link each, g = a h + 1 = 3 groups; switch = router + a group
///
///          0 --- 1               ports: router' without the own one, then h global ports
///         /       \              absolute: global link i = router h + port of group S leads
///        3         5                       to group i < S ? i : i + 1
///        |         |             relative: it leads to group S + i + 1 mod g
///        2 ------- 4
///
/// A machine with fewer groups, g - 1 <= a h, repeats the pattern of g - 1 links floor(a h / (g -
/// 1)) times: so many parallel links join each pair of groups. The remaining global ports are not
/// wired.
class DragonflyCanonical final : public Topology {
public:
    enum class Arrangement { absolute, relative };
    struct Parameters {
        std::int32_t routers = 1;
        std::int32_t global_links = 0;
        std::int32_t groups = 1;
        Arrangement arrangement = Arrangement::absolute;
    };

    DragonflyCanonical(const Parameters& parameters, NodeId nodes_per_switch);

    [[nodiscard]] SwitchId switches() const override { return switches_; }
    [[nodiscard]] PortId radix() const override {
        return parameters_.routers - 1 + parameters_.global_links;
    }
    [[nodiscard]] Link neighbour(SwitchId here, PortId port) const override;
    /// Returns the length of the shortest route among those with at most one global link.
    [[nodiscard]] int distance(SwitchId from, SwitchId to) const override;
    [[nodiscard]] int diameter() const override;
    [[nodiscard]] std::vector<std::string> link_classes() const override;
    /// Returns (router, group).
    [[nodiscard]] std::vector<std::int64_t> coordinates(SwitchId here) const override;
    [[nodiscard]] std::vector<NumberingLevel> numbering() const override;
    /// Returns a panel routers x routers for each group, and one for the global links by groups.
    [[nodiscard]] std::vector<LinkPanel> link_panels() const override;
    [[nodiscard]] LinkPlace link_place(SwitchId here, PortId port) const override;

    [[nodiscard]] const Divisor& group() const noexcept { return routers_; }
    [[nodiscard]] PortId first_global() const noexcept { return parameters_.routers - 1; }
    /// Returns the number in its group of the global link by which a shortest route from `from`
    /// leaves for the group of `to`, another one. `spread` (32 even bits) chooses among equals.
    [[nodiscard]] std::int32_t exit(SwitchId from, SwitchId to,
                                    std::uint32_t spread) const noexcept;
    /// Returns the router of a global link, within its group.
    [[nodiscard]] std::int32_t router_of(std::int32_t link) const noexcept {
        return links_.quotient(link);
    }
    /// Returns the port of a global link on its router.
    [[nodiscard]] PortId port_of(std::int32_t link) const noexcept {
        return first_global() + links_.remainder(link);
    }

private:
    /// The parallel links first .. last - 1 of one pair of groups.
    struct Range {
        std::int32_t first;
        std::int32_t last;
    };

    /// Returns the position in the pattern of the link from group `from` to group `to`.
    [[nodiscard]] std::int32_t pattern(std::int32_t from, std::int32_t to) const noexcept;
    /// Returns the parallel links at `position` of the pattern that belong to `router`.
    [[nodiscard]] Range links_of(std::int32_t router, std::int32_t position) const noexcept;

    Parameters parameters_;
    Divisor routers_;
    Divisor links_;
    Divisor pattern_;
    std::int32_t parallel_ = 0;
    SwitchId switches_ = 0;
};

}  // namespace tradewind::sim
