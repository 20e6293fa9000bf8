/// Dragonfly: wirings, gateways and distances.
#include "tradewind/sim/topology/dragonfly.hpp"

#include <algorithm>

#include "tradewind/sim/topology/catalogue.hpp"
#include "tradewind/sim/topology/shape.hpp"

namespace tradewind::sim {

Dragonfly::Dragonfly(const Shape& shape, NodeId nodes_per_switch)
    : Topology(nodes_per_switch),
      shape_(shape),
      row_(shape.x),
      group_(product(shape.x, shape.y, "switches in a group")),
      switches_(product(group_.value(), shape.groups, "switches")),
      first_global_(shape.x + shape.y - 2) {
    (void)product(switches_, nodes_per_switch, "nodes");
    check();
    if (shape.wiring != Wiring::full) wire();
}

void Dragonfly::check() const {
    const std::int32_t links = shape_.global_links;
    const std::int32_t others = shape_.groups - 1;
    switch (shape_.wiring) {
        case Wiring::full:
            if (links == others) return;
            throw TopologyError(text("dragonfly: wiring full needs global_links = groups - 1 = ",
                                     others, ", not ", links));
        case Wiring::symmetric:
            if (links > 0 && links % 2 == 0 && links / 2 <= others) break;
            throw TopologyError(
                text("dragonfly: wiring symmetric needs an even global_links in 2..", 2 * others,
                     ", not ", links));
        case Wiring::sstmacro_legacy:
            if (links > 0 && links <= others) break;
            throw TopologyError(text("dragonfly: wiring sstmacro_legacy needs global_links in 1..",
                                     others, ", not ", links));
    }
    if (radix() > 32767) throw TopologyError(text("dragonfly: ", radix(), " ports are over 32767"));
}

std::int32_t Dragonfly::wired_offset(std::int32_t local, std::int32_t link) const {
    const std::int64_t groups = shape_.groups;
    const std::int64_t links = shape_.global_links;
    if (shape_.wiring == Wiring::sstmacro_legacy) {
        const std::int64_t stride = std::max<std::int64_t>(1, groups / links);
        return static_cast<std::int32_t>((local + link * stride) % groups);
    }
    const std::int32_t y = row_.quotient(local);
    const std::int64_t number = std::int64_t{local - y * row_.value()} * shape_.y + y;
    const std::int64_t up = (number * (links / 2) + link % (links / 2)) % groups;
    return static_cast<std::int32_t>(link < links / 2 ? up : (groups - up) % groups);
}

void Dragonfly::wire() {
    const auto groups = static_cast<std::size_t>(shape_.groups);
    gateways_.resize(groups);
    for (auto& ports : global_ports_) {
        ports.assign(static_cast<std::size_t>(switches_), std::int16_t{-1});
    }
    for (std::int32_t local = 0; local < group_.value(); ++local) {
        for (std::int32_t link = 0; link < shape_.global_links; ++link) {
            const std::int32_t offset = wired_offset(local, link);
            offsets_.push_back(offset);
            if (offset == 0) continue;
            const auto index = static_cast<std::size_t>(offset * group_.value() + local);
            const bool is_first = global_ports_[0][index] < 0;
            if (is_first) gateways_[static_cast<std::size_t>(offset)].push_back(local);
            global_ports_[1][index] = static_cast<std::int16_t>(first_global_ + link);
            if (is_first) global_ports_[0][index] = global_ports_[1][index];
        }
    }
    for (std::size_t offset = 1; offset < groups; ++offset) {
        if (!gateways_[offset].empty()) continue;
        throw TopologyError(text("dragonfly: ", shape_.global_links, " global links at each of ",
                                 group_.value(), " switches leave groups ", offset,
                                 " apart without a link"));
    }
}

Link Dragonfly::neighbour(SwitchId here, PortId port) const {
    const GroupPosition at = position(here);
    if (port < shape_.x - 1) {
        const std::int32_t to = port + (port >= at.x ? 1 : 0);
        return {here + to - at.x, at.x - (at.x > to ? 1 : 0), 0};
    }
    if (port < first_global_) {
        const PortId first = shape_.x - 1;
        const std::int32_t to = port - first + (port - first >= at.y ? 1 : 0);
        return {here + (to - at.y) * row_.value(), first + at.y - (at.y > to ? 1 : 0), 0};
    }
    if (shape_.wiring != Wiring::full) return global_neighbour(here, port - first_global_);
    const PortId link = port - first_global_;
    const std::int32_t to = link + (link >= at.group ? 1 : 0);
    return {here + (to - at.group) * group_.value(),
            first_global_ + at.group - (at.group > to ? 1 : 0), 1};
}

Link Dragonfly::global_neighbour(SwitchId here, std::int32_t link) const {
    const GroupPosition at = position(here);
    const std::int32_t links = shape_.global_links;
    const std::int32_t offset = offsets_[static_cast<std::size_t>(at.local * links + link)];
    if (offset == 0) return {no_switch, 0, 1};
    const std::int32_t group =
        at.group + offset - (at.group + offset >= shape_.groups ? shape_.groups : 0);
    const std::int32_t half = links / 2;
    const std::int32_t back = link < half ? link + half : link - half;
    return {group * group_.value() + at.local,
            first_global_ + (shape_.wiring == Wiring::symmetric ? back : link), 1};
}

PortId Dragonfly::local_port(std::int32_t from, std::int32_t to) const noexcept {
    const std::int32_t from_y = row_.quotient(from);
    const std::int32_t to_y = row_.quotient(to);
    const std::int32_t from_x = from - from_y * row_.value();
    const std::int32_t to_x = to - to_y * row_.value();
    if (from_x != to_x) return to_x - (to_x > from_x ? 1 : 0);
    return shape_.x - 1 + to_y - (to_y > from_y ? 1 : 0);
}

int Dragonfly::local_distance(std::int32_t from, std::int32_t to) const noexcept {
    const std::int32_t from_y = row_.quotient(from);
    const std::int32_t to_y = row_.quotient(to);
    const bool same_x = from - from_y * row_.value() == to - to_y * row_.value();
    return (same_x ? 0 : 1) + (from_y == to_y ? 0 : 1);
}

std::int32_t Dragonfly::gateway(std::int32_t from, std::int32_t to, std::int32_t offset,
                                std::uint32_t spread) const {
    if (global_port(offset, from) >= 0) return from;
    const std::int32_t from_row = row_.quotient(from) * row_.value();
    const std::int32_t to_row = row_.quotient(to) * row_.value();
    const std::int32_t x_first = to - to_row + from_row;
    const std::int32_t y_first = from - from_row + to_row;
    for (const std::int32_t corner : {x_first, y_first, to}) {
        if (global_port(offset, corner) >= 0) return corner;
    }
    return gateway_off_the_way(from, to, offset, spread);
}

std::int32_t Dragonfly::gateway_off_the_way(std::int32_t from, std::int32_t to, std::int32_t offset,
                                            std::uint32_t spread) const {
    const std::int32_t width = shape_.x;
    const std::int32_t from_row = row_.quotient(from) * width;
    const std::int32_t to_row = row_.quotient(to) * width;
    const auto turned = [spread](std::int32_t step, std::int32_t extent) {
        const std::uint64_t start = std::uint64_t{spread} * static_cast<std::uint32_t>(extent);
        const std::int32_t at = step + static_cast<std::int32_t>(start >> 32U);
        return at - (at >= extent ? extent : 0);
    };
    // A way out and back costs two hops, a stop in a row or column that has to be left anyway one.
    const int least = std::max(2, local_distance(from, to) + 1);
    std::int32_t best = -1;
    int best_hops = 4;
    const auto consider = [&](std::int32_t local) {
        if (best_hops == least || global_port(offset, local) < 0) return;
        const int hops = local_distance(from, local) + local_distance(local, to);
        if (hops < best_hops) best = local;
        best_hops = std::min(best_hops, hops);
    };
    // Gateways in no row or column of the two ends are four hops apart from them.
    for (std::int32_t step = 0; step < width && best_hops > least; ++step) {
        consider(from_row + turned(step, width));
        consider(to_row + turned(step, width));
    }
    for (std::int32_t step = 0; step < shape_.y && best_hops > least; ++step) {
        consider(from - from_row + width * turned(step, shape_.y));
        consider(to - to_row + width * turned(step, shape_.y));
    }
    if (best >= 0) return best;
    const auto& all = gateways_[static_cast<std::size_t>(offset)];
    return all[static_cast<std::size_t>(turned(0, static_cast<std::int32_t>(all.size())))];
}

int Dragonfly::route_length(std::int32_t from, std::int32_t to, std::int32_t offset) const {
    if (offset == 0) return local_distance(from, to);
    if (shape_.wiring == Wiring::full) return 1 + local_distance(from, to);
    const std::int32_t exit = gateway(from, to, offset, 0);
    return local_distance(from, exit) + 1 + local_distance(exit, to);
}

int Dragonfly::distance(SwitchId from, SwitchId to) const {
    const std::int32_t from_group = group_.quotient(from);
    const std::int32_t to_group = group_.quotient(to);
    return route_length(from - from_group * group_.value(), to - to_group * group_.value(),
                        offset(from_group, to_group));
}

bool Dragonfly::some_gateway_is_two_hops_away() const {
    return std::ranges::any_of(gateways_, [this](const auto& locals) {
        std::vector<bool> rows(static_cast<std::size_t>(shape_.y));
        std::vector<bool> columns(static_cast<std::size_t>(shape_.x));
        for (const std::int32_t local : locals) {
            const std::int32_t y = row_.quotient(local);
            rows[static_cast<std::size_t>(y)] = true;
            columns[static_cast<std::size_t>(local - y * row_.value())] = true;
        }
        return !locals.empty() && std::ranges::count(rows, false) > 0 &&
               std::ranges::count(columns, false) > 0;
    });
}

int Dragonfly::diameter() const {
    const int within = (shape_.x > 1 ? 1 : 0) + (shape_.y > 1 ? 1 : 0);
    if (shape_.groups == 1) return within;
    if (shape_.wiring == Wiring::full) return within + 1;
    // From such a switch to the one of the same (x, y) in the other group it is 2 + 1 + 2 hops.
    if (some_gateway_is_two_hops_away()) return 5;
    int longest = within + 1;
    for (std::int32_t offset = 1; offset < shape_.groups && longest < 4; ++offset) {
        for (std::int32_t from = 0; from < group_.value() && longest < 4; ++from) {
            if (global_port(offset, from) >= 0) continue;
            for (std::int32_t to = 0; to < group_.value(); ++to) {
                longest = std::max(longest, route_length(from, to, offset));
            }
        }
    }
    return longest;
}

std::vector<std::string> Dragonfly::link_classes() const {
    return {"local", "global"};
}

std::vector<std::int64_t> Dragonfly::coordinates(SwitchId here) const {
    const GroupPosition at = position(here);
    return {at.x, at.y, at.group};
}

std::vector<NumberingLevel> Dragonfly::numbering() const {
    return {{shape_.x, true}, {shape_.y, true}, {shape_.groups, false}};
}

std::vector<LinkPanel> Dragonfly::link_panels() const {
    const std::array<std::int64_t, 3> extents{shape_.x, shape_.y, shape_.groups};
    std::vector<LinkPanel> panels{grid_panel("local_x", extents), grid_panel("local_y", extents)};
    for (LinkPanel& panel : panels) panel.axes[0] = "group";
    panels.push_back({"global", {"", "from group", "to group"}, {1, shape_.groups, shape_.groups}});
    return panels;
}

LinkPlace Dragonfly::link_place(SwitchId here, PortId port) const {
    const GroupPosition at = position(here);
    if (port < first_global_) return {port < shape_.x - 1 ? 0U : 1U, {at.group, at.y, at.x}};
    return {2, {0, at.group, group_.quotient(neighbour(here, port).to)}};
}

namespace {

constexpr auto group = declare::whole_list("group", "switches of a group, [X, Y]", 2).required();
constexpr auto groups = needed("groups", "groups");
constexpr auto global_links =
    declare::whole("global_links", "global links of a switch; none: one to each other group")
        .within(0, double(largest_number));
constexpr auto wiring =
    declare::one_of<Dragonfly::Wiring>("wiring", "wiring of global links; none: full if it can be",
                                       {{"full", Dragonfly::Wiring::full},
                                        {"symmetric", Dragonfly::Wiring::symmetric},
                                        {"sstmacro_legacy", Dragonfly::Wiring::sstmacro_legacy}})
        .without_default();
constexpr const Declaration* settings_of_dragonfly[] = {&nodes_per_switch, &group, &groups,
                                                        &global_links, &wiring};
constexpr std::string_view classes_of_dragonfly[] = {"local", "global"};

std::unique_ptr<Topology> make(const Settings& settings) {
    const auto extents = small(group, settings);
    Dragonfly::Shape shape{extents[0], extents[1], small(groups, settings)};
    shape.global_links = std::int32_t(global_links.of(settings, shape.groups - 1));
    const bool is_full = shape.global_links == shape.groups - 1;
    shape.wiring =
        wiring.of(settings, is_full ? Dragonfly::Wiring::full : Dragonfly::Wiring::symmetric);
    return std::make_unique<Dragonfly>(shape, NodeId(nodes_per_switch.of(settings, 1)));
}

}  // namespace

extern const TopologyEntry dragonfly_entry;
constinit const TopologyEntry dragonfly_entry = {"dragonfly",
                                                 "groups with all-to-all rows and columns",
                                                 settings_of_dragonfly,
                                                 make,
                                                 "minimal",
                                                 classes_of_dragonfly};

}  // namespace tradewind::sim
