/// The list of all routes, each of which is followed once.
#include "routes.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>

#include "settings.hpp"
#include "tradewind/sim/routing/catalogue.hpp"
#include "tradewind/sim/topology/catalogue.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

namespace {

/// The numbers of links, in the order in which routes use them.
class UsedLinks {
public:
    explicit UsedLinks(const sim::Topology& topology) : classes_(topology.link_classes()) {}

    std::int64_t index(sim::SwitchId here, sim::PortId port, const sim::Link& link) {
        const auto [at, is_new] = indices_.try_emplace({here, port}, std::int64_t(indices_.size()));
        if (is_new)
            list_.append(nb::make_tuple(here, link.to, classes_[std::size_t(link.link_class)]));
        return at->second;
    }
    [[nodiscard]] const nb::list& list() const noexcept { return list_; }

private:
    std::vector<std::string> classes_;
    std::map<std::pair<sim::SwitchId, sim::PortId>, std::int64_t> indices_;
    nb::list list_;
};

}  // namespace

nb::dict routes(const nb::dict& spec, std::int64_t nodes) {
    const simcomm::Sections sections = sections_from(spec);
    const auto topology = simcomm::make_topology(sections);
    const auto rule = simcomm::make_routing(sections, *topology);
    if (!rule->keeps_order()) {
        throw ConfigError(text("routing.name = \"",
                               sections.at("routing").get<std::string>("name", "minimal"),
                               "\": its packets have a choice; only a rule with one route between "
                               "two nodes can be listed"));
    }
    if (nodes < 1 || nodes > topology->nodes()) {
        throw ConfigError(text("nodes = ", nodes, " is not in 1..", topology->nodes(),
                               ", the nodes of the network"));
    }
    UsedLinks links(*topology);
    nb::list list;
    for (sim::NodeId from = 0; from < nodes; ++from) {
        for (sim::NodeId to = 0; to < nodes; ++to) {
            std::vector<std::int64_t> route;
            sim::follow_route(*topology, *rule, from / topology->nodes_per_switch(), to, 0,
                              [&](sim::SwitchId here, sim::PortId port, const sim::Link& link) {
                                  route.push_back(links.index(here, port, link));
                              });
            list.append(route);
        }
    }
    nb::dict result;
    result["links"] = links.list();
    result["routes"] = list;
    return result;
}

}  // namespace tradewind::bindings
