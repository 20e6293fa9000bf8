/// DragonflyCanonical: wiring, exits and distances.
#include "tradewind/sim/topology/dragonfly_canonical.hpp"

#include <algorithm>

#include "tradewind/sim/topology/catalogue.hpp"
#include "tradewind/sim/topology/shape.hpp"

namespace tradewind::sim {

DragonflyCanonical::DragonflyCanonical(const Parameters& parameters, NodeId nodes_per_switch)
    : Topology(nodes_per_switch),
      parameters_(parameters),
      routers_(parameters.routers),
      links_(std::max(1, parameters.global_links)),
      pattern_(std::max(1, parameters.groups - 1)),
      switches_(product(parameters.routers, parameters.groups, "switches")) {
    (void)product(switches_, nodes_per_switch, "nodes");
    const std::int32_t links = product(parameters.routers, parameters.global_links, "global links");
    if (parameters.groups - 1 > links) {
        throw TopologyError(text("dragonfly_canonical: groups = ", parameters.groups,
                                 " is more than routers * global_links + 1 = ", links + 1));
    }
    parallel_ = pattern_.quotient(links);
}

std::int32_t DragonflyCanonical::pattern(std::int32_t from, std::int32_t to) const noexcept {
    if (parameters_.arrangement == Arrangement::absolute) return to - (to > from ? 1 : 0);
    return to - from - 1 + (to < from ? parameters_.groups : 0);
}

Link DragonflyCanonical::neighbour(SwitchId here, PortId port) const {
    const std::int32_t group = routers_.quotient(here);
    const std::int32_t router = here - group * parameters_.routers;
    if (port < first_global()) {
        const std::int32_t to = port + (port >= router ? 1 : 0);
        return {here + to - router, router - (router > to ? 1 : 0), 0};
    }
    const std::int32_t link = router * parameters_.global_links + port - first_global();
    const std::int32_t round = pattern_.quotient(link);
    if (round >= parallel_ || parameters_.groups == 1) return {no_switch, 0, 1};
    const std::int32_t position = link - round * pattern_.value();
    const std::int32_t to = parameters_.arrangement == Arrangement::absolute
                                ? position + (position >= group ? 1 : 0)
                                : Divisor(parameters_.groups).remainder(group + position + 1);
    const std::int32_t back = round * pattern_.value() + pattern(to, group);
    return {to * parameters_.routers + router_of(back), port_of(back), 1};
}

DragonflyCanonical::Range DragonflyCanonical::links_of(std::int32_t router,
                                                       std::int32_t position) const noexcept {
    // Link round * pattern + position lies in [router h, router h + h): both ends rounded up.
    const std::int32_t shift = pattern_.value() - 1 - position;
    const std::int32_t begin = router * parameters_.global_links;
    const std::int32_t first = pattern_.quotient(begin + shift);
    const std::int32_t last = pattern_.quotient(begin + parameters_.global_links + shift);
    return {first, std::min(last, parallel_)};
}

std::int32_t DragonflyCanonical::exit(SwitchId from, SwitchId to,
                                      std::uint32_t spread) const noexcept {
    const std::int32_t from_group = routers_.quotient(from);
    const std::int32_t to_group = routers_.quotient(to);
    const std::int32_t position = pattern(from_group, to_group);
    const Range own = links_of(from - from_group * parameters_.routers, position);
    const Range other =
        links_of(to - to_group * parameters_.routers, pattern(to_group, from_group));
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
    const Link across =
        neighbour(from_group * parameters_.routers + router_of(link), port_of(link));
    return 1 + (router_of(link) == from - from_group * parameters_.routers ? 0 : 1) +
           (across.to == to ? 0 : 1);
}

int DragonflyCanonical::diameter() const {
    int longest = parameters_.routers > 1 ? 1 : 0;
    // Every pair of groups looks the same in the relative arrangement, but not in the absolute one.
    const std::int32_t starts =
        parameters_.arrangement == Arrangement::relative ? 1 : parameters_.groups;
    const int limit = parameters_.routers > 1 ? 3 : 1;
    for (SwitchId from = 0; from < starts * parameters_.routers && longest < limit; ++from) {
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
    return {here - group * parameters_.routers, group};
}

std::vector<NumberingLevel> DragonflyCanonical::numbering() const {
    return {{parameters_.routers, false}, {parameters_.groups, false}};
}

std::vector<LinkPanel> DragonflyCanonical::link_panels() const {
    const std::int64_t routers = parameters_.routers;
    const std::int64_t groups = parameters_.groups;
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
    DragonflyCanonical::Parameters parameters;
    parameters.routers = small(routers, settings);
    parameters.global_links = small(global_links, settings);
    const std::int32_t most =
        product(std::int64_t{product(parameters.routers, parameters.global_links, "links")} + 1, 1,
                "groups");
    parameters.groups = std::int32_t(groups.within(1, double(most)).of(settings, most));
    parameters.arrangement = arrangement.of(settings);
    return std::make_unique<DragonflyCanonical>(parameters,
                                                NodeId(nodes_per_switch.of(settings, 1)));
}

}  // namespace

extern const TopologyEntry dragonfly_canonical_entry;
constinit const TopologyEntry dragonfly_canonical_entry = {
    "dragonfly_canonical", "groups of all-to-all routers", settings_of_dragonfly, make, "minimal",
    classes_of_dragonfly};

}  // namespace tradewind::sim
