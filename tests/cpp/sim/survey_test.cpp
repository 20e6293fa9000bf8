/// Surveys: links, distances and bisection against the formulas of each topology.
#include "tradewind/sim/topology/survey.hpp"

#include <numeric>

#include "network_cases.hpp"
#include "testing.hpp"

namespace {

using namespace tradewind;
using namespace tradewind::sim;
using network_cases::all_cases;
using network_cases::List;

std::int64_t whole(std::int64_t value) {
    return value;
}

/// Returns the bisection with links of 1 byte per second and nodes of `node_rate`.
Bisection bisection_of(const std::string& name, const Settings& settings, double node_rate = 1.0) {
    const auto topology = make_topology(name, settings);
    const std::vector<double> rates(topology->link_classes().size(), 1.0);
    return bisect(*topology, rates, node_rate);
}

}  // namespace

TEST_CASE("a survey counts every link once in each direction") {
    for (const auto& test : all_cases()) {
        CAPTURE(test.topology, test.label);
        const auto topology = test.make();
        std::int64_t wired = 0;
        for (SwitchId here = 0; here < topology->switches(); ++here)
            for (PortId port = 0; port < topology->radix(); ++port)
                wired += topology->neighbour(here, port).to == no_switch ? 0 : 1;
        for (const std::int64_t most_ports : {std::int64_t{0}, std::int64_t{1} << 40}) {
            std::int64_t counted = 0;
            for (const LinkCount& count : count_links(*topology, most_ports)) {
                counted += count.links;
                CHECK_EQ(count.panel.empty(), most_ports == 0);
            }
            CHECK_EQ(counted, wired);
        }
    }
}

TEST_CASE("the largest distance of a survey is the diameter") {
    for (const auto& test : all_cases()) {
        CAPTURE(test.topology, test.label);
        const auto topology = test.make();
        const DistanceCounts all = count_distances(*topology, std::int64_t{1} << 40);
        CHECK_EQ(all.sources, std::int64_t{topology->terminal_switches()});
        CHECK_EQ(int(all.pairs.size()) - 1, topology->diameter());
        CHECK_EQ(std::accumulate(all.pairs.begin(), all.pairs.end(), std::int64_t{0}),
                 all.sources * all.sources);
        CHECK_EQ(all.pairs[0], all.sources);
        CHECK_EQ(count_distances(*topology, 1).sources, std::int64_t{1});
    }
}

TEST_CASE("a survey names a node at each distance from the first one") {
    for (const auto& test : all_cases()) {
        CAPTURE(test.topology, test.label);
        const auto topology = test.make();
        const auto nodes = nodes_by_distance(*topology);
        const NodeId per_switch = topology->nodes_per_switch();
        CHECK_EQ(nodes[0], per_switch > 1 ? 1 : -1);
        for (std::size_t hops = 1; hops < nodes.size(); ++hops) {
            if (nodes[hops] < 0) continue;
            CHECK_EQ(topology->distance(0, nodes[hops] / per_switch), int(hops));
        }
    }
}

TEST_CASE("the bisection of a torus has two links for each row across its longest dimension") {
    const Settings settings({{"extents", List{8, 4, 2}}});
    CHECK_EQ(bisection_of("torus", settings).links, whole(2 * 4 * 2));
    // In two dimensions of odd extent the cut has a step in the middle row, and one node less.
    const Settings odd({{"extents", List{5, 3}}});
    const Bisection uneven = bisection_of("torus", odd);
    CHECK(uneven.links >= 2 * 3);
    CHECK(uneven.links <= 2 * 3 + 2 * 1 + 2);
}

TEST_CASE("the bisection of a HyperX joins every pair of switches of a row") {
    CHECK_EQ(bisection_of("hyperx", Settings({{"extents", List{6, 4}}})).links, whole(2 * 2 * 6));
}

TEST_CASE("the bisection of a dragonfly is across its groups or within them") {
    const Settings few({{"group", List{4, 4}}, {"groups", whole(2)}});
    CHECK_EQ(bisection_of("dragonfly", few).links, whole(16));
    // A switch has links to its own place in other groups: between rows there are local ones only.
    const Settings many({{"group", List{4, 2}}, {"groups", whole(6)}});
    CHECK_EQ(bisection_of("dragonfly", many).links, whole(4 * 6));
}

TEST_CASE("a full fat tree carries what half of its nodes send, a tapered one less") {
    const Settings full({{"arity", whole(4)}, {"levels", whole(3)}});
    CHECK_EQ(bisection_of("fat_tree", full).bytes_per_second, 64.0 / 2);
    const Settings tapered({{"leaf_switches", whole(4)},
                            {"spine_switches", whole(2)},
                            {"nodes_per_leaf", whole(10)},
                            {"cables", whole(3)}});
    CHECK_EQ(bisection_of("fat_tree", tapered).links, whole(2 * 2 * 3));
    const Settings pods({{"leaf_switches", whole(4)},
                         {"spine_switches", whole(4)},
                         {"nodes_per_leaf", whole(4)},
                         {"pods", whole(4)},
                         {"core_switches", whole(8)}});
    CHECK_EQ(bisection_of("fat_tree", pods).links, whole(2 * 8));
}

TEST_CASE("halves of equally many nodes cut through a switch where they must") {
    const Bisection star = bisection_of("star", Settings({{"nodes", whole(9)}}), 3.0);
    CHECK_EQ(star.links, whole(0));
    CHECK_EQ(star.nodes, whole(4));
    CHECK_EQ(star.bytes_per_second, 12.0);
    const Settings three(
        {{"leaf_switches", whole(3)}, {"spine_switches", whole(1)}, {"nodes_per_leaf", whole(2)}});
    CHECK_EQ(bisection_of("fat_tree", three).bytes_per_second, 2.0);
}

TEST_CASE("no bisection is wider than the nodes of one half") {
    for (const auto& test : all_cases()) {
        CAPTURE(test.topology, test.label);
        const auto topology = test.make();
        const std::vector<double> rates(topology->link_classes().size(), 1e9);
        const Bisection found = bisect(*topology, rates, 1.0);
        CHECK(found.links + found.nodes > 0 || topology->nodes() == 1);
    }
}
