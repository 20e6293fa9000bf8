/// Sums over the load counters of ports and network interfaces.
#include "tradewind/sim/network/load_report.hpp"

#include <algorithm>
#include <cmath>

namespace tradewind::sim {

namespace {

/// Bins of the histogram of utilisation.
constexpr int utilisation_bins = 50;

class LoadReport {
public:
    LoadReport(const Fabric& fabric, const Ports& ports, const Injection& injection,
               Picoseconds end)
        : fabric_(fabric),
          ports_(ports),
          injection_(injection),
          per_time_(end > 0 ? 1.0 / double(end) : 0.0) {}

    /// Begins the report with the classes of links, and the number of links of each.
    void add_classes(NetworkReport& report) const {
        const NetworkParameters& parameters = fabric_.parameters;
        const auto names = fabric_.topology.link_classes();
        for (std::size_t i = 0; i < names.size(); ++i)
            report.links.push_back({names[i], true, parameters.links[i].rate.ps_per_byte()});
        report.links.push_back({"ejection", false, parameters.ejection.rate.ps_per_byte()});
        report.links.push_back({"injection", false, parameters.injection.rate.ps_per_byte()});
        count_links(report);
    }
    void add_ports(NetworkReport& report) const;
    void add_interfaces(LinkClassReport& injection) const;
    /// Adds the memories of nodes where interfaces and ranks share them.
    void add_memories(NetworkReport& report) const;
    /// Returns the map of every link that leaves the switches of this process, used or not.
    [[nodiscard]] std::vector<LinkMapPanel> link_map() const;

private:
    void count_links(NetworkReport& report) const;
    [[nodiscard]] LinkLoad load(const LoadCounter& counter, const LinkSpeed& speed) const {
        const double busy = double(counter.bytes) * speed.rate.ps_per_byte();
        return {counter.bytes, counter.waited, std::llround(busy), busy * per_time_};
    }

    const Fabric& fabric_;
    const Ports& ports_;
    const Injection& injection_;
    /// 1 / simulated time.
    double per_time_;
};

void LoadReport::count_links(NetworkReport& report) const {
    std::int64_t links = 0;
    for (Location here = fabric_.begin; here < fabric_.end; ++here) {
        for (PortId number = 0; number < fabric_.topology.radix(); ++number) {
            const Link link = fabric_.topology.neighbour(SwitchId(here), number);
            if (link.to == no_switch) continue;
            ++report.links[std::size_t(link.link_class)].links;
            ++links;
        }
    }
    report.utilisation.assign(utilisation_bins, 0);
    report.utilisation[0] = links;
    for (std::size_t i = report.links.size() - 2; i < report.links.size(); ++i)
        report.links[i].links = std::int64_t(fabric_.own_nics());
}

void LoadReport::add_ports(NetworkReport& report) const {
    const std::size_t ejection = report.links.size() - 2;
    const std::uint32_t per_switch = fabric_.layout.ports_per_switch();
    const std::size_t last = fabric_.layout.port_index(fabric_.end, 0);
    for (std::size_t i = fabric_.layout.port_index(fabric_.begin, 0); i < last; ++i) {
        const Port& out = ports_[i];
        const bool ejects = !fabric_.layout.joins_switches(std::uint32_t(i % per_switch));
        if (out.load.bytes == 0) continue;
        LinkClassReport& kind = report.links[ejects ? ejection : out.link_class];
        const double used = double(out.load.bytes) * kind.ps_per_byte * per_time_;
        kind.bytes += out.load.bytes;
        kind.waiting += out.load.waited;
        kind.utilisation_max = std::max(kind.utilisation_max, used);
        if (ejects) continue;
        --report.utilisation[0];
        const int bin = int(used * utilisation_bins);
        ++report.utilisation[std::size_t(std::clamp(bin, 0, utilisation_bins - 1))];
        if (fabric_.observe.link_details) {
            const SwitchId here(i / per_switch);
            const PortId port(i % per_switch);
            const SwitchId to = fabric_.topology.neighbour(here, port).to;
            report.link_records.push_back(
                {here, to, port, out.link_class, out.load.bytes, out.load.waited, used});
        }
    }
}

void LoadReport::add_interfaces(LinkClassReport& injection) const {
    const std::size_t last = std::min(fabric_.layout.nic_index(fabric_.end, 0), injection_.nics());
    for (std::size_t i = fabric_.layout.nic_index(fabric_.begin, 0); i < last; ++i) {
        const LoadCounter& nic = injection_.load(i);
        injection.bytes += nic.bytes;
        injection.waiting += nic.waited;
        injection.utilisation_max = std::max(injection.utilisation_max,
                                             double(nic.bytes) * injection.ps_per_byte * per_time_);
    }
}

void LoadReport::add_memories(NetworkReport& report) const {
    if (!fabric_.memory.is_shared()) return;
    const auto node = [&](Location location) {
        const std::size_t nic = std::min(fabric_.layout.nic_index(location, 0), injection_.nics());
        return NodeId(nic / std::size_t(fabric_.parameters.nics_per_node));
    };
    report.links.push_back(fabric_.memory.load(node(fabric_.begin), node(fabric_.end), per_time_));
}

std::vector<LinkMapPanel> LoadReport::link_map() const {
    const NetworkParameters& parameters = fabric_.parameters;
    const Topology& topology = fabric_.topology;
    const std::uint32_t nics = fabric_.layout.nics_per_switch();
    LinkMap map(topology, nics, fabric_.observe.link_map_bins);
    for (auto here = SwitchId(fabric_.begin); here < SwitchId(fabric_.end); ++here) {
        const Port* const out = ports_.of_switch(Location(here));
        for (PortId number = 0; number < topology.radix(); ++number) {
            const Link link = topology.neighbour(here, number);
            if (link.to == no_switch) continue;
            const LinkSpeed& speed = parameters.links[std::size_t(link.link_class)];
            map.add_link(here, number, load(out[number].load, speed));
        }
        if (here >= topology.terminal_switches()) continue;
        for (std::uint32_t i = 0; i < nics; ++i) {
            const Port& exit = out[fabric_.layout.radix() + i];
            map.add_ejection(here, i, load(exit.load, parameters.ejection));
            const std::size_t nic = fabric_.layout.nic_index(Location(here), i);
            map.add_injection(here, i, load(injection_.load(nic), parameters.injection));
        }
    }
    return std::move(map).panels();
}

}  // namespace

void report_loads(NetworkReport& report, const Fabric& fabric, const Ports& ports,
                  const Injection& injection, Picoseconds end) {
    const LoadReport loads(fabric, ports, injection, end);
    loads.add_classes(report);
    loads.add_ports(report);
    loads.add_interfaces(report.links.back());
    loads.add_memories(report);
    if (fabric.observe.link_map_bins > 0) report.link_map = loads.link_map();
}

}  // namespace tradewind::sim
