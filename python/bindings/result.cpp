/// Results as dictionaries of numbers and NumPy arrays.
#include "result.hpp"

#include <nanobind/stl/string.h>

#include <cstdio>

#include "array.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

namespace {

/// Returns a NumPy array that owns its values; `columns` > 0 makes it two-dimensional.
template <class T>
nb::object array(std::vector<T> values, std::size_t columns = 0) {
    if (columns > 0) {
        const std::size_t rows = values.size() / columns;
        return owning_array(std::move(values), {rows, columns});
    }
    const std::size_t count = values.size();
    return owning_array(std::move(values), {count});
}

/// Returns a NumPy array of the cells of a panel: layers, rows, columns.
template <class T>
nb::object cells(std::vector<T> values, const std::array<std::int64_t, 3>& shape) {
    return owning_array(std::move(values),
                        {std::size_t(shape[0]), std::size_t(shape[1]), std::size_t(shape[2])});
}

/// Returns one value of each record, as an array of T.
template <class T, class Record, class Value>
nb::object column(const std::vector<Record>& records, const Value& value) {
    std::vector<T> values;
    values.reserve(records.size());
    for (const Record& record : records) values.push_back(T(value(record)));
    return array(std::move(values));
}

nb::dict times(const sim::Histogram& histogram) {
    int last = 0;
    for (int bin = 0; bin < sim::Histogram::bins; ++bin) {
        if (histogram.in_bin(bin) > 0) last = bin;
    }
    std::vector<double> edges;
    std::vector<std::int64_t> counts;
    for (int bin = 0; bin <= last; ++bin) {
        edges.push_back(sim::Histogram::edge(bin) * 1e-12);
        counts.push_back(histogram.in_bin(bin));
    }
    edges.push_back(sim::Histogram::edge(last + 1) * 1e-12);
    nb::dict result;
    result["count"] = histogram.count();
    result["min_s"] = seconds(histogram.minimum());
    result["median_s"] = histogram.quantile(0.5) * 1e-12;
    result["p99_s"] = histogram.quantile(0.99) * 1e-12;
    result["mean_s"] = histogram.mean() * 1e-12;
    result["max_s"] = seconds(histogram.maximum());
    result["edges_s"] = array(std::move(edges));
    result["counts"] = array(std::move(counts));
    return result;
}

nb::dict links(const sim::NetworkReport& report) {
    nb::list classes;
    for (const auto& kind : report.links) {
        nb::dict entry;
        entry["name"] = kind.name;
        entry["count"] = kind.links;
        entry["bytes"] = kind.bytes;
        entry["utilisation_mean"] = kind.utilisation_mean;
        entry["utilisation_max"] = kind.utilisation_max;
        entry["waiting_s"] = seconds(kind.waiting);
        classes.append(entry);
    }
    std::vector<double> edges;
    const std::size_t bins = report.utilisation.size();
    for (std::size_t i = 0; i <= bins && bins > 0; ++i) edges.push_back(double(i) / double(bins));
    nb::dict result;
    result["mean"] = report.utilisation_mean;
    result["max"] = report.utilisation_max;
    result["histogram_edges"] = array(std::move(edges));
    result["histogram"] = array(report.utilisation);
    result["classes"] = classes;
    return result;
}

nb::list phases(const std::vector<simcomm::PhaseRecord>& records) {
    nb::list result;
    for (const auto& record : records) {
        nb::dict entry;
        entry["name"] = record.name;
        entry["start_s"] = seconds(record.first);
        entry["end_s"] = seconds(record.last);
        entry["mean_s"] = record.mean() * 1e-12;
        entry["count"] = record.count;
        result.append(entry);
    }
    return result;
}

nb::dict matrices(const sim::Matrices& cells) {
    const auto bins = std::size_t(cells.bins);
    std::vector<double> bytes(cells.bytes.begin(), cells.bytes.end());
    std::vector<double> messages(cells.messages.begin(), cells.messages.end());
    std::vector<double> delay(cells.delay.size(), 0.0);
    for (std::size_t i = 0; i < delay.size(); ++i) {
        if (cells.messages[i] > 0) delay[i] = seconds(cells.delay[i]) / double(cells.messages[i]);
    }
    nb::dict result;
    result["bytes"] = array(std::move(bytes), bins);
    result["delay_s"] = array(std::move(delay), bins);
    result["messages"] = array(std::move(messages), bins);
    return result;
}

nb::dict timeline(const std::vector<sim::TimelineRecord>& records) {
    using Record = sim::TimelineRecord;
    nb::dict result;
    result["source"] = column<std::int64_t>(records, [](const Record& r) { return r.source_rank; });
    result["destination"] =
        column<std::int64_t>(records, [](const Record& r) { return r.destination_rank; });
    result["bytes"] = column<std::int64_t>(records, [](const Record& r) { return r.bytes; });
    result["sent_ps"] = column<std::int64_t>(records, [](const Record& r) { return r.sent; });
    result["arrived_ps"] = column<std::int64_t>(records, [](const Record& r) { return r.arrived; });
    result["delay_ps"] = column<std::int64_t>(records, [](const Record& r) { return r.delay; });
    return result;
}

nb::dict phase_marks(const std::vector<simcomm::PhaseMark>& marks) {
    using Mark = simcomm::PhaseMark;
    nb::dict result;
    result["rank"] = column<std::int64_t>(marks, [](const Mark& m) { return m.rank; });
    result["phase"] = column<std::int64_t>(marks, [](const Mark& m) { return m.phase; });
    result["begin_ps"] = column<std::int64_t>(marks, [](const Mark& m) { return m.begin; });
    result["end_ps"] = column<std::int64_t>(marks, [](const Mark& m) { return m.end; });
    return result;
}

nb::dict critical_path(const std::vector<simcomm::PathStep>& steps) {
    using Step = simcomm::PathStep;
    nb::dict result;
    nb::list kinds;
    for (const char* const name : simcomm::path_kind_names) kinds.append(name);
    result["kinds"] = kinds;
    result["kind"] = column<std::int64_t>(steps, [](const Step& s) { return int(s.kind); });
    result["begin_ps"] = column<std::int64_t>(steps, [](const Step& s) { return s.begin; });
    result["end_ps"] = column<std::int64_t>(steps, [](const Step& s) { return s.end; });
    result["rank"] = column<std::int64_t>(steps, [](const Step& s) { return s.rank; });
    result["partner"] = column<std::int64_t>(steps, [](const Step& s) { return s.partner; });
    result["phase"] = column<std::int64_t>(steps, [](const Step& s) { return s.phase; });
    result["switch"] = column<std::int64_t>(steps, [](const Step& s) { return s.location; });
    result["port"] = column<std::int64_t>(steps, [](const Step& s) { return s.port; });
    result["to_switch"] = column<std::int64_t>(steps, [](const Step& s) { return s.to; });
    result["link_class"] = column<std::int64_t>(steps, [](const Step& s) { return s.link_class; });
    return result;
}

nb::dict link_details(const std::vector<sim::LinkRecord>& records) {
    using Record = sim::LinkRecord;
    nb::dict result;
    result["switch"] = column<std::int64_t>(records, [](const Record& r) { return r.here; });
    result["to_switch"] = column<std::int64_t>(records, [](const Record& r) { return r.to; });
    result["port"] = column<std::int64_t>(records, [](const Record& r) { return r.port; });
    result["class"] = column<std::int64_t>(records, [](const Record& r) { return r.link_class; });
    result["bytes"] = column<std::int64_t>(records, [](const Record& r) { return r.bytes; });
    result["waiting_s"] =
        column<double>(records, [](const Record& r) { return seconds(r.waiting); });
    result["utilisation"] = column<double>(records, [](const Record& r) { return r.utilisation; });
    return result;
}

nb::dict link_map(const std::vector<sim::LinkMapPanel>& panels) {
    nb::dict result;
    for (const auto& map : panels) {
        std::vector<double> waiting;
        for (const Picoseconds time : map.waiting) waiting.push_back(seconds(time));
        nb::list axes;
        nb::list extents;
        for (const auto& axis : map.panel.axes) axes.append(axis);
        for (const std::int64_t extent : map.panel.extents) extents.append(extent);
        nb::dict entry;
        entry["axes"] = axes;
        entry["extents"] = extents;
        entry["links"] = cells(map.links, map.cells);
        entry["bytes"] = cells(map.bytes, map.cells);
        entry["waiting_s"] = cells(std::move(waiting), map.cells);
        entry["utilisation_mean"] = cells(map.utilisation_mean, map.cells);
        entry["utilisation_max"] = cells(map.utilisation_max, map.cells);
        result[nb::str(map.panel.name.c_str())] = entry;
    }
    return result;
}

}  // namespace

nb::dict dictionary_from(const simcomm::Outcome& outcome, Rank ranks) {
    const auto& network = outcome.run.network;
    char hash[17];
    std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(outcome.run.hash));
    nb::dict result;
    result["time_s"] = seconds(outcome.run.time);
    result["busiest_rank_s"] = seconds(outcome.run.busiest_rank);
    result["ranks"] = ranks;
    result["nodes"] = outcome.nodes;
    result["switches"] = outcome.switches;
    result["messages"] = outcome.run.messages;
    result["bytes"] = outcome.run.bytes;
    result["packets"] = network.packets;
    result["packet_hops"] = network.packet_hops;
    result["events"] = network.events;
    result["windows"] = network.windows;
    result["hash"] = std::string(hash);
    result["delay"] = times(network.delay);
    if (network.packet_wait.count() > 0) result["packet_wait"] = times(network.packet_wait);
    result["links"] = links(network);
    result["phases"] = phases(outcome.run.phases);
    if (network.matrices.bins > 0) result["matrix"] = matrices(network.matrices);
    if (!network.timeline.empty()) result["timeline"] = timeline(network.timeline);
    if (!outcome.run.marks.empty()) result["phase_marks"] = phase_marks(outcome.run.marks);
    if (!network.link_records.empty()) result["link_details"] = link_details(network.link_records);
    if (!outcome.run.critical_path.empty())
        result["critical_path"] = critical_path(outcome.run.critical_path);
    if (!network.link_map.empty()) result["link_map"] = link_map(network.link_map);
    return result;
}

}  // namespace tradewind::bindings
