/// Routing rules: the choice of each rule among the possible routes, and its evenness.
#include <algorithm>
#include <map>
#include <set>

#include "routing_walks.hpp"

namespace {

using namespace tradewind;
using namespace tradewind::sim;
using namespace routing_walks;

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
        const auto rule = (*entry)->make(*topology, Settings{});
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
    // As above, but the path to the random switch counts as d(0, 1) = 1: H_val = 1 + 3.
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
