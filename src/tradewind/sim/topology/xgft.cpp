/// Xgft: levels, wiring and distances.
#include "tradewind/sim/topology/xgft.hpp"

#include <algorithm>

#include "tradewind/sim/topology/catalogue.hpp"
#include "tradewind/sim/topology/shape.hpp"

namespace tradewind::sim {

namespace {

void check(const Xgft::Arities& arities) {
    const std::size_t levels = arities.children.size();
    if (arities.parents.size() != levels || arities.cables.size() != levels) {
        throw TopologyError(text("xgft: children, parents and cables have ", levels, ", ",
                                 arities.parents.size(), " and ", arities.cables.size(),
                                 " entries, which must be the same number"));
    }
    if (arities.parents[0] != 1 || arities.cables[0] != 1) {
        throw TopologyError(text("xgft: a node has one cable to one switch, not parents[0] = ",
                                 arities.parents[0], ", cables[0] = ", arities.cables[0]));
    }
}

}  // namespace

Xgft::Xgft(const Arities& arities) : Topology(arities.children.at(0)) {
    check(arities);
    for (std::size_t level = 0; level < arities.children.size(); ++level) add_level(arities, level);
    terminal_switches_ = levels_.size() > 1 ? levels_[1].first : switches_;
    (void)product(terminal_switches_, nodes_per_switch(), "nodes");
}

void Xgft::add_level(const Arities& arities, std::size_t level) {
    Level next;
    next.first = switches_;
    if (level > 0) {
        const Level& below = levels_.back();
        next.siblings =
            Divisor(product(below.siblings.value(), arities.parents[level], "switches"));
        next.leaves = Divisor(product(below.leaves.value(), arities.children[level], "switches"));
        next.children = Divisor(arities.children[level]);
        next.down_ports = product(arities.children[level], arities.cables[level], "ports");
    }
    std::int32_t subtrees = 1;
    for (std::size_t above = level + 1; above < arities.children.size(); ++above) {
        subtrees = product(subtrees, arities.children[above], "switches");
    }
    if (level + 1 < arities.children.size()) {
        next.parents = Divisor(arities.parents[level + 1]);
        next.up_ports = product(arities.parents[level + 1], arities.cables[level + 1], "ports");
        next.up = Divisor(next.up_ports);
    }
    const std::int64_t total =
        std::int64_t{switches_} + product(next.siblings.value(), subtrees, "switches");
    switches_ = product(total, 1, "switches");
    radix_ = std::max(radix_, product(std::int64_t{next.down_ports} + next.up_ports, 1, "ports"));
    levels_.push_back(next);
}

bool Xgft::is_tapered() const noexcept {
    PortId below = nodes_per_switch();
    for (const Level& level : levels_) {
        if (level.up_ports > 0 && level.up_ports < std::max(below, level.down_ports)) return true;
        below = 0;
    }
    return false;
}

Link Xgft::neighbour(SwitchId here, PortId port) const {
    const std::size_t level = level_of(here);
    const Level& own = levels_[level];
    if (port < own.down_ports) return below(level, here, port);
    if (port < own.down_ports + own.up_ports) return above(level, here, port - own.down_ports);
    return {};
}

Link Xgft::above(std::size_t level, SwitchId here, PortId up) const {
    const Level& own = levels_[level];
    const Level& next = levels_[level + 1];
    const std::int32_t subtree = own.siblings.quotient(here - own.first);
    const std::int32_t among = here - own.first - subtree * own.siblings.value();
    const std::int32_t cable = own.parents.quotient(up);
    const std::int32_t parent = up - cable * own.parents.value();
    const std::int32_t joined = next.children.quotient(subtree);
    const std::int32_t child = subtree - joined * next.children.value();
    return {next.first + joined * next.siblings.value() + among + parent * own.siblings.value(),
            child + next.children.value() * cable, 0};
}

Link Xgft::below(std::size_t level, SwitchId here, PortId down) const {
    const Level& own = levels_[level];
    const Level& next = levels_[level - 1];
    const std::int32_t subtree = own.siblings.quotient(here - own.first);
    const std::int32_t among = here - own.first - subtree * own.siblings.value();
    const std::int32_t cable = own.children.quotient(down);
    const std::int32_t child = down - cable * own.children.value();
    const std::int32_t parent = next.siblings.quotient(among);
    return {next.first + (subtree * own.children.value() + child) * next.siblings.value() + among -
                parent * next.siblings.value(),
            next.down_ports + parent + next.parents.value() * cable, 0};
}

int Xgft::distance(SwitchId from, SwitchId to) const {
    int climbs = 0;
    for (const Level& level : levels_) {
        if (level.leaves.quotient(from) == level.leaves.quotient(to)) break;
        ++climbs;
    }
    return 2 * climbs;
}

int Xgft::diameter() const {
    return distance(0, terminal_switches_ - 1);
}

std::vector<std::int64_t> Xgft::coordinates(SwitchId here) const {
    const std::size_t level = level_of(here);
    return {static_cast<std::int64_t>(level), here - levels_[level].first};
}

std::vector<NumberingLevel> Xgft::numbering() const {
    std::vector<NumberingLevel> result;
    for (std::size_t level = 1; level < levels_.size(); ++level)
        result.push_back({levels_[level].children.value(), false});
    return result;
}

std::vector<LinkPanel> Xgft::link_panels() const {
    std::vector<LinkPanel> panels;
    for (std::size_t level = 0; level + 1 < levels_.size(); ++level) {
        const std::size_t high = level + 1;
        const SwitchId count = levels_[level + 1].first - levels_[level].first;
        LinkPanel panel{"", {"", "up port", text("switch of level ", level)}};
        panel.extents = {1, levels_[level].up_ports, count};
        for (const auto& name :
             {text("up_", level, "_to_", high), text("down_", high, "_to_", level)}) {
            panel.name = name;
            panels.push_back(panel);
        }
    }
    return panels;
}

LinkPlace Xgft::link_place(SwitchId here, PortId port) const {
    const std::size_t level = level_of(here);
    const Level& own = levels_[level];
    if (port >= own.down_ports) {
        return {2 * level, {0, port - own.down_ports, here - own.first}};
    }
    const Link link = neighbour(here, port);
    const Level& lower = levels_[level - 1];
    return {2 * level - 1, {0, link.port - lower.down_ports, link.to - lower.first}};
}

namespace {

constexpr auto children =
    declare::whole_list("children", "subtrees of each level, nodes of a leaf first", 1, 16)
        .required();
constexpr auto parents =
    declare::whole_list("parents", "parents at each level, 1 first", 1, 16).required();
constexpr auto cables =
    declare::whole_list("cables", "cables to each parent at each level; none: 1", 1, 16);
constexpr const Declaration* settings_of_xgft[] = {&children, &parents, &cables};

std::unique_ptr<Topology> make_xgft(const Settings& settings) {
    Xgft::Arities arities;
    arities.children = small(children, settings);
    arities.parents = small(parents, settings);
    arities.cables.assign(arities.children.size(), 1);
    if (settings.has("cables")) arities.cables = small(cables, settings);
    return std::make_unique<Xgft>(arities);
}

}  // namespace

extern const TopologyEntry xgft_entry;
constinit const TopologyEntry xgft_entry = {"xgft", "extended generalised fat-tree",
                                            settings_of_xgft, make_xgft, "d_mod_k"};

}  // namespace tradewind::sim
