/// HyperX: wiring and distances.
#include "tradewind/sim/topology/hyperx.hpp"

#include "tradewind/sim/topology/catalogue.hpp"
#include "tradewind/sim/topology/shape.hpp"

namespace tradewind::sim {

HyperX::HyperX(const std::vector<std::int32_t>& extents, NodeId nodes_per_switch)
    : Topology(nodes_per_switch) {
    for (const std::int32_t extent : extents) {
        dimensions_.push_back({Divisor(extent), Divisor(switches_), radix_});
        switches_ = product(switches_, extent, "switches");
        radix_ += extent - 1;
    }
    (void)product(switches_, nodes_per_switch, "nodes");
}

std::size_t HyperX::dimension_of(PortId port) const noexcept {
    std::size_t index = dimensions_.size() - 1;
    while (port < dimensions_[index].first_port) --index;
    return index;
}

Link HyperX::neighbour(SwitchId here, PortId port) const {
    const std::size_t index = dimension_of(port);
    const auto& [extent, stride, first] = dimensions_[index];
    const std::int32_t at = extent.remainder(stride.quotient(here));
    const std::int32_t to = port - first + (port - first >= at ? 1 : 0);
    return {here + (to - at) * stride.value(), first + at - (at > to ? 1 : 0), 0};
}

int HyperX::distance(SwitchId from, SwitchId to) const {
    int sum = 0;
    for (const auto& [extent, stride, first] : dimensions_) {
        const bool differs =
            extent.remainder(stride.quotient(from)) != extent.remainder(stride.quotient(to));
        sum += differs ? 1 : 0;
    }
    return sum;
}

int HyperX::diameter() const {
    int sum = 0;
    for (const auto& dimension : dimensions_) sum += dimension.extent.value() > 1 ? 1 : 0;
    return sum;
}

std::vector<std::int64_t> HyperX::coordinates(SwitchId here) const {
    std::vector<std::int64_t> result;
    for (const auto& [extent, stride, first] : dimensions_) {
        result.push_back(extent.remainder(stride.quotient(here)));
    }
    return result;
}

std::vector<std::int64_t> HyperX::extents() const {
    std::vector<std::int64_t> result;
    for (const auto& dimension : dimensions_) result.push_back(dimension.extent.value());
    return result;
}

std::vector<NumberingLevel> HyperX::numbering() const {
    std::vector<NumberingLevel> levels;
    for (const auto& dimension : dimensions_) levels.push_back({dimension.extent.value(), true});
    return levels;
}

std::vector<LinkPanel> HyperX::link_panels() const {
    std::vector<LinkPanel> panels;
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
        panels.push_back(grid_panel(dimension_name(d), extents()));
    }
    return panels;
}

LinkPlace HyperX::link_place(SwitchId here, PortId port) const {
    return {dimension_of(port), grid_place(coordinates(here), extents())};
}

namespace {

constexpr auto extents_of_hyperx =
    declare::whole_list("extents", "switches along each dimension", 1, 16).required();
constexpr auto nodes_of_star = needed("nodes", "nodes of the switch");
constexpr const Declaration* settings_of_hyperx[] = {&nodes_per_switch, &extents_of_hyperx};
constexpr const Declaration* settings_of_star[] = {&nodes_of_star};

std::unique_ptr<Topology> make_hyperx(const Settings& settings) {
    return std::make_unique<HyperX>(small(extents_of_hyperx, settings),
                                    NodeId(nodes_per_switch.of(settings, 1)));
}

/// Makes a single switch.
std::unique_ptr<Topology> make_star(const Settings& settings) {
    return std::make_unique<HyperX>(std::vector<std::int32_t>{1}, small(nodes_of_star, settings));
}

}  // namespace

extern const TopologyEntry hyperx_entry;
constinit const TopologyEntry hyperx_entry = {"hyperx", "grid with all-to-all rows",
                                              settings_of_hyperx, make_hyperx, "dimension_order"};
extern const TopologyEntry star_entry;
constinit const TopologyEntry star_entry = {"star", "one switch", settings_of_star, make_star,
                                            "minimal"};

}  // namespace tradewind::sim
