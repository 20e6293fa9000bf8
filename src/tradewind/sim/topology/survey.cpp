/// Counts of links, of distances, and of the links across cuts.
#include "tradewind/sim/topology/survey.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "tradewind/base/interrupts.hpp"

namespace tradewind::sim {

namespace {

template <class Visit>
void for_each_link(const Topology& topology, SwitchId here, Visit visit) {
    for (PortId port = 0; port < topology.radix(); ++port) {
        check_interrupts();
        const Link link = topology.neighbour(here, port);
        if (link.to != no_switch) visit(port, link);
    }
}

}  // namespace

std::vector<LinkCount> count_links(const Topology& topology, std::int64_t most_ports) {
    const std::int64_t ports = std::int64_t{topology.switches()} * topology.radix();
    const bool by_panel = ports <= most_ports;
    const std::vector<LinkPanel> panels = topology.link_panels();
    const std::size_t places = by_panel ? panels.size() : 1;
    std::vector<std::int64_t> counts(topology.link_classes().size() * places);
    for (SwitchId here = 0; here < topology.switches(); ++here) {
        for_each_link(topology, here, [&](PortId port, const Link& link) {
            const std::size_t place = by_panel ? topology.link_place(here, port).panel : 0;
            ++counts[std::size_t(link.link_class) * places + place];
        });
    }
    std::vector<LinkCount> result;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0) continue;
        const auto link_class = std::int32_t(i / places);
        result.push_back({link_class, by_panel ? panels[i % places].name : "", counts[i]});
    }
    return result;
}

DistanceCounts count_distances(const Topology& topology, std::int64_t most_pairs) {
    const std::int64_t all = topology.terminal_switches();
    DistanceCounts result;
    result.sources = std::clamp<std::int64_t>(most_pairs / all, 1, all);
    for (std::int64_t number = 0; number < result.sources; ++number) {
        const auto from = SwitchId(number * all / result.sources);
        for (SwitchId to = 0; to < all; ++to) {
            check_interrupts();
            const auto hops = std::size_t(topology.distance(from, to));
            if (hops >= result.pairs.size()) result.pairs.resize(hops + 1);
            ++result.pairs[hops];
        }
    }
    return result;
}

std::vector<NodeId> nodes_by_distance(const Topology& topology) {
    const NodeId per_switch = topology.nodes_per_switch();
    std::vector<NodeId> result{per_switch > 1 ? 1 : -1};
    for (SwitchId to = 1; to < topology.terminal_switches(); ++to) {
        const auto hops = std::size_t(topology.distance(0, to));
        if (hops >= result.size()) result.resize(hops + 1, -1);
        if (result[hops] < 0) result[hops] = to * per_switch;
    }
    return result;
}

namespace {

/// The halves of all switches under several cuts, a bit for each cut: 1 in the second half.
class Cuts {
public:
    explicit Cuts(const Topology& topology)
        : topology_(topology), sides_(std::size_t(topology.switches())) {
        std::int64_t stride = 1;
        for (const NumberingLevel& level : topology.numbering()) {
            if (level.parts > 1) add(stride, level.parts);
            stride *= level.parts;
        }
        if (cut_off_.empty()) add(1, 1);
    }

    [[nodiscard]] std::size_t size() const noexcept { return cut_off_.size(); }
    /// Returns the nodes that a cut separates from their switch.
    [[nodiscard]] std::int64_t cut_off(std::size_t cut) const noexcept { return cut_off_[cut]; }
    [[nodiscard]] std::uint32_t sides(SwitchId here) const noexcept {
        return sides_[std::size_t(here)];
    }
    /// Puts the switches without nodes into halves, from the lowest number on.
    void place_others(std::span<const double> link_rates);

private:
    static constexpr std::size_t most_cuts = 32;

    /// Adds the cuts across one level of the numbering: two where the middle is within a switch.
    void add(std::int64_t stride, std::int64_t parts) {
        const std::int64_t per_switch = topology_.nodes_per_switch();
        const std::int64_t half = topology_.nodes() / 2;
        const std::int64_t inside = half % per_switch;
        add_cut(stride, parts, half / per_switch, inside);
        if (inside > 0) add_cut(stride, parts, half / per_switch + 1, per_switch - inside);
    }
    void add_cut(std::int64_t stride, std::int64_t parts, std::int64_t first_half,
                 std::int64_t cut_off) {
        if (cut_off_.size() == most_cuts) return;
        const std::int64_t all = topology_.terminal_switches();
        for (std::int64_t here = 0; here < all; ++here) {
            const std::int64_t rest = here / (stride * parts) * stride + here % stride;
            const std::int64_t position = here / stride % parts * (all / parts) + rest;
            if (position >= first_half) sides_[std::size_t(here)] |= 1U << cut_off_.size();
        }
        cut_off_.push_back(cut_off);
    }

    const Topology& topology_;
    std::vector<std::uint32_t> sides_;
    std::vector<std::int64_t> cut_off_;
};

void Cuts::place_others(std::span<const double> link_rates) {
    for (SwitchId here = topology_.terminal_switches(); here < topology_.switches(); ++here) {
        std::array<double, most_cuts> second{};
        double all = 0.0;
        for_each_link(topology_, here, [&](PortId, const Link& link) {
            if (link.to >= here) return;
            const double rate = link_rates[std::size_t(link.link_class)];
            all += rate;
            for (std::uint32_t bits = sides(link.to); bits != 0; bits &= bits - 1)
                second[std::size_t(std::countr_zero(bits))] += rate;
        });
        for (std::size_t cut = 0; cut < size(); ++cut)
            if (2.0 * second[cut] > all) sides_[std::size_t(here)] |= 1U << cut;
    }
}

/// The bandwidth and links that cross a cut in one direction.
struct CutTraffic {
    double rate = 0.0;
    std::int64_t links = 0;
};

}  // namespace

Bisection bisect(const Topology& topology, std::span<const double> link_rates, double node_rate) {
    Cuts cuts(topology);
    cuts.place_others(link_rates);
    std::vector<std::array<CutTraffic, 2>> crossings(cuts.size());
    for (SwitchId here = 0; here < topology.switches(); ++here) {
        const std::uint32_t own = cuts.sides(here);
        for_each_link(topology, here, [&](PortId, const Link& link) {
            for (std::uint32_t bits = own ^ cuts.sides(link.to); bits != 0; bits &= bits - 1) {
                const int cut = std::countr_zero(bits);
                CutTraffic& traffic = crossings[std::size_t(cut)][own >> cut & 1U];
                traffic.rate += link_rates[std::size_t(link.link_class)];
                ++traffic.links;
            }
        });
    }
    Bisection narrowest;
    for (std::size_t cut = 0; cut < cuts.size(); ++cut) {
        const CutTraffic& less = std::ranges::min(crossings[cut], {}, &CutTraffic::rate);
        const Bisection found{less.rate + double(cuts.cut_off(cut)) * node_rate, less.links,
                              cuts.cut_off(cut)};
        if (cut == 0 || found.bytes_per_second < narrowest.bytes_per_second) narrowest = found;
    }
    return narrowest;
}

}  // namespace tradewind::sim
