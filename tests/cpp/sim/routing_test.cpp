/// Routing rules: delivery, shortest routes, order, deadlock, and what each rule chooses.
#include "tradewind/sim/routing/routing.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "network_cases.hpp"
#include "testing.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/sim/routing/catalogue.hpp"

namespace {

using namespace tradewind;
using namespace tradewind::sim;
using network_cases::all_cases;
using network_cases::List;

/// Queues that are `load` long at one port and `rest` at all others.
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

/// What a rule sees at the n-th switch of the route, source first.
using View = std::function<Queues(std::size_t)>;

/// Follows one packet as the network does; stops after 40 hops or at an unwired port.
Walk follow(const Topology& topology, const Routing& rule, SwitchId source, NodeId destination,
            std::uint64_t random, const View& view) {
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

Queues idle(std::size_t) {
    return Queues();
}

bool is_shortest(std::string_view rule) {
    return rule.find("ugal") == std::string_view::npos && rule != "valiant";
}

/// 64 random bits from which below(bits, count) draws `number`.
std::uint64_t bits_for(std::uint64_t number, std::uint64_t count) {
    return (((number << 32U) + count - 1) / count) << 32U;
}

/// Sets of 64 random bits that make a rule take all its choices: every intermediate switch where
/// there is one, else a sample.
std::vector<std::uint64_t> draws(std::string_view rule, const Topology& topology, SwitchId source,
                                 SwitchId target) {
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

/// Views that bring an adaptive rule to each of its decisions: a tree rule to each port, a UGAL
/// rule to turn at each switch of the minimal route.
std::vector<View> views(const Routing& rule, const Topology& topology, const Walk& calm) {
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

/// Calls `visit` for routes between all switches and nodes under all draws and views.
template <class Visit>
void explore(std::string_view name, const Topology& topology, const Routing& rule, Visit visit) {
    for (SwitchId source = 0; source < topology.terminal_switches(); ++source) {
        for (NodeId node = 0; node < topology.nodes(); ++node) {
            const SwitchId target = node / topology.nodes_per_switch();
            // Rules with detours do not look at the node: one node per switch is enough.
            if (!is_shortest(name) && node % topology.nodes_per_switch() > 0) continue;
            for (const std::uint64_t random : draws(name, topology, source, target)) {
                const Walk calm = follow(topology, rule, source, node, random, idle);
                for (const View& view : views(rule, topology, calm)) {
                    const Walk walk = follow(topology, rule, source, node, random, view);
                    visit(Journey{source, target, walk});
                }
            }
        }
    }
}

/// Which links and channels packets wait for while they hold others (Dally and Seitz 1987).
class Dependencies {
public:
    explicit Dependencies(const Topology& topology)
        : radix_(topology.radix()),
          after_(static_cast<std::size_t>(topology.switches() * radix_ * 6)) {}

    void add(const Walk& walk) {
        for (std::size_t index = 1; index < walk.size(); ++index) {
            after_[number(walk[index - 1])].insert(number(walk[index]));
        }
    }
    [[nodiscard]] bool has_cycle() const {
        std::vector<int> waiting(after_.size());
        for (const auto& nexts : after_) {
            for (const auto next : nexts) ++waiting[next];
        }
        std::vector<std::size_t> free;
        for (std::size_t index = 0; index < after_.size(); ++index) {
            if (waiting[index] == 0) free.push_back(index);
        }
        for (std::size_t index = 0; index < free.size(); ++index) {
            for (const auto next : after_[free[index]]) {
                if (--waiting[next] == 0) free.push_back(next);
            }
        }
        return free.size() < after_.size();
    }

private:
    [[nodiscard]] std::size_t number(const Step& step) const {
        return static_cast<std::size_t>((step.here * radix_ + step.hop.port) * 6 +
                                        step.hop.channel);
    }

    PortId radix_;
    std::vector<std::set<std::size_t>> after_;
};

/// Calls `body(test, topology, entry, rule)` for every case of at most `most` switches and every
/// rule.
template <class Body>
void for_all_rules(SwitchId most, Body body) {
    for (const auto& test : all_cases()) {
        const auto topology = test.make();
        if (topology->switches() > most) continue;
        for (const auto& entry : routings()) {
            const auto rule = entry.make(*topology, Settings{});
            if (!rule) continue;
            CAPTURE(test.topology, test.label, entry.name);
            body(test, *topology, entry, *rule);
        }
    }
}

SwitchId size_limit(std::string_view rule) {
    if (rule == "ugal_sstmacro") return 30;
    return rule == "ugal" ? 36 : 64;
}

int largest_shift_load(const Topology& topology, const Routing& rule, NodeId shift, int& smallest) {
    std::map<std::pair<SwitchId, PortId>, int> load;
    for (NodeId node = 0; node < topology.nodes(); ++node) {
        const NodeId destination = (node + shift) % topology.nodes();
        for (const Step& step :
             follow(topology, rule, node / topology.nodes_per_switch(), destination, 0, idle)) {
            ++load[{step.here, step.hop.port}];
        }
    }
    int largest = 0;
    int wired = 0;
    smallest = static_cast<int>(topology.nodes());
    for (SwitchId here = 0; here < topology.switches(); ++here) {
        for (PortId port = 0; port < topology.radix(); ++port) {
            wired += topology.neighbour(here, port).to == no_switch ? 0 : 1;
        }
    }
    for (const auto& [port, flows] : load) {
        largest = std::max(largest, flows);
        smallest = std::min(smallest, flows);
    }
    if (static_cast<int>(load.size()) < wired) smallest = 0;
    return largest;
}

}  // namespace

TEST_CASE("every rule delivers from everywhere to everywhere within its hops and channels") {
    for_all_rules(
        400, [](const auto&, const Topology& topology, const auto& entry, const Routing& rule) {
            CHECK(rule.channels() >= 1 && rule.channels() <= 6);
            if (!is_shortest(entry.name) && topology.switches() > 36) return;
            explore(entry.name, topology, rule, [&](const Journey& journey) {
                const auto hops = static_cast<int>(journey.walk.size());
                const int distance = topology.distance(journey.source, journey.target);
                CAPTURE(journey.source, journey.target);
                if (is_shortest(entry.name)) CHECK_EQ(hops, distance);
                // Two global links can be fewer hops than the shortest route with one.
                if (topology.link_classes().size() == 1) CHECK(hops >= distance);
                CHECK(hops <= (entry.name == "ugal_sstmacro" ? 3 : 2) * topology.diameter());
                int highest = 0;
                for (const Step& step : journey.walk)
                    highest = std::max<int>(highest, step.hop.channel);
                CHECK(highest < rule.channels());
            });
        });
}

TEST_CASE("no rule can deadlock: what packets hold and wait for forms no cycle") {
    for_all_rules(
        64, [](const auto&, const Topology& topology, const auto& entry, const Routing& rule) {
            if (topology.switches() > size_limit(entry.name)) return;
            Dependencies dependencies(topology);
            explore(entry.name, topology, rule,
                    [&](const Journey& journey) { dependencies.add(journey.walk); });
            CHECK(!dependencies.has_cycle());
        });
}

TEST_CASE("the search for cycles finds the deadlock of a ring with one channel") {
    const auto ring = make_topology("torus", Settings({{"extents", List{5}}}));
    const auto rule = make_routing("dimension_order", *ring, Settings{});
    Dependencies dependencies(*ring);
    explore("dimension_order", *ring, *rule, [&](const Journey& journey) {
        Walk walk = journey.walk;
        for (Step& step : walk) step.hop.channel = 0;
        dependencies.add(walk);
    });
    CHECK(dependencies.has_cycle());
}

TEST_CASE("rules that keep the order send all packets of a pair the same way") {
    for_all_rules(400, [](const auto&, const Topology& topology, const auto&, const Routing& rule) {
        if (!rule.keeps_order()) return;
        for (SwitchId source = 0; source < topology.terminal_switches(); ++source) {
            for (NodeId node = 0; node < topology.nodes(); ++node) {
                const Walk first = follow(topology, rule, source, node, 0, idle);
                const Walk second = follow(topology, rule, source, node, ~std::uint64_t{0},
                                           [](std::size_t) { return Queues(0, 5000, 100); });
                CHECK(first == second);
            }
        }
    });
}

TEST_CASE("rules look at the queues iff they say so") {
    class Watched final : public Occupancy {
    public:
        [[nodiscard]] Bytes queued(PortId) const override {
            ++looks;
            return 1000;
        }
        mutable int looks = 0;
    };
    std::map<std::string_view, int> looks;
    for_all_rules(
        64, [&](const auto&, const Topology& topology, const auto& entry, const Routing& rule) {
            if (topology.diameter() < 2) return;
            const Watched watched;
            Flight flight;
            flight.target = topology.terminal_switches() - 1;
            for (std::uint64_t draw = 0; draw < 8; ++draw) {
                rule.launch(flight, 0, topology.nodes() - 1, mix(draw), watched);
                (void)rule.next(flight, 0, -1, watched);
            }
            looks[entry.name] += watched.looks;
            if (!rule.is_adaptive()) CHECK_EQ(watched.looks, 0);
        });
    for (const auto name : {"adaptive_up", "ugal", "ugal_sstmacro"}) CHECK(looks[name] > 0);
}

TEST_CASE("D-mod-k puts one flow of every cyclic shift on each link (Zahavi 2010)") {
    struct Tree {
        List children;
        List parents;
        int flows;
    };
    for (const auto& tree : std::vector<Tree>{{{4, 4, 4}, {1, 4, 4}, 1},
                                              {{3, 3, 6}, {1, 3, 3}, 1},
                                              {{2, 2, 2, 2}, {1, 2, 2, 2}, 1},
                                              {{4, 4}, {1, 2}, 2}}) {
        const auto topology = make_topology(
            "xgft", Settings({{"children", tree.children}, {"parents", tree.parents}}));
        const auto rule = make_routing("d_mod_k", *topology, Settings{});
        bool uses_all_links = false;
        int worst = 0;
        for (NodeId shift = 1; shift < topology->nodes(); ++shift) {
            CAPTURE(network_cases::describe(tree.children), shift);
            int smallest = 0;
            const int largest = largest_shift_load(*topology, *rule, shift, smallest);
            CHECK(largest <= tree.flows);
            worst = std::max(worst, largest);
            uses_all_links = uses_all_links || smallest == tree.flows;
        }
        CHECK_EQ(worst, tree.flows);
        CHECK(uses_all_links);
    }
}

TEST_CASE("D-mod-k shares parallel cables evenly, up and down") {
    const auto topology = make_topology(
        "xgft",
        Settings({{"children", List{4, 2}}, {"parents", List{1, 2}}, {"cables", List{1, 2}}}));
    const auto rule = make_routing("d_mod_k", *topology, Settings{});
    int smallest = 0;
    CHECK_EQ(largest_shift_load(*topology, *rule, 4, smallest), 1);
    CHECK_EQ(smallest, 1);
}

TEST_CASE("half-way around a torus the two directions share the load") {
    for (const std::int64_t extent : {4, 8, 12}) {
        const auto topology = make_topology("torus", Settings({{"extents", List{extent}}}));
        const auto rule = make_routing("dimension_order", *topology, Settings{});
        int smallest = 0;
        CAPTURE(extent);
        CHECK_EQ(largest_shift_load(*topology, *rule, static_cast<NodeId>(extent / 2), smallest),
                 extent / 4);
        CHECK_EQ(smallest, extent / 4);
    }
}

TEST_CASE("both cables of a ring of two are used") {
    const auto topology = make_topology(
        "torus", Settings({{"extents", List{2}}, {"nodes_per_switch", std::int64_t{16}}}));
    const auto rule = make_routing("dimension_order", *topology, Settings{});
    std::map<PortId, int> used;
    for (NodeId node = 16; node < 32; ++node) {
        ++used[follow(*topology, *rule, 0, node, 0, idle).at(0).hop.port];
    }
    CHECK_EQ(used.size(), std::size_t{2});
}

TEST_CASE("valiant draws every switch but the source once, and stays in the group if it can") {
    for (const auto& test : all_cases()) {
        const auto topology = test.make();
        if (topology->switches() > 64 || topology->switches() < 2) continue;
        const auto entry = std::ranges::find(routings(), "valiant", &RoutingEntry::name);
        const auto rule = entry->make(*topology, Settings{});
        if (!rule) continue;
        const bool has_groups = topology->link_classes().size() > 1;
        for (SwitchId target = 1; target < topology->switches(); ++target) {
            CAPTURE(test.topology, test.label, target);
            std::set<std::uint32_t> middles;
            const auto bits = draws("valiant", *topology, 0, target);
            for (const std::uint64_t random : bits) {
                Flight flight{target, 0, 0};
                rule->launch(flight, 0, target * topology->nodes_per_switch(), random, Queues());
                middles.insert(flight.note);
                const auto middle = topology->coordinates(static_cast<SwitchId>(flight.note));
                const auto end = topology->coordinates(target).back();
                if (has_groups && end == 0) CHECK_EQ(middle.back(), 0);
            }
            CHECK_EQ(middles.size(), bits.size());
            CHECK(!middles.contains(0));
        }
    }
}

TEST_CASE("ugal is minimal iff q_min H_min <= q_val H_val + bias") {
    // Ring of 8, from 0 to 1 (1 hop up) or over 6 (2 hops down, then 3 up).
    const auto ring = make_topology("torus", Settings({{"extents", List{8}}}));
    for (const std::int64_t bias : {0, 50}) {
        const auto rule = make_routing("ugal", *ring, Settings({{"bias", bias}}));
        for (const Bytes load : {0, 499, 500, 501, 550, 551, 10000}) {
            Flight flight{1, 0, 0};
            rule->launch(flight, 0, 1, bits_for(5, 7), Queues(0, load, 100));
            CAPTURE(bias, load);
            const bool is_minimal = flight.note != 6;
            CHECK_EQ(is_minimal, load * 1 <= 100 * 5 + bias);
        }
    }
}

TEST_CASE("ugal_sstmacro weighs Valiant by the distances that SST/macro 7.1 added up") {
    // As above, but the way to the random switch counts as d(0, 1) = 1: H_val = 1 + 3.
    const auto ring = make_topology("torus", Settings({{"extents", List{8}}}));
    const auto note_after = [&](const Settings& settings, std::uint64_t random, Bytes load) {
        const auto rule = make_routing("ugal_sstmacro", *ring, settings);
        Flight flight{1, 0, 0};
        rule->launch(flight, 0, 1, random, Queues());
        (void)rule->next(flight, 0, -1, Queues(0, load, 100));
        return flight.note;
    };
    std::uint64_t random = 0;
    while (note_after(Settings{}, mix(random), 1'000'000) != 6) ++random;
    for (const Bytes load : {0, 399, 400, 401, 10000}) {
        CAPTURE(load);
        CHECK_EQ(note_after(Settings{}, mix(random), load) == 6, load > 400);
        const Settings twice({{"valiant_preference", std::int64_t{2}}});
        CHECK_EQ(note_after(twice, mix(random), load) == 6, 2 * load > 400);
        CHECK(note_after(Settings({{"threshold", std::int64_t{1}}}), mix(random), load) != 6);
    }
}

TEST_CASE("ugal_sstmacro decides anew at every switch, ugal only at the source") {
    const auto ring = make_topology("torus", Settings({{"extents", List{16}}}));
    const auto crowded_later = [](std::size_t step) {
        return step == 2 ? Queues(0, 1'000'000, 0) : Queues();
    };
    for (const auto* const name : {"ugal", "ugal_sstmacro"}) {
        const auto rule = make_routing(name, *ring, Settings{});
        std::size_t longest = 0;
        for (std::uint64_t draw = 0; draw < 50; ++draw) {
            const Walk walk = follow(*ring, *rule, 0, 5, mix(draw), crowded_later);
            longest = std::max(longest, walk.size());
            CHECK(walk.at(0).hop.port == 0 && walk.at(1).hop.port == 0);
        }
        CAPTURE(name);
        CHECK_EQ(longest > 5, std::string_view(name) == "ugal_sstmacro");
    }
}

TEST_CASE("adaptive_up takes the least loaded up port, and the D-mod-k port among equals") {
    const auto tree = make_topology(
        "fat_tree", Settings({{"arity", std::int64_t{4}}, {"levels", std::int64_t{3}}}));
    const auto adaptive = make_routing("adaptive_up", *tree, Settings{});
    const auto fixed = make_routing("d_mod_k", *tree, Settings{});
    for (NodeId node = 4; node < tree->nodes(); ++node) {
        for (PortId port = 0; port < 4; ++port) {
            const Walk walk = follow(*tree, *adaptive, 0, node, 0,
                                     [port](std::size_t) { return Queues(port, 10, 20); });
            CHECK_EQ(walk.at(0).hop.port, port);
        }
        const View even = [](std::size_t) { return Queues(-1, 0, 20); };
        CHECK(follow(*tree, *adaptive, 0, node, 0, even) ==
              follow(*tree, *fixed, 0, node, 0, even));
    }
}

TEST_CASE("random_up spreads the packets of a pair over all shortest routes") {
    const auto tree = make_topology(
        "fat_tree", Settings({{"arity", std::int64_t{3}}, {"levels", std::int64_t{3}}}));
    const auto rule = make_routing("random_up", *tree, Settings{});
    std::map<std::pair<PortId, PortId>, int> used;
    for (std::uint64_t draw = 0; draw < 900; ++draw) {
        const Walk walk = follow(*tree, *rule, 0, 26, mix(draw), idle);
        ++used[{walk.at(0).hop.port, walk.at(1).hop.port}];
    }
    CHECK_EQ(used.size(), std::size_t{9});
    for (const auto& [ports, packets] : used) CHECK(packets > 60 && packets < 140);
}

TEST_CASE("on a dragonfly of wiring full minimal goes to the group first, dimension_order last") {
    const auto topology =
        make_topology("dragonfly", Settings({{"group", List{3, 3}}, {"groups", std::int64_t{4}}}));
    const auto minimal = make_routing("minimal", *topology, Settings{});
    const auto ordered = make_routing("dimension_order", *topology, Settings{});
    const NodeId far = 35;
    const Walk first = follow(*topology, *minimal, 0, far, 0, idle);
    const Walk last = follow(*topology, *ordered, 0, far, 0, idle);
    CHECK_EQ(first.size(), std::size_t{3});
    CHECK_EQ(topology->neighbour(0, first.at(0).hop.port).to, 27);
    CHECK_EQ(topology->neighbour(27, first.at(1).hop.port).to, 29);
    CHECK_EQ(topology->neighbour(0, last.at(0).hop.port).to, 2);
    CHECK_EQ(topology->neighbour(2, last.at(1).hop.port).to, 8);
}

TEST_CASE("rules that do not fit a topology name those that do") {
    const auto message = [](const std::string& rule, const std::string& topology,
                            const Settings& settings) {
        const auto network = make_topology(topology, settings);
        try {
            (void)make_routing(rule, *network, Settings{});
        } catch (const ConfigError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const Settings torus({{"extents", List{4, 4}}});
    const Settings tree({{"arity", std::int64_t{2}}, {"levels", std::int64_t{3}}});
    const auto on_torus = message("d_mod_k", "torus", torus);
    CHECK(on_torus.find("fat_tree, xgft") != std::string::npos);
    CHECK(on_torus.find("minimal, dimension_order, valiant, ugal") != std::string::npos);
    CHECK(message("valiant", "fat_tree", tree).find("adaptive_up") != std::string::npos);
    CHECK(message("dimension_order", "fat_tree", tree).find("hyperx") != std::string::npos);
    CHECK(message("hot_potato", "torus", torus).find("dimension_order") != std::string::npos);
    CHECK(message("minimal", "torus", torus).empty());
}

TEST_CASE("rules reject bad settings") {
    const auto ring = make_topology("torus", Settings({{"extents", List{8}}}));
    const Settings wordy({{"bias", std::string("much")}});
    CHECK_THROWS_AS(make_routing("ugal", *ring, wordy), ConfigError);
    const Settings negative({{"threshold", std::int64_t{-1}}});
    CHECK_THROWS_AS(make_routing("ugal_sstmacro", *ring, negative), ConfigError);
    const Settings none({{"valiant_preference", std::int64_t{0}}});
    CHECK_THROWS_AS(make_routing("ugal_sstmacro", *ring, none), ConfigError);
}

TEST_CASE("the default rule of every topology fits it, and minimal fits all") {
    for (const auto& test : all_cases()) {
        const auto topology = test.make();
        CAPTURE(test.topology, test.label);
        const std::string usual(topology_entry(test.topology).default_routing);
        CHECK(make_routing(usual, *topology, Settings{}) != nullptr);
        CHECK(make_routing("minimal", *topology, Settings{}) != nullptr);
    }
}
