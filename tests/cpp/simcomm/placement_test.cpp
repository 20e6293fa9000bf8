/// Tests of the placement rules: the node and the interface of each rank.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "support/machine.hpp"
#include "testing.hpp"
#include "tradewind/sim/routing/catalogue.hpp"
#include "tradewind/sim/topology/catalogue.hpp"
#include "tradewind/simcomm/partition.hpp"
#include "tradewind/simcomm/tiles.hpp"

using namespace support;
using simcomm::Placement;
using simcomm::PlacementRequest;

namespace {

/// Returns a ring of six switches with two nodes each.
const sim::Topology& six_switches() {
    static const auto topology = sim::make_topology(
        "torus", Settings({{"extents", Integers{6}}, {"nodes_per_switch", std::int64_t{2}}}));
    return *topology;
}

std::vector<std::uint32_t> nics(const PlacementRequest& request) {
    const Placement placement(request, six_switches());
    std::vector<std::uint32_t> result;
    for (Rank r = 0; r < request.ranks; ++r) result.push_back(placement.nic(r));
    return result;
}

PlacementRequest request(const std::string& rule, Rank ranks, std::int32_t per_node = 1,
                         std::int32_t nics = 1) {
    PlacementRequest result;
    result.rule = rule;
    result.ranks = ranks;
    result.ranks_per_node = per_node;
    result.nics_per_node = nics;
    if (ranks > 0) {
        const ProcessLimits any{{"x", ranks}, {"y", ranks}};
        result.processes = squarest_process_grid(ranks, any);
    }
    return result;
}

using Numbers = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("linear placement fills node after node and shares out the interfaces") {
    CHECK(nics(request("linear", 5)) == Numbers({0, 1, 2, 3, 4}));
    CHECK(nics(request("linear", 5, 2)) == Numbers({0, 0, 1, 1, 2}));
    CHECK(nics(request("linear", 7, 3, 2)) == Numbers({0, 1, 0, 2, 3, 2, 4}));
}

TEST_CASE("ranks of a node take its interfaces cyclically or in blocks") {
    PlacementRequest blocks = request("linear", 12, 6, 3);
    blocks.affinity = simcomm::Affinity::block;
    CHECK(nics(blocks) == Numbers({0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}));
    blocks.rule = "block";
    CHECK(nics(blocks) == Numbers({0, 0, 1, 1, 2, 2, 18, 18, 19, 19, 20, 20}));
    CHECK(nics(request("linear", 6, 6, 3)) == Numbers({0, 1, 2, 0, 1, 2}));
}

TEST_CASE("ranks of a node are bound to its NUMA domains in blocks, under every rule") {
    for (const std::string rule : {"linear", "block", "random", "round_robin"}) {
        PlacementRequest bound = request(rule, 12, 4);
        bound.numa_domains = 2;
        const Placement placement(bound, six_switches());
        std::map<std::uint32_t, std::vector<std::int32_t>> domains;
        for (Rank r = 0; r < 12; ++r) domains[placement.nic(r)].push_back(placement.domain(r));
        CAPTURE(rule);
        for (const auto& [node, of_node] : domains) {
            for (std::size_t i = 0; i < of_node.size(); ++i)
                CHECK_EQ(of_node[i], std::int32_t(i) / 2);
        }
    }
}

TEST_CASE("block placement spreads equal blocks over the whole machine") {
    CHECK(nics(request("block", 4)) == Numbers({0, 3, 6, 9}));
    CHECK(nics(request("block", 6, 2)) == Numbers({0, 0, 4, 4, 8, 8}));
    CHECK(nics(request("block", 12)) == nics(request("linear", 12)));
}

TEST_CASE("round robin placement goes from switch to switch") {
    CHECK(nics(request("round_robin", 8)) == Numbers({0, 2, 4, 6, 8, 10, 1, 3}));
    const auto full = nics(request("round_robin", 24, 2));
    CHECK(full[0] == 0 && full[12] == 0 && full[6] == 1 && full[18] == 1);
}

TEST_CASE("random placement fills random nodes, the same for the same seed") {
    auto one = request("random", 20, 2);
    const auto placed = nics(one);
    CHECK(placed == nics(one));
    for (std::size_t r = 0; r < placed.size(); r += 2) CHECK_EQ(placed[r], placed[r + 1]);
    CHECK_EQ(std::set<std::uint32_t>(placed.begin(), placed.end()).size(), std::size_t{10});
    CHECK(placed != nics(request("linear", 20, 2)));
    auto other = one;
    other.seed = 2;
    CHECK(placed != nics(other));
}

TEST_CASE("a list of nodes is followed") {
    auto listed = request("file", 5, 2, 2);
    listed.nodes = {3, 11, 3, 0, 0};
    CHECK(nics(listed) == Numbers({6, 22, 7, 0, 1}));
}

namespace {

std::vector<std::int64_t> tiles(ProcessGrid grid, std::int32_t per_node, const char* name,
                                const Settings& settings) {
    return simcomm::place_tiles(grid, per_node, *sim::make_topology(name, settings));
}

const Settings& small_dragonfly() {
    static const Settings settings({{"group", Integers{3, 2}},
                                    {"groups", std::int64_t{4}},
                                    {"nodes_per_switch", std::int64_t{4}}});
    return settings;
}

}  // namespace

TEST_CASE("tiles lay the process grid on nodes, switches, rows, columns and groups") {
    // A switch has 2 x 2 nodes, 3 switches form a row, 2 rows a group, and there are 2 x 2 groups.
    const auto nodes = tiles({12, 8}, 1, "dragonfly", small_dragonfly());
    const auto at = [&](Rank x, Rank y) { return nodes[std::size_t(y * 12 + x)]; };
    CHECK_EQ(at(0, 0), 0);
    CHECK_EQ(at(1, 0), 1);
    CHECK_EQ(at(0, 1), 2);
    CHECK_EQ(at(2, 0), 4);   // next switch of the row
    CHECK_EQ(at(0, 2), 12);  // next row
    CHECK_EQ(at(6, 0), 24);  // next group
    CHECK_EQ(at(0, 4), 48);  // the group above
    CHECK_EQ(at(11, 7), 95);
    CHECK_EQ(std::set<std::int64_t>(nodes.begin(), nodes.end()).size(), std::size_t{96});
}

TEST_CASE("several ranks of a node are a tile of their own") {
    const auto nodes = tiles({4, 2}, 4, "star", Settings({{"nodes", std::int64_t{8}}}));
    CHECK(nodes == std::vector<std::int64_t>({0, 0, 1, 1, 0, 0, 1, 1}));
}

TEST_CASE("neighbours of the process grid are at most one link apart on a torus") {
    const auto torus = sim::make_topology(
        "torus", Settings({{"extents", Integers{6, 6, 2}}, {"nodes_per_switch", std::int64_t{4}}}));
    const ProcessGrid grid{10, 12};
    const auto nodes = simcomm::place_tiles(grid, 1, *torus);
    const auto hops = [&](Rank a, Rank b) {
        return torus->distance(sim::SwitchId(nodes[std::size_t(a)] / 4),
                               sim::SwitchId(nodes[std::size_t(b)] / 4));
    };
    int farthest = 0;
    for (Rank y = 0; y < grid.cy; ++y) {
        for (Rank x = 0; x < grid.cx; ++x) {
            const Rank here = y * grid.cx + x;
            if (x + 1 < grid.cx) farthest = std::max(farthest, hops(here, here + 1));
            if (y + 1 < grid.cy) farthest = std::max(farthest, hops(here, here + grid.cx));
        }
    }
    CHECK_EQ(farthest, 1);
}

TEST_CASE("tiles that do not fit side by side are filled without gaps") {
    // 1 x 96 ranks: the rectangles would need 24 groups; there are 4.
    const auto nodes = tiles({1, 96}, 1, "dragonfly", small_dragonfly());
    auto sorted = nodes;
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < sorted.size(); ++i) CHECK_EQ(sorted[i], std::int64_t(i));
    CHECK_EQ(nodes[0], 0);
    CHECK_EQ(nodes[1], 1);
}

TEST_CASE("tiles want as many processes as ranks, and room for them") {
    auto wrong = request("tiles", 6);
    const auto complaint = [&](ProcessGrid grid) {
        wrong.processes = grid;
        return message_of<ConfigError>([&] { (void)nics(wrong); });
    };
    CHECK(contains(complaint({4, 2}), "[4, 2]"));
    CHECK(contains(complaint({0, 0}), "6 ranks"));
    CHECK_EQ(complaint({3, 2}), std::string());
    const auto crowded =
        message_of<ConfigError>([] { (void)tiles({10, 10}, 1, "dragonfly", small_dragonfly()); });
    CHECK(contains(crowded, "10 x 10") && contains(crowded, "1..96"));
}

TEST_CASE("no rule puts more ranks on a node than fit, nor leaves the machine") {
    for (const std::string rule : {"linear", "block", "round_robin", "random", "tiles"}) {
        for (const std::int32_t per_node : {1, 2, 5}) {
            for (Rank ranks = 1; ranks <= 12 * per_node; ++ranks) {
                CAPTURE(rule, per_node, ranks);
                std::vector<int> used(12);
                for (const std::uint32_t nic : nics(request(rule, ranks, per_node))) {
                    CHECK(nic < 12);
                    if (nic < 12) ++used[nic];
                }
                CHECK(*std::ranges::max_element(used) <= per_node);
            }
        }
    }
}

TEST_CASE("ranks that do not fit are refused with the room that there is") {
    for (const std::string rule : {"linear", "block", "round_robin", "random", "tiles"}) {
        for (const Rank ranks : {Rank{0}, Rank{-1}, Rank{25}}) {
            const auto what = message_of<ConfigError>([&] { (void)nics(request(rule, ranks, 2)); });
            CHECK(contains(what, "1..24"));
            CHECK(contains(what, std::to_string(ranks)));
        }
    }
}

TEST_CASE("a list of nodes that is too short, out of range or crowded is refused") {
    auto listed = request("file", 3);
    const auto complaint = [&](std::vector<std::int64_t> nodes) {
        listed.nodes = std::move(nodes);
        return message_of<ConfigError>([&] { (void)nics(listed); });
    };
    CHECK(contains(complaint({1, 2}), "2 nodes for 3 ranks"));
    CHECK(contains(complaint({1, 2, 12}), "12 is not in 0..11"));
    CHECK(contains(complaint({1, 2, -1}), "-1"));
    CHECK(contains(complaint({1, 2, 1}), "node 1"));
    CHECK_EQ(complaint({1, 2, 3, 4}), std::string());
}

TEST_CASE("an unknown rule is answered with the known ones") {
    const auto what = message_of<ConfigError>([] { (void)nics(request("by colour", 2)); });
    for (const char* known :
         {"by colour", "linear", "block", "round_robin", "random", "tiles", "file"}) {
        CHECK(contains(what, known));
    }
}

TEST_CASE(
    "the bounds of processes cover all switches in order, also with more of them than switches") {
    const auto rule = sim::make_routing("minimal", six_switches(), {});
    for (int processes = 1; processes <= 9; ++processes) {
        CAPTURE(processes);
        const Placement placement(request("linear", 3), six_switches());
        const auto bounds =
            simcomm::balanced_bounds(six_switches(), *rule, placement, 1, processes);
        CHECK_EQ(int(bounds.size()), processes + 1);
        CHECK(std::ranges::is_sorted(bounds));
        CHECK_EQ(bounds.front(), 0U);
        CHECK_EQ(bounds.back(), 6U);
    }
}
