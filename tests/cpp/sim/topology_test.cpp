/// Topologies: wiring, ports, distances against a breadth-first search, the sizes of zheng2018.
#include "tradewind/sim/topology/topology.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "network_cases.hpp"
#include "testing.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/sim/topology/divisor.hpp"

namespace {

using namespace tradewind;
using namespace tradewind::sim;
using network_cases::all_cases;
using network_cases::List;

/// Returns the hops from `start` to every switch, -1 if there is no route; a route may use global
/// links (class 1) at most `most_global` times.
std::vector<int> search(const Topology& topology, SwitchId start, int most_global) {
    const auto count = static_cast<std::size_t>(topology.switches());
    std::vector<int> best(count, -1);
    std::vector<bool> seen(count * static_cast<std::size_t>(most_global + 1));
    std::vector<std::pair<SwitchId, int>> front{{start, 0}};
    for (int hops = 0; !front.empty(); ++hops) {
        std::vector<std::pair<SwitchId, int>> next;
        for (const auto& [here, globals] : front) {
            const auto index =
                static_cast<std::size_t>(here) + count * static_cast<std::size_t>(globals);
            if (seen[index]) continue;
            seen[index] = true;
            if (best[static_cast<std::size_t>(here)] < 0)
                best[static_cast<std::size_t>(here)] = hops;
            for (PortId port = 0; port < topology.radix(); ++port) {
                const Link link = topology.neighbour(here, port);
                const int used = globals + (most_global > 0 && link.link_class == 1 ? 1 : 0);
                if (link.to != no_switch && used <= most_global) next.emplace_back(link.to, used);
            }
        }
        front = std::move(next);
    }
    return best;
}

struct Size {
    std::string topology;
    Settings settings;
    SwitchId switches;
    NodeId nodes;
    PortId ports;
    int diameter;
};

Settings dragonfly(std::int64_t x, std::int64_t groups, std::int64_t nodes) {
    return Settings({{"group", List{x, x}}, {"groups", groups}, {"nodes_per_switch", nodes}});
}

Settings torus(std::int64_t x) {
    return Settings({{"extents", List{x, 25, 25}}, {"nodes_per_switch", std::int64_t{25}}});
}

}  // namespace

TEST_CASE("a divisor divides as the processor does") {
    for (const std::int32_t value :
         {1, 2, 3, 7, 25, 75, 625, 46875, 65536, 715827883, 2147483647}) {
        const Divisor divisor(value);
        for (std::uint64_t draw = 0; draw < 2000; ++draw) {
            auto number = static_cast<std::int32_t>(mix(draw) >> 33U);
            if (draw % 4 == 1) number = number / value * value;
            if (draw % 4 == 2) number = std::max(0, number / value * value - 1);
            if (draw == 0) number = 2147483647;
            CAPTURE(value, number);
            CHECK_EQ(divisor.quotient(number), number / value);
            CHECK_EQ(divisor.remainder(number), number % value);
        }
    }
}

TEST_CASE("every link comes back: neighbour(neighbour(u, p)) = (u, p)") {
    for (const auto& test : all_cases()) {
        const auto topology = test.make();
        const auto classes = static_cast<std::int32_t>(topology->link_classes().size());
        CHECK_EQ(topology->is_two_way(), !test.is_one_way);
        for (SwitchId here = 0; here < topology->switches(); ++here) {
            for (PortId port = 0; port < topology->radix(); ++port) {
                CAPTURE(test.topology, test.label, here, port);
                const Link link = topology->neighbour(here, port);
                if (link.to == no_switch) continue;
                CHECK(link.to >= 0 && link.to < topology->switches() && link.to != here);
                CHECK(link.port >= 0 && link.port < topology->radix());
                CHECK(link.link_class >= 0 && link.link_class < classes);
                if (test.is_one_way && link.link_class == 1) {
                    CHECK_EQ(link.port, port);
                    continue;
                }
                const Link back = topology->neighbour(link.to, link.port);
                CHECK_EQ(back.to, here);
                CHECK_EQ(back.port, port);
            }
        }
    }
}

TEST_CASE("in-ports are unique per switch, also where links are one-way") {
    for (const auto& test : all_cases()) {
        const auto topology = test.make();
        std::set<std::pair<SwitchId, PortId>> taken;
        for (SwitchId here = 0; here < topology->switches(); ++here) {
            for (PortId port = 0; port < topology->radix(); ++port) {
                CAPTURE(test.topology, test.label, here, port);
                const Link link = topology->neighbour(here, port);
                if (link.to != no_switch) CHECK(taken.emplace(link.to, link.port).second);
            }
        }
    }
}

TEST_CASE("distance and diameter are those of a breadth-first search") {
    for (const auto& test : all_cases()) {
        const auto topology = test.make();
        const bool has_global = topology->link_classes().size() > 1;
        int longest = 0;
        for (SwitchId from = 0; from < topology->terminal_switches(); ++from) {
            const auto hops = search(*topology, from, has_global ? 1 : 0);
            const auto any = search(*topology, from, 0);
            for (SwitchId to = 0; to < topology->terminal_switches(); ++to) {
                CAPTURE(test.topology, test.label, from, to);
                const auto index = static_cast<std::size_t>(to);
                const int distance = topology->distance(from, to);
                CHECK_EQ(distance, hops[index]);
                if (!has_global) CHECK_EQ(distance, any[index]);
                longest = std::max(longest, distance);
            }
        }
        CAPTURE(test.topology, test.label);
        CHECK_EQ(topology->diameter(), longest);
    }
}

TEST_CASE("on a dragonfly of wiring full no route with more global links is shorter") {
    for (const auto& test : all_cases()) {
        if (test.topology != "dragonfly" || test.label.find("full") == std::string::npos) continue;
        const auto topology = test.make();
        for (SwitchId from = 0; from < topology->switches(); ++from) {
            const auto hops = search(*topology, from, 3);
            for (SwitchId to = 0; to < topology->switches(); ++to) {
                CHECK_EQ(topology->distance(from, to), hops[static_cast<std::size_t>(to)]);
            }
        }
    }
}

TEST_CASE("coordinates tell switches apart") {
    for (const auto& test : all_cases()) {
        const auto topology = test.make();
        std::set<std::vector<std::int64_t>> seen;
        for (SwitchId here = 0; here < topology->switches(); ++here) {
            seen.insert(topology->coordinates(here));
        }
        CAPTURE(test.topology, test.label);
        CHECK_EQ(seen.size(), static_cast<std::size_t>(topology->switches()));
        CHECK_EQ(topology->nodes(), topology->terminal_switches() * topology->nodes_per_switch());
    }
}

TEST_CASE("the numbering of switches counts all that have nodes, and its parts are near") {
    for (const auto& test : all_cases()) {
        const auto topology = test.make();
        CAPTURE(test.topology, test.label);
        std::int64_t switches = 1;
        const auto levels = topology->numbering();
        for (const NumberingLevel& level : levels) switches *= level.parts;
        CHECK_EQ(switches, std::int64_t{topology->terminal_switches()});
        // On a line the first two parts, which are single switches at the lowest level, are linked.
        const bool row = !levels.empty() && levels.front().line && levels.front().parts > 1;
        if (row) CHECK_EQ(topology->distance(0, 1), 1);
    }
}

TEST_CASE("zheng2018 table 1: switches and nodes, and the ports of the review copy") {
    const std::vector<Size> sizes{{"torus", torus(25), 15625, 390625, 31, 36},
                                  {"torus", torus(75), 46875, 1171875, 31, 61},
                                  {"dragonfly", dragonfly(25, 25, 25), 15625, 390625, 97, 3},
                                  {"dragonfly", dragonfly(25, 125, 5), 78125, 390625, 177, 3},
                                  {"dragonfly", dragonfly(125, 5, 5), 78125, 390625, 257, 3},
                                  {"dragonfly", dragonfly(25, 75, 25), 46875, 1171875, 147, 3}};
    for (const auto& size : sizes) {
        const auto topology = make_topology(size.topology, size.settings);
        CAPTURE(size.topology, size.switches, size.ports);
        CHECK_EQ(topology->switches(), size.switches);
        CHECK_EQ(topology->nodes(), size.nodes);
        CHECK_EQ(topology->radix() + topology->nodes_per_switch(), size.ports);
        CHECK_EQ(topology->diameter(), size.diameter);
    }
}

TEST_CASE("zheng2018 table 1: fat trees as simulated, and with the printed switches") {
    // SST/macro 7.1 interprets "4,25" as four levels of 25^3 switches; table 1 prints three times
    // 25^3.
    for (const auto& [arity, nodes] :
         std::vector<std::pair<std::int64_t, NodeId>>{{25, 390625}, {33, 1185921}}) {
        CAPTURE(arity);
        const std::int64_t cube = arity * arity * arity;
        const auto simulated =
            make_topology("fat_tree", Settings({{"arity", arity}, {"levels", std::int64_t{4}}}));
        CHECK_EQ(simulated->nodes(), nodes);
        CHECK_EQ(simulated->switches(), 4 * cube);
        CHECK_EQ(simulated->radix(), 2 * arity);
        CHECK_EQ(simulated->diameter(), 6);
        const List children{arity, arity, arity * arity};
        const auto printed = make_topology(
            "xgft", Settings({{"children", children}, {"parents", List{1, arity, arity * arity}}}));
        CHECK_EQ(printed->nodes(), nodes);
        CHECK_EQ(printed->switches(), 3 * cube);
        CHECK_EQ(printed->terminal_switches(), cube);
        CHECK_EQ(printed->diameter(), 4);
    }
    // The full tree of three levels with these leaves needs 25^2 switches at the top only.
    const auto lean = make_topology(
        "xgft", Settings({{"children", List{25, 25, 625}}, {"parents", List{1, 25, 25}}}));
    CHECK_EQ(lean->nodes(), 390625);
    CHECK_EQ(lean->switches(), 2 * 15625 + 625);
}

TEST_CASE("the legacy wiring has the share of two-way links that SST/macro's had") {
    // 25 x 25 switches in 25 groups: 37.5 % of the links have a reverse link with H = 10.
    const auto topology =
        make_topology("dragonfly", Settings({{"group", List{25, 25}},
                                             {"groups", std::int64_t{25}},
                                             {"global_links", std::int64_t{10}},
                                             {"wiring", std::string("sstmacro_legacy")}}));
    int links = 0;
    int two_way = 0;
    for (SwitchId here = 0; here < 625; ++here) {
        for (PortId port = 48; port < topology->radix(); ++port) {
            const Link link = topology->neighbour(here, port);
            if (link.to == no_switch) continue;
            ++links;
            for (PortId back = 48; back < topology->radix(); ++back) {
                two_way += topology->neighbour(link.to, back).to == here ? 1 : 0;
            }
        }
    }
    CHECK_EQ(links, 6000);
    CHECK_EQ(two_way, 2250);
}

TEST_CASE("the default wiring is full where every switch can reach every group, else symmetric") {
    const auto full = make_topology("dragonfly", dragonfly(4, 5, 1));
    CHECK_EQ(full->radix(), 3 + 3 + 4);
    CHECK_EQ(full->diameter(), 3);
    Settings settings = dragonfly(4, 7, 1);
    settings.set("global_links", std::int64_t{2});
    const auto sparse = make_topology("dragonfly", settings);
    CHECK_EQ(sparse->radix(), 3 + 3 + 2);
    CHECK_EQ(sparse->neighbour(1, 6).to, 16 * 4 + 1);
}

namespace {

/// Returns a tree of 4 leaves with 10 nodes and 2 spines, with other or further settings.
Settings leaf_and_spine(const std::map<std::string, std::int64_t>& changed) {
    Settings settings({{"leaf_switches", std::int64_t{4}},
                       {"spine_switches", std::int64_t{2}},
                       {"nodes_per_leaf", std::int64_t{10}}});
    for (const auto& [key, value] : changed) settings.set(key, value);
    return settings;
}

}  // namespace

TEST_CASE("a tree of leaf and spine switches is the generalised fat tree of these numbers") {
    const auto same = [](const Settings& described, const Settings& numbers) {
        const auto one = make_topology("fat_tree", described);
        const auto other = make_topology("xgft", numbers);
        CHECK_EQ(one->switches(), other->switches());
        CHECK_EQ(one->radix(), other->radix());
        CHECK_EQ(one->nodes(), other->nodes());
        for (SwitchId here = 0; here < one->switches(); ++here) {
            for (PortId port = 0; port < one->radix(); ++port) {
                const Link mine = one->neighbour(here, port);
                const Link theirs = other->neighbour(here, port);
                CHECK((mine.to == theirs.to && mine.port == theirs.port));
            }
        }
    };
    same(leaf_and_spine({{"cables", 3}}),
         Settings({{"children", List{10, 4}}, {"parents", List{1, 2}}, {"cables", List{1, 3}}}));
    same(
        leaf_and_spine({{"pods", 3}, {"core_switches", 6}, {"core_cables", 2}}),
        Settings(
            {{"children", List{10, 4, 3}}, {"parents", List{1, 2, 3}}, {"cables", List{1, 1, 2}}}));
}

TEST_CASE("a fat tree says which switch has too few ports") {
    const auto message = [](const Settings& settings) -> std::string {
        try {
            (void)make_topology("fat_tree", settings);
        } catch (const TopologyError& error) {
            return error.what();
        }
        return "built";
    };
    CHECK(message(leaf_and_spine({{"switch_ports", 12}})) == "built");
    CHECK(message(leaf_and_spine({{"switch_ports", 11}})) ==
          "fat_tree: a leaf switch needs 12 ports (10 down, 2 up), more than switch_ports = 11");
    CHECK(message(leaf_and_spine({{"cables", 4}, {"leaf_switches", 8}, {"switch_ports", 20}})) ==
          "fat_tree: a spine switch needs 32 ports (32 down, 0 up), more than switch_ports = 20");
}

TEST_CASE("topologies reject settings that cannot be built") {
    const auto whole = [](std::int64_t value) { return Settings::Value(value); };
    const auto group = Settings::Value(List{3, 3});
    const std::vector<std::pair<std::string, Settings>> bad{
        {"torus", Settings{}},
        {"torus", Settings({{"extents", List{}}})},
        {"torus", Settings({{"extents", List{4, 0}}})},
        {"torus", Settings({{"extents", List{4, -2}}})},
        {"torus", Settings({{"extents", List{65536, 65536}}})},
        {"torus", Settings({{"extents", List{4}}, {"nodes_per_switch", whole(0)}})},
        {"torus", Settings({{"extents", List{65536, 1024}}, {"nodes_per_switch", whole(64)}})},
        {"hyperx", Settings({{"extents", List{0}}})},
        {"hyperx", Settings({{"extents", std::string("4")}})},
        {"star", Settings({{"nodes", whole(0)}})},
        {"fat_tree", Settings({{"arity", whole(4)}})},
        {"fat_tree", Settings({{"arity", whole(0)}, {"levels", whole(3)}})},
        {"fat_tree", Settings({{"arity", whole(64)}, {"levels", whole(7)}})},
        {"fat_tree", Settings({{"levels", whole(4)}})},
        {"fat_tree", leaf_and_spine({{"leaf_switches", 0}})},
        {"fat_tree", leaf_and_spine({{"arity", 4}})},
        {"fat_tree", leaf_and_spine({{"nodes_per_switch", 4}})},
        {"fat_tree", leaf_and_spine({{"pods", 4}})},
        {"fat_tree", leaf_and_spine({{"core_switches", 4}})},
        {"fat_tree", leaf_and_spine({{"core_cables", 2}})},
        {"fat_tree", leaf_and_spine({{"pods", 4}, {"core_switches", 3}})},
        {"fat_tree", leaf_and_spine({{"switch_ports", 11}})},
        {"fat_tree", Settings({{"leaf_switches", whole(4)}, {"nodes_per_leaf", whole(2)}})},
        {"xgft", Settings({{"children", List{4, 4}}, {"parents", List{1}}})},
        {"xgft", Settings({{"children", List{4, 4}}, {"parents", List{2, 2}}})},
        {"xgft", Settings({{"children", List{4, 4}}, {"parents", List{1, 0}}})},
        {"xgft",
         Settings({{"children", List{4, 4}}, {"parents", List{1, 2}}, {"cables", List{2, 1}}})},
        {"dragonfly", Settings({{"group", List{3}}, {"groups", whole(4)}})},
        {"dragonfly", Settings({{"group", group}, {"groups", whole(0)}})},
        {"dragonfly",
         Settings({{"group", group}, {"groups", whole(4)}, {"global_links", whole(5)}})},
        {"dragonfly", Settings({{"group", group},
                                {"groups", whole(6)},
                                {"global_links", whole(4)},
                                {"wiring", std::string("full")}})},
        {"dragonfly",
         Settings({{"group", group}, {"groups", whole(4)}, {"wiring", std::string("circular")}})},
        {"dragonfly",
         Settings({{"group", List{1, 1}}, {"groups", whole(9)}, {"global_links", whole(2)}})},
        {"dragonfly", Settings({{"group", List{1, 1}},
                                {"groups", whole(9)},
                                {"global_links", whole(2)},
                                {"wiring", std::string("sstmacro_legacy")}})},
        {"dragonfly_canonical",
         Settings({{"routers", whole(4)}, {"global_links", whole(2)}, {"groups", whole(10)}})},
        {"dragonfly_canonical", Settings({{"routers", whole(4)},
                                          {"global_links", whole(2)},
                                          {"arrangement", std::string("palmtree")}})},
        {"dragonfly_canonical", Settings({{"routers", whole(0)}, {"global_links", whole(2)}})}};
    for (std::size_t index = 0; index < bad.size(); ++index) {
        CAPTURE(index, bad[index].first);
        CHECK_THROWS_AS(make_topology(bad[index].first, bad[index].second), ConfigError);
    }
    CHECK_THROWS_AS(make_topology("moebius", Settings{}), TopologyError);
}

TEST_CASE("every topology of the table has cases, and errors name the allowed ones") {
    for (const auto* const entry : topologies()) {
        CAPTURE(entry->name);
        CHECK(std::ranges::any_of(all_cases(),
                                  [&](const auto& test) { return test.topology == entry->name; }));
        CHECK(!entry->summary.empty() && !entry->default_routing.empty());
        std::string message;
        try {
            (void)make_topology("moebius", Settings{});
        } catch (const TopologyError& error) {
            message = error.what();
        }
        CHECK(message.find(entry->name) != std::string::npos);
    }
}
