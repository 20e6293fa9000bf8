/// Walks: packets that follow a routing rule hop by hop under chosen queues and random bits.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string_view>
#include <vector>

#include "network_cases.hpp"
#include "testing.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/sim/routing/catalogue.hpp"

namespace routing_walks {

using namespace tradewind;
using namespace tradewind::sim;
using network_cases::all_cases;
using network_cases::List;

/// Queues of length `load` at one port and `rest` at all others.
class Queues final : public Occupancy {
public:
    explicit Queues(PortId port = -1, Bytes load = 0, Bytes rest = 0)
        : port_(port), load_(load), rest_(rest) {}
    [[nodiscard]] Bytes queued(PortId port) const override { return port == port_ ? load_ : rest_; }

private:
    PortId port_;
    Bytes load_;
    Bytes rest_;
};

struct Step {
    SwitchId here = 0;
    Hop hop;
    friend bool operator==(const Step& a, const Step& b) {
        return a.here == b.here && a.hop.port == b.hop.port && a.hop.channel == b.hop.channel;
    }
};
using Walk = std::vector<Step>;

/// The queues that a rule sees at the n-th switch of the route, source first.
using View = std::function<Queues(std::size_t)>;

/// Follows one packet as the network does; stops after 40 hops or at an unwired port.
inline Walk follow(const Topology& topology, const Routing& rule, SwitchId source,
                   NodeId destination, std::uint64_t random, const View& view) {
    Flight flight;
    flight.target = destination / topology.nodes_per_switch();
    rule.launch(flight, source, destination, random, view(0));
    Walk walk;
    SwitchId here = source;
    PortId in_port = -1;
    while (!rule.arrived(flight, here)) {
        const Hop hop = rule.next(flight, here, in_port, view(walk.size()));
        const Link link = topology.neighbour(here, hop.port);
        walk.push_back({here, hop});
        if (link.to == no_switch || walk.size() == 40) {
            CHECK(!"the packet arrives");
            return walk;
        }
        flight.channel = hop.channel;
        here = link.to;
        in_port = link.port;
    }
    CHECK_EQ(here, flight.target);
    return walk;
}

inline Queues idle(std::size_t) {
    return Queues();
}

inline bool is_shortest(std::string_view rule) {
    return rule.find("ugal") == std::string_view::npos && rule != "valiant";
}

/// Returns 64 random bits from which below(bits, count) draws `number`.
inline std::uint64_t bits_for(std::uint64_t number, std::uint64_t count) {
    return (((number << 32U) + count - 1) / count) << 32U;
}

/// Returns sets of 64 random bits with which a rule makes all its choices: every intermediate
/// switch if it has one, else a sample.
inline std::vector<std::uint64_t> draws(std::string_view rule, const Topology& topology,
                                        SwitchId source, SwitchId target) {
    std::vector<std::uint64_t> result;
    if (rule == "random_up" || rule == "ugal_sstmacro") {
        for (std::uint64_t draw = 0; draw < 100; ++draw) result.push_back(mix(draw));
        return result;
    }
    if (is_shortest(rule)) return {0};
    std::set<std::uint64_t> bits;
    const bool has_groups = topology.link_classes().size() > 1;
    const auto from = topology.coordinates(source);
    const auto groups = topology.coordinates(topology.switches() - 1).back() + 1;
    const bool inside = has_groups && from.back() == topology.coordinates(target).back();
    const auto all = static_cast<std::uint64_t>(topology.switches());
    const auto count = inside ? all / static_cast<std::uint64_t>(groups) : all;
    for (std::uint64_t number = 0; number + 1 < count; ++number) {
        bits.insert(bits_for(number, count - 1));
    }
    if (bits.empty()) bits.insert(0);
    return {bits.begin(), bits.end()};
}

/// Returns views with which an adaptive rule makes each of its decisions: each port for a tree
/// rule, a detour from each switch of the minimal route for a UGAL rule.
inline std::vector<View> views(const Routing& rule, const Topology& topology, const Walk& calm) {
    std::vector<View> result{idle};
    if (!rule.is_adaptive()) return result;
    if (topology.terminal_switches() < topology.switches()) {
        for (PortId port = 0; port < topology.radix(); ++port) {
            result.push_back([port](std::size_t) { return Queues(port, 0, 1000); });
        }
        return result;
    }
    for (std::size_t turn = 0; turn < calm.size(); ++turn) {
        const PortId port = calm[turn].hop.port;
        result.push_back([turn, port](std::size_t step) {
            return step == turn ? Queues(port, 1'000'000, 0) : Queues();
        });
    }
    return result;
}

struct Journey {
    SwitchId source;
    SwitchId target;
    const Walk& walk;
};

}  // namespace routing_walks
