/// Construction, run and report of PacketNetwork.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tradewind/base/errors.hpp"
#include "tradewind/sim/network/packet_network.hpp"

namespace tradewind::sim {

namespace {

constexpr std::size_t most_link_classes = 15;
constexpr std::size_t most_paces = most_link_classes + 1;
/// Of the histogram of utilisation.
constexpr int utilisation_bins = 50;

/// Adds a rate that is not there yet, if there is room for it.
void add_rate(std::vector<TransferRate>& rates, TransferRate rate) {
    const auto is_equal = [&](const TransferRate& other) {
        return other.ps_per_byte() == rate.ps_per_byte();
    };
    if (rates.size() < most_paces && std::ranges::none_of(rates, is_equal)) rates.push_back(rate);
}

/// Adds rates, up to `count` in all: always the geometric mean of the two neighbours with the
/// largest ratio. A square root has the same bits on every machine.
void fill_between(std::vector<TransferRate>& rates, std::size_t count) {
    std::vector<double> times;
    for (const TransferRate& rate : rates) times.push_back(rate.ps_per_byte());
    std::ranges::sort(times);
    const auto ratio_after = [&](std::size_t i) { return times[i + 1] / times[i]; };
    while (rates.size() < count) {
        std::size_t widest = 0;
        for (std::size_t i = 1; i + 1 < times.size(); ++i)
            if (ratio_after(i) > ratio_after(widest)) widest = i;
        const double between = std::sqrt(times[widest] * times[widest + 1]);
        times.insert(times.begin() + std::ptrdiff_t(widest) + 1, between);
        rates.emplace_back(1e12 / between);
    }
}

/// A packet may enter a buffer of `bytes` while it holds less than this; an empty one takes any
/// packet.
Bytes limit_of(Bytes bytes, Bytes packet) {
    return std::clamp<Bytes>(bytes - packet + 1, 1, 1 << 30);
}

}  // namespace

Picoseconds lookahead(const NetworkParameters& parameters) {
    Picoseconds shortest = parameters.links.front().latency;
    for (const LinkSpeed& link : parameters.links) shortest = std::min(shortest, link.latency);
    if (shortest < 1)
        throw ConfigError("link latency = 0: a packet simulation needs at least 1 ps");
    return shortest;
}

PacketNetwork::PacketNetwork(NetworkSetup setup)
    : topology_(*setup.topology),
      routing_(*setup.routing),
      parameters_(std::move(setup.parameters)),
      observe_(setup.observe),
      contention_free_(*setup.topology, *setup.shortest, parameters_),
      schedule_(std::move(setup.schedule)),
      begin_(schedule_.begin_location()),
      end_(schedule_.end_location()),
      radix_(std::uint32_t(topology_.radix())),
      nics_per_switch_(std::uint32_t(topology_.nodes_per_switch() * parameters_.nics_per_node)),
      per_switch_(std::int32_t(nics_per_switch_)),
      stride_(radix_ + nics_per_switch_),
      bounded_(parameters_.switch_buffer > 0),
      foreseeable_(!routing_.is_adaptive() && routing_.keeps_order()),
      channel_limit_(std::int32_t(limit_of(parameters_.switch_buffer, parameters_.packet_size))),
      nic_limit_(limit_of(parameters_.nic_buffer, parameters_.packet_size)),
      memory_(parameters_, topology_.nodes()),
      messages_(make_message_pool(schedule_)) {
    if (routing_.channels() > max_channels) {
        throw ConfigError(text("routing needs ", routing_.channels(),
                               " virtual channels; ports have ", max_channels));
    }
    if (stride_ > 0xffff) {
        throw TopologyError(text("a switch has ", stride_, " ports; at most 65535 are possible"));
    }
    if (parameters_.links.size() > most_link_classes) {
        throw TopologyError(text("a network has ", parameters_.links.size(),
                                 " classes of links; at most ", most_link_classes,
                                 " are possible"));
    }
    set_rates();
    ports_ = ZeroedArray<Port>(std::size_t(topology_.switches()) * stride_);
    const auto nics = std::size_t(topology_.terminal_switches()) * nics_per_switch_;
    if (nics > INT32_MAX) throw TopologyError(text(nics, " network interfaces; at most 2^31 - 1"));
    nics_ = ZeroedArray<Nic>(nics);
    nic_totals_ = ZeroedArray<NicTotals>(nics);
    if (!topology_.is_two_way()) find_upstream();
    if (parameters_.node_model == NodeModel::amm3)
        crossbar_free_.resize(std::size_t(topology_.switches()));
    if (has_arbiter()) last_served_.resize(ports_.size());
    if (parameters_.arbitration == Arbitration::weighted) transit_turns_.resize(ports_.size());
    for (int i = 0; i < schedule_.workers(); ++i)
        per_worker_.push_back(std::make_unique<PerWorker>(observe_));
}

void PacketNetwork::set_rates() {
    paces_.push_back(parameters_.injection.rate);
    for (const LinkSpeed& link : parameters_.links) paces_.push_back(link.rate);
    for (const LinkSpeed& link : parameters_.links)
        train_rates_.push_back(sustained_rate(parameters_, link, parameters_.switch_buffer));
    train_injection_ = sustained_rate(parameters_, parameters_.injection, parameters_.nic_buffer);
    if (parameters_.trains_per_message > 0) {
        add_rate(paces_, train_injection_);
        for (const TransferRate& rate : train_rates_) add_rate(paces_, rate);
    }
    equal_rates_ = std::ranges::all_of(paces_, [&](const TransferRate& rate) {
        return rate.ps_per_byte() == paces_.front().ps_per_byte();
    });
    if (!equal_rates_) fill_between(paces_, most_paces);
}

void PacketNetwork::wire(Location here, std::uint32_t number, Port& out) const {
    out.is_wired = true;
    if (number >= radix_) return;
    const Link link = topology_.neighbour(SwitchId(here), PortId(number));
    if (link.to == no_switch) return;
    out.peer = std::uint32_t(link.to);
    out.peer_port = std::uint16_t(link.port);
    out.link_class = std::uint8_t(link.link_class);
}

/// One-way wirings: the output port at the other end of each input port.
void PacketNetwork::find_upstream() {
    const auto switches = std::size_t(topology_.switches());
    upstream_.resize(switches * radix_);
    for (std::size_t here = 0; here < switches; ++here) {
        for (std::uint32_t number = 0; number < radix_; ++number) {
            const Link link = topology_.neighbour(SwitchId(here), PortId(number));
            if (link.to == no_switch) continue;
            upstream_[std::size_t(link.to) * radix_ + std::size_t(link.port)] = {
                std::uint32_t(here), std::uint16_t(number)};
        }
    }
}

std::int64_t PacketNetwork::work_done() const noexcept {
    std::int64_t sum = 0;
    for (const auto& own : per_worker_) sum += own->hops.load(std::memory_order_relaxed);
    return sum;
}

Bytes PacketNetwork::held_bytes() const noexcept {
    Bytes sum = 0;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        sum += ports_[i].queued_bytes;
        for (const std::int32_t used : ports_[i].used) sum += bounded_ ? std::abs(used) : 0;
    }
    for (std::size_t i = 0; i < nics_.size() && bounded_ && parameters_.nic_buffer > 0; ++i) {
        Bytes used = nics_[i].used;
        for (std::uint8_t k = 0; k < nics_[i].releases; ++k) used -= nics_[i].release_bytes[k];
        sum += std::abs(used);
    }
    return sum;
}

NetworkReport PacketNetwork::report(Picoseconds end) const {
    NetworkReport result;
    for (const auto& own : per_worker_) {
        own->observer.merge_into(result);
        result.packets += own->packets;
    }
    result.packet_hops = work_done();
    result.events = events_;
    result.windows = windows_;
    result.memory_bytes = std::size_t(end_ - begin_) * stride_ * sizeof(Port) +
                          own_nics() * (sizeof(Nic) + sizeof(NicTotals)) + messages_.reserved();
    const auto names = topology_.link_classes();
    for (std::size_t i = 0; i < names.size(); ++i) {
        result.links.push_back({names[i], true, parameters_.links[i].rate.ps_per_byte()});
    }
    result.links.push_back({"ejection", false, parameters_.ejection.rate.ps_per_byte()});
    result.links.push_back({"injection", false, parameters_.injection.rate.ps_per_byte()});
    count_links(result);
    report_links(result, end);
    report_injection(result.links.back(), end);
    if (observe_.link_map_bins > 0) result.link_map = link_map(end > 0 ? 1.0 / double(end) : 0.0);
    return result;
}

std::size_t PacketNetwork::own_nics() const noexcept {
    const auto terminals = Location(topology_.terminal_switches());
    return std::size_t(std::min(end_, terminals) - std::min(begin_, terminals)) * nics_per_switch_;
}

/// Fills in how many links of each class leave the switches of this process, used or not.
void PacketNetwork::count_links(NetworkReport& report) const {
    std::int64_t links = 0;
    for (Location here = begin_; here < end_; ++here) {
        for (PortId number = 0; number < topology_.radix(); ++number) {
            const Link link = topology_.neighbour(SwitchId(here), number);
            if (link.to == no_switch) continue;
            ++report.links[std::size_t(link.link_class)].links;
            ++links;
        }
    }
    report.utilisation.assign(utilisation_bins, 0);
    report.utilisation[0] = links;
    for (std::size_t i = report.links.size() - 2; i < report.links.size(); ++i)
        report.links[i].links = std::int64_t(own_nics());
}

void PacketNetwork::report_links(NetworkReport& report, Picoseconds end) const {
    const std::size_t ejection = report.links.size() - 2;
    const double span = end > 0 ? 1.0 / double(end) : 0.0;
    for (std::size_t i = std::size_t(begin_) * stride_; i < std::size_t(end_) * stride_; ++i) {
        const Port& out = ports_[i];
        const bool ejects = i % stride_ >= radix_;
        if (out.bytes == 0) continue;
        LinkClassReport& kind = report.links[ejects ? ejection : out.link_class];
        const double used = double(out.bytes) * kind.ps_per_byte * span;
        kind.bytes += out.bytes;
        kind.waiting += out.waited;
        kind.utilisation_max = std::max(kind.utilisation_max, used);
        if (ejects) continue;
        --report.utilisation[0];
        const int bin = int(used * utilisation_bins);
        ++report.utilisation[std::size_t(std::clamp(bin, 0, utilisation_bins - 1))];
        if (observe_.link_details) {
            report.link_records.push_back({SwitchId(i / stride_), PortId(i % stride_),
                                           out.link_class, out.bytes, out.waited, used});
        }
    }
}

void PacketNetwork::report_injection(LinkClassReport& injection, Picoseconds end) const {
    const double span = end > 0 ? 1.0 / double(end) : 0.0;
    const std::size_t last = std::min(std::size_t(end_) * nics_per_switch_, nics_.size());
    for (std::size_t i = std::size_t(begin_) * nics_per_switch_; i < last; ++i) {
        const NicTotals& nic = nic_totals_[i];
        injection.bytes += nic.bytes;
        injection.waiting += nic.waited;
        injection.utilisation_max =
            std::max(injection.utilisation_max, double(nic.bytes) * injection.ps_per_byte * span);
    }
}

/// Every link that leaves the switches of this process, used or not; `span` = 1 / simulated time.
std::vector<LinkMapPanel> PacketNetwork::link_map(double span) const {
    LinkMap map(topology_, nics_per_switch_, observe_.link_map_bins);
    const auto load = [span](Bytes bytes, Picoseconds waited, const LinkSpeed& speed) {
        const double busy = double(bytes) * speed.rate.ps_per_byte();
        return LinkLoad{bytes, waited, std::llround(busy), busy * span};
    };
    for (auto here = SwitchId(begin_); here < SwitchId(end_); ++here) {
        const Port* const out = &ports_[std::size_t(here) * stride_];
        for (PortId number = 0; number < topology_.radix(); ++number) {
            const Link link = topology_.neighbour(here, number);
            if (link.to == no_switch) continue;
            const LinkSpeed& speed = parameters_.links[std::size_t(link.link_class)];
            map.add_link(here, number, load(out[number].bytes, out[number].waited, speed));
        }
        if (here >= topology_.terminal_switches()) continue;
        for (std::uint32_t i = 0; i < nics_per_switch_; ++i) {
            const Port& exit = out[radix_ + i];
            map.add_ejection(here, i, load(exit.bytes, exit.waited, parameters_.ejection));
            const NicTotals& nic = nic_totals_[std::size_t(here) * nics_per_switch_ + i];
            map.add_injection(here, i, load(nic.bytes, nic.waited, parameters_.injection));
        }
    }
    return std::move(map).panels();
}

std::unique_ptr<Network> make_packet_network(NetworkSetup setup) {
    return std::make_unique<PacketNetwork>(std::move(setup));
}

}  // namespace tradewind::sim
