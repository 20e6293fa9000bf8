/// LinkMap: the loads of links on the panels of a topology, in cells of neighbouring links where a
/// network is large.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "tradewind/base/units.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

/// What one link carried.
struct LinkLoad {
    Bytes bytes = 0;
    Picoseconds waiting = 0;
    /// Busy time over simulated time.
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
    /// A sum while links are added.
    std::vector<double> utilisation_mean;
    std::vector<double> utilisation_max;
};

class LinkMap {
public:
    /// At most `bins` cells along each axis; `interfaces` of nodes at each switch that carries
    /// nodes have two panels of their own, "ejection" and "injection".
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

    /// The panels that have links, with means in place of sums.
    [[nodiscard]] std::vector<LinkMapPanel> panels() && {
        std::erase_if(panels_, [](const LinkMapPanel& panel) {
            return std::ranges::all_of(panel.links, [](std::int64_t count) { return count == 0; });
        });
        for (LinkMapPanel& panel : panels_) {
            for (std::size_t cell = 0; cell < panel.links.size(); ++cell) {
                panel.utilisation_mean[cell] /=
                    double(std::max<std::int64_t>(panel.links[cell], 1));
            }
        }
        return std::move(panels_);
    }

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
        next.utilisation_mean.resize(count);
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
        panel.utilisation_mean[cell] += load.utilisation;
        panel.utilisation_max[cell] = std::max(panel.utilisation_max[cell], load.utilisation);
    }

    const Topology& topology_;
    std::vector<LinkMapPanel> panels_;
};

}  // namespace tradewind::sim
