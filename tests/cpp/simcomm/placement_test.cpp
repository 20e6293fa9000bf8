/// Tests of the placement rules: which node and interface each rank gets.
#include <algorithm>
#include <set>
#include <vector>

#include "support/machine.hpp"
#include "testing.hpp"
#include "tradewind/sim/routing/catalogue.hpp"
#include "tradewind/sim/topology/catalogue.hpp"
#include "tradewind/simcomm/partition.hpp"

using namespace support;
using simcomm::Placement;
using simcomm::PlacementRequest;

namespace {

/// Six switches of two nodes each.
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
    return result;
}

using Numbers = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("linear placement fills node after node and shares out the interfaces") {
    CHECK(nics(request("linear", 5)) == Numbers({0, 1, 2, 3, 4}));
    CHECK(nics(request("linear", 5, 2)) == Numbers({0, 0, 1, 1, 2}));
    CHECK(nics(request("linear", 7, 3, 2)) == Numbers({0, 1, 0, 2, 3, 2, 4}));
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

TEST_CASE("no rule puts more ranks on a node than fit, nor leaves the machine") {
    for (const std::string rule : {"linear", "block", "round_robin", "random"}) {
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
    for (const std::string rule : {"linear", "block", "round_robin", "random"}) {
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
    for (const char* known : {"by colour", "linear", "block", "round_robin", "random", "file"}) {
        CHECK(contains(what, known));
    }
}

TEST_CASE(
    "the bounds of workers cover all switches in order, also with more workers than switches") {
    const auto rule = sim::make_routing("minimal", six_switches(), {});
    for (int workers = 1; workers <= 9; ++workers) {
        CAPTURE(workers);
        const Placement placement(request("linear", 3), six_switches());
        const auto bounds = simcomm::balanced_bounds(six_switches(), *rule, placement, 1, workers);
        CHECK_EQ(int(bounds.size()), workers + 1);
        CHECK(std::ranges::is_sorted(bounds));
        CHECK_EQ(bounds.front(), 0U);
        CHECK_EQ(bounds.back(), 6U);
    }
}
