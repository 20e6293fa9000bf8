/// Post: a network client that sends given messages and records when each was injected and
/// delivered.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tradewind/base/random.hpp"
#include "tradewind/sim/network/packet_network.hpp"
#include "tradewind/sim/routing/catalogue.hpp"
#include "tradewind/sim/topology/catalogue.hpp"

namespace support {

using namespace tradewind;
using namespace tradewind::sim;

/// A message between two interfaces; the network sets `injected` and `delivered`.
struct Mail {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    Bytes bytes = 0;
    Picoseconds time = 0;
    Picoseconds injected = -1;
    Picoseconds delivered = -1;
};

inline constexpr std::array every_arbitration{Arbitration::first_come, Arbitration::round_robin,
                                              Arbitration::oldest_first, Arbitration::transit_first,
                                              Arbitration::weighted};

/// Returns parameters with 1000 ps per byte everywhere and packets of 256 bytes, so that times can
/// be calculated by hand.
inline NetworkParameters plain_parameters(const Topology& topology) {
    NetworkParameters parameters;
    const TransferRate rate(1e9);
    parameters.links.assign(topology.link_classes().size(), {rate, 100'000});
    parameters.injection = {rate, 50'000};
    parameters.ejection = {rate, 30'000};
    parameters.switch_latency = 20'000;
    parameters.packet_size = 256;
    parameters.memory = TransferRate(1e10);
    return parameters;
}

class Post final : public Client {
public:
    Post(Network& network, Bytes packet_size, std::uint32_t nics_per_switch,
         std::vector<Mail>& mails)
        : network_(network),
          packet_size_(packet_size),
          nics_per_switch_(nics_per_switch),
          mails_(mails) {}

    void seed(Worker& worker) override {
        for (std::size_t i = 0; i < mails_.size(); ++i) {
            const Location here = mails_[i].from / nics_per_switch_;
            if (!worker.owns(here)) continue;
            const MessageId id = network_.messages().take(worker.index());
            Message& message = network_.messages()[id];
            message.bytes = message.unsent = message.undelivered = message.size = mails_[i].bytes;
            message.packet_size = std::uint32_t(packet_size_);
            message.source_nic = message.source_rank = mails_[i].from;
            message.destination_nic = message.destination_rank = mails_[i].to;
            message.sequence = std::uint32_t(i);
            message.flags = notify_injected;
            network_.send(worker, id, mails_[i].time);
        }
    }
    void injected(Worker& /*worker*/, MessageId id, Picoseconds time) override {
        mails_[network_.messages()[id].sequence].injected = time;
    }
    void delivered(Worker& worker, MessageId id, Picoseconds time) override {
        mails_[network_.messages()[id].sequence].delivered = time;
        network_.messages().give(worker.index(), id);
    }
    void prefetch(MessageId /*message*/, int /*stage*/) noexcept override {}
    void client_event(Worker& /*worker*/, const Event& /*event*/) override {}
    // The whole network is in one process here.
    void departs(Worker& /*worker*/, MessageId /*id*/) override {}
    void receive(Worker& /*worker*/, std::span<const std::byte> /*payload*/) override {}

private:
    Network& network_;
    Bytes packet_size_;
    std::uint32_t nics_per_switch_;
    std::vector<Mail>& mails_;
};

/// A topology with its rules and parameters, on which lists of messages can be run.
class Wire {
public:
    Wire(const std::string& topology, const Settings& shape, const std::string& rule = "minimal")
        : Wire(make_topology(topology, shape), rule) {}
    Wire(std::unique_ptr<Topology> topology, const std::string& rule)
        : topology_(std::move(topology)),
          routing_(make_routing(rule, *topology_, {})),
          shortest_(make_routing("minimal", *topology_, {})),
          parameters(plain_parameters(*topology_)) {}

private:
    std::unique_ptr<Topology> topology_;
    std::unique_ptr<Routing> routing_;
    std::unique_ptr<Routing> shortest_;

public:
    NetworkParameters parameters;
    /// The bytes that travel as one event; 0 means one packet.
    Bytes train_size = 0;
    bool packet_waits = false;
    bool link_details = false;
    std::int32_t link_map_bins = 0;
    /// The report of the last run.
    NetworkReport report;
    Bytes held = 0;

    [[nodiscard]] const Topology& topology() const noexcept { return *topology_; }
    [[nodiscard]] const Routing& routing() const noexcept { return *routing_; }
    [[nodiscard]] const Routing& shortest() const noexcept { return *shortest_; }
    [[nodiscard]] std::uint32_t nics() const {
        return std::uint32_t(topology_->nodes() * parameters.nics_per_node);
    }
    [[nodiscard]] NetworkSetup setup() const {
        ObserveParameters observe;
        observe.packet_waits = packet_waits;
        observe.link_details = link_details;
        observe.link_map_bins = link_map_bins;
        const Schedule schedule{lookahead(parameters), {0, Location(topology_->switches())}};
        return {topology_.get(), routing_.get(), shortest_.get(), parameters, schedule, observe};
    }

    /// Runs the messages on the packet network until all are delivered.
    void run(std::vector<Mail>& mails) {
        PacketNetwork network(setup());
        deliver(network, mails);
        held = network.held_bytes();
    }
    void run_analytic(std::vector<Mail>& mails) {
        const auto network = make_analytic_network(setup());
        deliver(*network, mails);
    }

private:
    void deliver(Network& network, std::vector<Mail>& mails) {
        const auto nics = std::uint32_t(topology_->nodes_per_switch() * parameters.nics_per_node);
        const Bytes train = train_size > 0 ? train_size : parameters.packet_size;
        Post post(network, train, nics, mails);
        network.run(post, {});
        Picoseconds end = 0;
        for (const Mail& mail : mails) end = std::max(end, mail.delivered);
        report = network.report(end);
        complete(report, end);
    }
};

inline Settings star(std::int64_t nodes) {
    return Settings({{"nodes", nodes}});
}

inline Settings torus(std::vector<std::int64_t> extents, std::int64_t nodes_per_switch = 1) {
    return Settings({{"extents", std::move(extents)}, {"nodes_per_switch", nodes_per_switch}});
}

/// Returns `each` messages per node, of one byte to five packets, to nodes drawn at random.
inline std::vector<Mail> burst(const Wire& wire, std::uint32_t each) {
    std::vector<Mail> mails;
    const std::uint32_t nics = wire.nics();
    for (std::uint32_t i = 0; i < nics * each; ++i) {
        const auto bytes =
            1 + Bytes{below(mix(i, 2), std::uint32_t(5 * wire.parameters.packet_size))};
        mails.push_back({i % nics, below(mix(i, 1), nics), bytes, 0});
    }
    return mails;
}

}  // namespace support
