/// Routing rules: delivery, shortest routes, order, freedom from deadlock, and errors.
#include "tradewind/sim/routing/routing.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "routing_walks.hpp"

namespace {

using namespace tradewind;
using namespace tradewind::sim;
using namespace routing_walks;

/// Calls `visit` for routes between all switches and nodes under all draws and views.
template <class Visit>
void explore(std::string_view name, const Topology& topology, const Routing& rule, Visit visit) {
    for (SwitchId source = 0; source < topology.terminal_switches(); ++source) {
        for (NodeId node = 0; node < topology.nodes(); ++node) {
            const SwitchId target = node / topology.nodes_per_switch();
            // Rules with detours do not depend on the node: one node per switch is enough.
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

/// The graph of the links and channels that packets wait for while they hold others (Dally and
/// Seitz 1987).
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

/// Counts how often the queues are looked at.
class Watched final : public Occupancy {
public:
    [[nodiscard]] Bytes queued(PortId) const override {
        ++looks;
        return 1000;
    }
    mutable int looks = 0;
};

/// Calls `body(test, topology, entry, rule)` for every case of at most `most` switches and every
/// rule.
template <class Body>
void for_all_rules(SwitchId most, Body body) {
    for (const auto& test : all_cases()) {
        const auto topology = test.make();
        if (topology->switches() > most) continue;
        for (const auto* const entry : routings()) {
            const auto rule = entry->make(*topology, Settings{});
            if (!rule) continue;
            CAPTURE(test.topology, test.label, entry->name);
            body(test, *topology, entry, *rule);
        }
    }
}

SwitchId size_limit(std::string_view rule) {
    if (rule == "ugal_sstmacro") return 30;
    return rule == "ugal" ? 36 : 64;
}

}  // namespace

TEST_CASE("every rule delivers from everywhere to everywhere within its hops and channels") {
    for_all_rules(is_sanitized ? 100 : 400, [](const auto&, const Topology& topology,
                                               const auto& entry, const Routing& rule) {
        CHECK(rule.channels() >= 1 && rule.channels() <= 6);
        if (!is_shortest(entry->name) && topology.switches() > 36) return;
        explore(entry->name, topology, rule, [&](const Journey& journey) {
            const auto hops = static_cast<int>(journey.walk.size());
            const int distance = topology.distance(journey.source, journey.target);
            CAPTURE(journey.source, journey.target);
            if (is_shortest(entry->name)) CHECK_EQ(hops, distance);
            // Two global links can be fewer hops than the shortest route with one.
            if (topology.link_classes().size() == 1) CHECK(hops >= distance);
            CHECK(hops <= (entry->name == "ugal_sstmacro" ? 3 : 2) * topology.diameter());
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
            if (topology.switches() > size_limit(entry->name)) return;
            Dependencies dependencies(topology);
            explore(entry->name, topology, rule,
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

/// Counts the looks of every rule at the queues, in transit and, if `at_source`, in its choices at
/// the source. There must be none if `is_blind` says so of a rule.
template <class Predicate>
std::map<std::string_view, int> count_looks(bool at_source, Predicate is_blind) {
    std::map<std::string_view, int> looks;
    for_all_rules(
        64, [&](const auto&, const Topology& topology, const auto& entry, const Routing& rule) {
            if (topology.diameter() < 2) return;
            const Watched watched;
            const NothingQueued nothing;
            const Occupancy& seen = at_source ? static_cast<const Occupancy&>(watched) : nothing;
            Flight flight;
            flight.target = topology.terminal_switches() - 1;
            for (std::uint64_t draw = 0; draw < 8; ++draw) {
                rule.launch(flight, 0, topology.nodes() - 1, mix(draw), seen);
                (void)rule.next(flight, 0, -1, watched);
            }
            looks[entry->name] += watched.looks;
            if (is_blind(rule)) CHECK_EQ(watched.looks, 0);
        });
    return looks;
}

TEST_CASE("rules look at the queues iff they say so") {
    auto looks = count_looks(true, [](const Routing& rule) { return !rule.is_adaptive(); });
    for (const auto name : {"adaptive_up", "ugal", "ugal_sstmacro"}) CHECK(looks[name] > 0);
}

TEST_CASE("rules look at the queues in transit iff they say so") {
    auto looks =
        count_looks(false, [](const Routing& rule) { return rule.is_oblivious_in_transit(); });
    CHECK_EQ(looks["ugal"], 0);
    for (const auto name : {"adaptive_up", "ugal_sstmacro"}) CHECK(looks[name] > 0);
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
