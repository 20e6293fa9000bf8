/// DragonflyCanonical: wiring, exits and distances.
#include "tradewind/sim/topology/dragonfly_canonical.hpp"

#include <algorithm>

#include "tradewind/sim/topology/catalogue.hpp"
#include "tradewind/sim/topology/shape.hpp"

namespace tradewind::sim {

DragonflyCanonical::DragonflyCanonical(const Shape& shape, NodeId nodes_per_switch)
    : Topology(nodes_per_switch),
      shape_(shape),
      routers_(shape.routers),
      links_(std::max(1, shape.global_links)),
      pattern_(std::max(1, shape.groups - 1)),
      switches_(product(shape.routers, shape.groups, "switches")) {
    (void)product(switches_, nodes_per_switch, "nodes");
    const std::int32_t links = product(shape.routers, shape.global_links, "global links");
    if (shape.groups - 1 > links) {
        throw TopologyError(text("dragonfly_canonical: groups = ", shape.groups,
                                 " is more than routers * global_links + 1 = ", links + 1));
    }
    parallel_ = pattern_.quotient(links);
}

std::int32_t DragonflyCanonical::pattern(std::int32_t from, std::int32_t to) const noexcept {
    if (shape_.arrangement == Arrangement::absolute) return to - (to > from ? 1 : 0);
    return to - from - 1 + (to < from ? shape_.groups : 0);
}

Link DragonflyCanonical::neighbour(SwitchId here, PortId port) const {
    const std::int32_t group = routers_.quotient(here);
    const std::int32_t router = here - group * shape_.routers;
    if (port < first_global()) {
        const std::int32_t to = port + (port >= router ? 1 : 0);
        return {here + to - router, router - (router > to ? 1 : 0), 0};
    }
    const std::int32_t link = router * shape_.global_links + port - first_global();
    const std::int32_t round = pattern_.quotient(link);
    if (round >= parallel_ || shape_.groups == 1) return {no_switch, 0, 1};
    const std::int32_t position = link - round * pattern_.value();
    const std::int32_t to = shape_.arrangement == Arrangement::absolute
                                ? position + (position >= group ? 1 : 0)
                                : Divisor(shape_.groups).remainder(group + position + 1);
    const std::int32_t back = round * pattern_.value() + pattern(to, group);
    return {to * shape_.routers + router_of(back), port_of(back), 1};
}

DragonflyCanonical::Range DragonflyCanonical::links_of(std::int32_t router,
                                                       std::int32_t position) const noexcept {
    // Link round * pattern + position lies in [router h, router h + h): both ends rounded up.
    const std::int32_t shift = pattern_.value() - 1 - position;
    const std::int32_t begin = router * shape_.global_links;
    const std::int32_t first = pattern_.quotient(begin + shift);
    const std::int32_t last = pattern_.quotient(begin + shape_.global_links + shift);
    return {first, std::min(last, parallel_)};
}

std::int32_t DragonflyCanonical::exit(SwitchId from, SwitchId to,
                                      std::uint32_t spread) const noexcept {
    const std::int32_t from_group = routers_.quotient(from);
    const std::int32_t to_group = routers_.quotient(to);
    const std::int32_t position = pattern(from_group, to_group);
    const Range own = links_of(from - from_group * shape_.routers, position);
    const Range other = links_of(to - to_group * shape_.routers, pattern(to_group, from_group));
    Range chosen{std::max(own.first, other.first), std::min(own.last, other.last)};
    if (chosen.first >= chosen.last) chosen = own;
    if (chosen.first >= chosen.last) chosen = other;
    if (chosen.first >= chosen.last) chosen = {0, parallel_};
    const auto count = static_cast<std::uint32_t>(chosen.last - chosen.first);
    const auto turn = static_cast<std::int32_t>((std::uint64_t{spread} * count) >> 32U);
    return (chosen.first + turn) * pattern_.value() + position;
}

int DragonflyCanonical::distance(SwitchId from, SwitchId to) const {
    if (from == to) return 0;
    const std::int32_t from_group = routers_.quotient(from);
    const std::int32_t to_group = routers_.quotient(to);
    if (from_group == to_group) return 1;
    const std::int32_t link = exit(from, to, 0);
    const Link across = neighbour(from_group * shape_.routers + router_of(link), port_of(link));
    return 1 + (router_of(link) == from - from_group * shape_.routers ? 0 : 1) +
           (across.to == to ? 0 : 1);
}

int DragonflyCanonical::diameter() const {
    int longest = shape_.routers > 1 ? 1 : 0;
    // Every pair of groups looks the same in the relative arrangement, but not in the absolute one.
    const std::int32_t starts = shape_.arrangement == Arrangement::relative ? 1 : shape_.groups;
    const int limit = shape_.routers > 1 ? 3 : 1;
    for (SwitchId from = 0; from < starts * shape_.routers && longest < limit; ++from) {
        for (SwitchId to = 0; to < switches_ && longest < limit; ++to) {
            longest = std::max(longest, distance(from, to));
        }
    }
    return longest;
}

std::vector<std::string> DragonflyCanonical::link_classes() const {
    return {"local", "global"};
}

std::vector<std::int64_t> DragonflyCanonical::coordinates(SwitchId here) const {
    const std::int32_t group = routers_.quotient(here);
    return {here - group * shape_.routers, group};
}

std::vector<NumberingLevel> DragonflyCanonical::numbering() const {
    return {{shape_.routers, false}, {shape_.groups, false}};
}

std::vector<LinkPanel> DragonflyCanonical::link_panels() const {
    const std::int64_t routers = shape_.routers;
    const std::int64_t groups = shape_.groups;
    return {{"local", {"group", "from router", "to router"}, {groups, routers, routers}},
            {"global", {"", "from group", "to group"}, {1, groups, groups}}};
}

LinkPlace DragonflyCanonical::link_place(SwitchId here, PortId port) const {
    const SwitchId to = neighbour(here, port).to;
    const std::int32_t from_group = routers_.quotient(here);
    if (port >= first_global()) return {1, {0, from_group, routers_.quotient(to)}};
    return {0, {from_group, routers_.remainder(here), routers_.remainder(to)}};
}

namespace {

using Arrangement = DragonflyCanonical::Arrangement;
constexpr auto routers = needed("routers", "a, routers of a group");
constexpr auto global_links = needed("global_links", "h, global links of a router", 0);
constexpr auto groups =
    declare::whole("groups", "g; none: a h + 1").within(1, double(largest_number));
constexpr auto arrangement =
    declare::one_of<Arrangement>(
        "arrangement", "order of global links; none: absolute",
        {{"absolute", Arrangement::absolute}, {"relative", Arrangement::relative}})
        .without_default();
constexpr const Declaration* settings_of_dragonfly[] = {&nodes_per_switch, &routers, &global_links,
                                                        &groups, &arrangement};
constexpr std::string_view classes_of_dragonfly[] = {"local", "global"};

std::unique_ptr<Topology> make(const Settings& settings) {
    DragonflyCanonical::Shape shape;
    shape.routers = small(routers, settings);
    shape.global_links = small(global_links, settings);
    const std::int32_t most =
        product(std::int64_t{product(shape.routers, shape.global_links, "links")} + 1, 1, "groups");
    shape.groups = std::int32_t(groups.within(1, double(most)).of(settings, most));
    shape.arrangement = arrangement.of(settings);
    return std::make_unique<DragonflyCanonical>(shape, NodeId(nodes_per_switch.of(settings, 1)));
}

}  // namespace

extern const TopologyEntry dragonfly_canonical_entry;
constinit const TopologyEntry dragonfly_canonical_entry = {
    "dragonfly_canonical", "groups of all-to-all routers", settings_of_dragonfly, make, "minimal",
    classes_of_dragonfly};

}  // namespace tradewind::sim
