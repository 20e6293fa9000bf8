/// The report of a network after a run: totals, delays, use of links, and on request matrices and a
/// time line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tradewind/base/byte_array.hpp"
#include "tradewind/sim/observe/histogram.hpp"
#include "tradewind/sim/observe/link_map.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

struct ObserveParameters {
    /// The cells along each side of the rank x rank matrices; 0 = none.
    std::int32_t matrix_bins = 0;
    std::int64_t ranks = 0;
    /// The largest number of messages of the time line in all, shared out evenly over the receiving
    /// ranks; 0 = no time line.
    std::int64_t timeline_records = 0;
    /// True if the waits of packets in switches are counted.
    bool packet_waits = false;
    /// True if the load of each single link is kept.
    bool link_details = false;
    /// The largest number of cells along each axis of the maps of loads of links; 0 = no maps.
    std::int32_t link_map_bins = 0;
};

/// One message of the time line.
struct TimelineRecord {
    std::uint32_t source_rank;
    std::uint32_t destination_rank;
    Bytes bytes;
    Picoseconds sent;
    Picoseconds arrived;
    Picoseconds delay;
};

/// The square matrices over binned ranks, row = source: sums over the messages of a cell.
struct Matrices {
    std::int32_t bins = 0;
    std::vector<Bytes> bytes;
    std::vector<Picoseconds> delay;
    std::vector<std::int64_t> messages;
};

struct LinkClassReport {
    std::string name;
    bool joins_switches = false;
    double ps_per_byte = 0.0;
    std::int64_t links = 0;
    Bytes bytes = 0;
    double utilisation_mean = 0.0;
    double utilisation_max = 0.0;
    Picoseconds waiting = 0;
};

struct LinkRecord {
    SwitchId here;
    SwitchId to;
    PortId port;
    std::int32_t link_class;
    Bytes bytes;
    Picoseconds waiting;
    double utilisation;
};

struct NetworkReport {
    std::int64_t messages = 0;
    Bytes bytes = 0;
    std::int64_t packets = 0;
    /// The number of passages of packets through switches.
    std::int64_t packet_hops = 0;
    std::int64_t events = 0;
    std::int64_t windows = 0;
    Histogram delay;
    /// The time by which a message came before it could; zero, or there is a fault in the network.
    Picoseconds too_early = 0;
    /// The waits of packets at output ports, one for each passage through a switch, where asked
    /// for.
    Histogram packet_wait;
    std::vector<LinkClassReport> links;
    /// The number of switch-to-switch links by utilisation, in equal bins of [0, 1].
    std::vector<std::int64_t> utilisation;
    double utilisation_mean = 0.0;
    double utilisation_max = 0.0;
    std::vector<LinkRecord> link_records;
    std::vector<LinkMapPanel> link_map;
    Matrices matrices;
    std::vector<TimelineRecord> timeline;
    std::size_t memory_bytes = 0;
};

/// Adds the report of another part of the network.
void merge(NetworkReport& whole, const NetworkReport& part);
/// Puts the time line in order and works out means, when all parts have been merged. `end` is the
/// simulated time. Throws Error if a message came too early.
void complete(NetworkReport& whole, Picoseconds end);

// For another process.
void write(ByteArray& out, const NetworkReport& report);
void read(ByteReader& in, NetworkReport& report);

}  // namespace tradewind::sim
