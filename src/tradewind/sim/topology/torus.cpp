/// Torus: wiring and distances.
#include "tradewind/sim/topology/torus.hpp"

#include <algorithm>
#include <cstdlib>

#include "tradewind/sim/topology/catalogue.hpp"
#include "tradewind/sim/topology/shape.hpp"

namespace tradewind::sim {

Torus::Torus(const std::vector<std::int32_t>& extents, NodeId nodes_per_switch)
    : Topology(nodes_per_switch) {
    for (const std::int32_t extent : extents) {
        dimensions_.push_back({Divisor(extent), Divisor(switches_)});
        switches_ = product(switches_, extent, "switches");
    }
    (void)product(switches_, nodes_per_switch, "nodes");
}

Link Torus::neighbour(SwitchId here, PortId port) const {
    const auto& [extent, stride] = dimensions_[static_cast<std::size_t>(port / 2)];
    if (extent.value() == 1) return {};
    const std::int32_t at = extent.remainder(stride.quotient(here));
    const std::int32_t step = port % 2 == 0 ? 1 : extent.value() - 1;
    const std::int32_t to = extent.remainder(at + step);
    return {here + (to - at) * stride.value(), port ^ 1, 0};
}

int Torus::distance(SwitchId from, SwitchId to) const {
    int sum = 0;
    for (const auto& [extent, stride] : dimensions_) {
        const int apart = std::abs(extent.remainder(stride.quotient(from)) -
                                   extent.remainder(stride.quotient(to)));
        sum += std::min(apart, extent.value() - apart);
    }
    return sum;
}

int Torus::diameter() const {
    int sum = 0;
    for (const auto& dimension : dimensions_) sum += dimension.extent.value() / 2;
    return sum;
}

std::vector<std::int64_t> Torus::coordinates(SwitchId here) const {
    std::vector<std::int64_t> result;
    for (const auto& [extent, stride] : dimensions_) {
        result.push_back(extent.remainder(stride.quotient(here)));
    }
    return result;
}

std::vector<std::int64_t> Torus::extents() const {
    std::vector<std::int64_t> result;
    for (const auto& dimension : dimensions_) result.push_back(dimension.extent.value());
    return result;
}

std::vector<NumberingLevel> Torus::numbering() const {
    std::vector<NumberingLevel> levels;
    for (const auto& dimension : dimensions_) levels.push_back({dimension.extent.value(), true});
    return levels;
}

std::vector<LinkPanel> Torus::link_panels() const {
    std::vector<LinkPanel> panels;
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
        panels.push_back(grid_panel(dimension_name(d) + "_up", extents()));
        panels.push_back(grid_panel(dimension_name(d) + "_down", extents()));
    }
    return panels;
}

LinkPlace Torus::link_place(SwitchId here, PortId port) const {
    return {static_cast<std::size_t>(port), grid_place(coordinates(here), extents())};
}

namespace {

constexpr auto extents_of_torus =
    declare::whole_list("extents", "switches along each dimension", 1, 16).required();
constexpr const Declaration* settings_of_torus[] = {&nodes_per_switch, &extents_of_torus};

std::unique_ptr<Topology> make(const Settings& settings) {
    return std::make_unique<Torus>(small(extents_of_torus, settings),
                                   NodeId(nodes_per_switch.of(settings, 1)));
}

}  // namespace

extern const TopologyEntry torus_entry;
constinit const TopologyEntry torus_entry = {"torus", "grid of any dimension with wrap-around",
                                             settings_of_torus, make, "dimension_order"};

}  // namespace tradewind::sim
