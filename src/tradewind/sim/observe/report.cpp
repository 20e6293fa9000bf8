/// The union of the reports of parts of a network.
#include "tradewind/sim/observe/report.hpp"

#include <algorithm>
#include <tuple>

#include "tradewind/base/errors.hpp"

namespace tradewind::sim {

namespace {

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

void add(std::vector<std::int64_t>& to, const std::vector<std::int64_t>& from) {
    to.resize(std::max(to.size(), from.size()));
    for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

void merge(LinkClassReport& whole, const LinkClassReport& part) {
    whole.links += part.links;
    whole.bytes += part.bytes;
    whole.waiting += part.waiting;
    whole.utilisation_max = std::max(whole.utilisation_max, part.utilisation_max);
}

/// Calls `function` for the parts of a report that are copied as they are.
template <class Report, class Function>
void for_plain_parts(Report& report, const Function& function) {
    function(report.messages);
    function(report.bytes);
    function(report.packets);
    function(report.packet_hops);
    function(report.events);
    function(report.windows);
    function(report.delay);
    function(report.too_early);
    function(report.packet_wait);
    function(report.utilisation);
    function(report.link_records);
    function(report.matrices.bins);
    function(report.matrices.bytes);
    function(report.matrices.delay);
    function(report.matrices.messages);
    function(report.timeline);
    function(report.memory_bytes);
}

template <class Link, class Function>
void for_parts(Link& link, const Function& function) {
    function(link.name);
    function(link.joins_switches);
    function(link.ps_per_byte);
    function(link.links);
    function(link.bytes);
    function(link.utilisation_max);
    function(link.waiting);
}

template <class Panel, class Function>
void for_panel_parts(Panel& map, const Function& function) {
    function(map.panel.name);
    for (auto& axis : map.panel.axes) function(axis);
    function(map.panel.extents);
    function(map.cells);
    function(map.links);
    function(map.bytes);
    function(map.waiting);
    function(map.busy);
    function(map.utilisation_max);
}

}  // namespace

void merge(NetworkReport& whole, const NetworkReport& part) {
    whole.messages += part.messages;
    whole.bytes += part.bytes;
    whole.packets += part.packets;
    whole.packet_hops += part.packet_hops;
    whole.events += part.events;
    whole.windows = std::max(whole.windows, part.windows);
    whole.delay.merge(part.delay);
    whole.too_early = std::max(whole.too_early, part.too_early);
    whole.packet_wait.merge(part.packet_wait);
    for (std::size_t i = 0; i < part.links.size(); ++i) {
        if (i == whole.links.size()) {
            whole.links.push_back(part.links[i]);
        } else {
            merge(whole.links[i], part.links[i]);
        }
    }
    add(whole.utilisation, part.utilisation);
    append(whole.link_records, part.link_records);
    merge(whole.link_map, part.link_map);
    whole.matrices.bins = part.matrices.bins;
    add(whole.matrices.bytes, part.matrices.bytes);
    add(whole.matrices.delay, part.matrices.delay);
    add(whole.matrices.messages, part.matrices.messages);
    append(whole.timeline, part.timeline);
    whole.memory_bytes += part.memory_bytes;
}

/// Works out means from whole numbers, so that they do not depend on the order of additions.
void complete(NetworkReport& whole, Picoseconds end) {
    if (whole.too_early > 0) {
        throw Error(text("a message arrived ", whole.too_early,
                         " ps before its bytes can have passed the network: ",
                         "this is a fault of the simulator, please report it"));
    }
    // Messages of one receiver are in the order of their delivery already.
    std::ranges::stable_sort(whole.timeline, {}, [](const TimelineRecord& record) {
        return std::tuple(record.arrived, record.destination_rank, record.source_rank);
    });
    const double span = end > 0 ? 1.0 / double(end) : 0.0;
    std::int64_t links = 0;
    double sum = 0.0;
    for (LinkClassReport& kind : whole.links) {
        const double used = double(kind.bytes) * kind.ps_per_byte * span;
        kind.utilisation_mean = used / double(std::max<std::int64_t>(kind.links, 1));
        if (!kind.joins_switches) continue;
        links += kind.links;
        sum += used;
        whole.utilisation_max = std::max(whole.utilisation_max, kind.utilisation_max);
    }
    whole.utilisation_mean = sum / double(std::max<std::int64_t>(links, 1));
    complete(whole.link_map, span);
}

void write(ByteArray& out, const NetworkReport& report) {
    for_plain_parts(report, [&](const auto& part) { tradewind::write(out, part); });
    tradewind::write(out, report.links.size());
    for (const LinkClassReport& link : report.links)
        for_parts(link, [&](const auto& part) { tradewind::write(out, part); });
    tradewind::write(out, report.link_map.size());
    for (const LinkMapPanel& map : report.link_map)
        for_panel_parts(map, [&](const auto& part) { tradewind::write(out, part); });
}

void read(ByteReader& in, NetworkReport& report) {
    for_plain_parts(report, [&](auto& part) { in.read(part); });
    report.links.resize(in.next<std::size_t>());
    for (LinkClassReport& link : report.links) for_parts(link, [&](auto& part) { in.read(part); });
    report.link_map.resize(in.next<std::size_t>());
    for (LinkMapPanel& map : report.link_map)
        for_panel_parts(map, [&](auto& part) { in.read(part); });
}

}  // namespace tradewind::sim
