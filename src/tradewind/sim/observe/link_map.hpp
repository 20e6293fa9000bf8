/// LinkMap: the loads of links on the panels of a topology, in cells of neighbouring links where a
/// network is large.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tradewind/base/units.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

/// The load of one link.
struct LinkLoad {
    Bytes bytes = 0;
    Picoseconds waiting = 0;
    Picoseconds busy = 0;
    /// The busy time over the simulated time.
    double utilisation = 0.0;
};

/// A panel in cells: arrays of cells[0] x cells[1] x cells[2], the last axis fastest. A cell
/// without links stands for a place where the topology has none.
struct LinkMapPanel {
    LinkPanel panel;
    std::array<std::int64_t, 3> cells{1, 1, 1};
    std::vector<std::int64_t> links;
    std::vector<Bytes> bytes;
    std::vector<Picoseconds> waiting;
    std::vector<Picoseconds> busy;
    std::vector<double> utilisation_max;
    /// The means that `complete` works out when the parts of all processes are together.
    std::vector<double> utilisation_mean;
};

/// Adds the loads of other links of the same network.
inline void merge(std::vector<LinkMapPanel>& whole, const std::vector<LinkMapPanel>& part) {
    const auto add = [](auto& to, const auto& from) {
        std::ranges::transform(to, from, to.begin(), std::plus<>());
    };
    if (whole.empty()) {
        whole = part;
        return;
    }
    for (std::size_t i = 0; i < part.size(); ++i) {
        add(whole[i].links, part[i].links);
        add(whole[i].bytes, part[i].bytes);
        add(whole[i].waiting, part[i].waiting);
        add(whole[i].busy, part[i].busy);
        std::ranges::transform(whole[i].utilisation_max, part[i].utilisation_max,
                               whole[i].utilisation_max.begin(),
                               [](double a, double b) { return std::max(a, b); });
    }
}

/// Leaves out panels without links. Works out means from whole numbers, which do not depend on the
/// order of additions; `span` = 1 / simulated time.
inline void complete(std::vector<LinkMapPanel>& panels, double span) {
    std::erase_if(panels, [](const LinkMapPanel& panel) {
        return std::ranges::all_of(panel.links, [](std::int64_t count) { return count == 0; });
    });
    for (LinkMapPanel& panel : panels) {
        panel.utilisation_mean.resize(panel.links.size());
        for (std::size_t cell = 0; cell < panel.links.size(); ++cell) {
            const auto links = double(std::max<std::int64_t>(panel.links[cell], 1));
            panel.utilisation_mean[cell] = double(panel.busy[cell]) * span / links;
        }
    }
}

class LinkMap {
public:
    /// Makes a map with at most `bins` cells along each axis. The `interfaces` of nodes at each
    /// switch that carries nodes have two panels of their own, "ejection" and "injection".
    LinkMap(const Topology& topology, std::int64_t interfaces, std::int64_t bins)
        : topology_(topology) {
        for (LinkPanel& panel : topology.link_panels()) add_panel(std::move(panel), bins);
        for (const char* name : {"ejection", "injection"}) {
            add_panel({name,
                       {"", "interface of a switch", "switch"},
                       {1, interfaces, topology.terminal_switches()}},
                      bins);
        }
    }

    void add_link(SwitchId here, PortId port, const LinkLoad& load) {
        add(topology_.link_place(here, port), load);
    }
    void add_ejection(SwitchId here, std::int64_t interface, const LinkLoad& load) {
        add({panels_.size() - 2, {0, interface, here}}, load);
    }
    void add_injection(SwitchId here, std::int64_t interface, const LinkLoad& load) {
        add({panels_.size() - 1, {0, interface, here}}, load);
    }

    [[nodiscard]] std::vector<LinkMapPanel> panels() && { return std::move(panels_); }

private:
    void add_panel(LinkPanel panel, std::int64_t bins) {
        LinkMapPanel next;
        next.panel = std::move(panel);
        std::size_t count = 1;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            next.cells[axis] = std::min(next.panel.extents[axis], bins);
            count *= std::size_t(next.cells[axis]);
        }
        next.links.resize(count);
        next.bytes.resize(count);
        next.waiting.resize(count);
        next.busy.resize(count);
        next.utilisation_max.resize(count);
        panels_.push_back(std::move(next));
    }

    void add(const LinkPlace& place, const LinkLoad& load) {
        LinkMapPanel& panel = panels_[place.panel];
        std::size_t cell = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::int64_t cells = panel.cells[axis];
            cell = cell * std::size_t(cells) +
                   std::size_t(place.at[axis] * cells / panel.panel.extents[axis]);
        }
        ++panel.links[cell];
        panel.bytes[cell] += load.bytes;
        panel.waiting[cell] += load.waiting;
        panel.busy[cell] += load.busy;
        panel.utilisation_max[cell] = std::max(panel.utilisation_max[cell], load.utilisation);
    }

    const Topology& topology_;
    std::vector<LinkMapPanel> panels_;
};

}  // namespace tradewind::sim
