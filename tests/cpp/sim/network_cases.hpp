/// Small instances of every topology, on which the tests of topologies and routing rules loop.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tradewind/sim/topology/catalogue.hpp"

namespace network_cases {

using List = std::vector<std::int64_t>;
using tradewind::Settings;

struct NetworkCase {
    std::string topology;
    Settings settings;
    std::string label;
    /// True if links are one-way (Dragonfly with wiring sstmacro_legacy).
    bool is_one_way = false;

    [[nodiscard]] std::unique_ptr<tradewind::sim::Topology> make() const {
        return tradewind::sim::make_topology(topology, settings);
    }
};

inline std::string describe(const List& list) {
    std::string result;
    for (const auto value : list) result += (result.empty() ? "" : ",") + std::to_string(value);
    return result;
}

inline void add_grids(std::vector<NetworkCase>& cases) {
    const std::vector<List> shapes{{1},       {2},       {3},          {4},       {7},      {3, 4},
                                   {4, 4, 2}, {1, 5, 2}, {2, 2, 2, 2}, {5, 3, 4}, {6, 1, 3}};
    for (const auto& shape : shapes) {
        const Settings settings({{"extents", shape}, {"nodes_per_switch", std::int64_t{2}}});
        cases.push_back({"torus", settings, describe(shape)});
        cases.push_back({"hyperx", settings, describe(shape)});
    }
    cases.push_back({"star", Settings({{"nodes", std::int64_t{9}}}), "9"});
}

inline void add_leaf_and_spine(std::vector<NetworkCase>& cases) {
    using Whole = std::int64_t;
    const Settings two({{"leaf_switches", Whole{4}},
                        {"spine_switches", Whole{2}},
                        {"nodes_per_leaf", Whole{5}},
                        {"cables", Whole{3}},
                        {"switch_ports", Whole{12}}});
    cases.push_back({"fat_tree", two, "4 leaves, 2 spines, 3 cables"});
    const Settings three({{"leaf_switches", Whole{3}},
                          {"spine_switches", Whole{2}},
                          {"nodes_per_leaf", Whole{4}},
                          {"pods", Whole{3}},
                          {"core_switches", Whole{4}},
                          {"core_cables", Whole{2}}});
    cases.push_back({"fat_tree", three, "3 pods, 4 core switches"});
}

inline void add_trees(std::vector<NetworkCase>& cases) {
    for (const auto& [arity, levels] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {2, 1}, {2, 2}, {2, 4}, {3, 3}, {4, 2}, {1, 2}}) {
        cases.push_back({"fat_tree", Settings({{"arity", arity}, {"levels", levels}}),
                         describe({arity, levels})});
    }
    cases.push_back({"fat_tree",
                     Settings({{"arity", std::int64_t{2}},
                               {"levels", std::int64_t{3}},
                               {"nodes_per_switch", std::int64_t{5}}}),
                     "2,3 of 5 nodes"});
    add_leaf_and_spine(cases);
    const std::vector<std::vector<List>> trees{{{4, 4, 4}, {1, 4, 4}},
                                               {{3, 3, 6}, {1, 3, 3}},
                                               {{4, 4}, {1, 2}},
                                               {{2, 3, 4}, {1, 2, 3}},
                                               {{4, 4, 3}, {1, 2, 2}, {1, 2, 3}},
                                               {{3, 5}, {1, 1}, {1, 4}}};
    for (const auto& tree : trees) {
        Settings settings({{"children", tree[0]}, {"parents", tree[1]}});
        if (tree.size() > 2) settings.set("cables", tree[2]);
        cases.push_back({"xgft", settings, describe(tree[0]) + ";" + describe(tree[1])});
    }
}

inline void add_dragonflies(std::vector<NetworkCase>& cases) {
    struct Grid {
        List group;
        std::int64_t groups;
        std::int64_t links;
        std::string wiring;
    };
    const std::vector<Grid> grids{{{3, 2}, 4, 3, "full"},
                                  {{1, 1}, 5, 4, "full"},
                                  {{4, 3}, 1, 0, "full"},
                                  {{2, 1}, 3, 2, "full"},
                                  {{3, 3}, 7, 2, "symmetric"},
                                  {{4, 2}, 9, 2, "symmetric"},
                                  {{3, 4}, 25, 4, "symmetric"},
                                  {{5, 5}, 6, 4, "symmetric"},
                                  {{1, 4}, 5, 2, "symmetric"},
                                  {{2, 3}, 5, 2, "symmetric"},
                                  {{3, 2}, 5, 2, "sstmacro_legacy"},
                                  {{4, 4}, 4, 2, "symmetric"},
                                  {{3, 3}, 4, 6, "symmetric"},
                                  {{5, 5}, 5, 4, "sstmacro_legacy"},
                                  {{3, 3}, 7, 2, "sstmacro_legacy"},
                                  {{4, 3}, 5, 1, "sstmacro_legacy"},
                                  {{2, 6}, 8, 3, "sstmacro_legacy"}};
    for (const auto& grid : grids) {
        cases.push_back({"dragonfly",
                         Settings({{"group", grid.group},
                                   {"groups", grid.groups},
                                   {"global_links", grid.links},
                                   {"wiring", grid.wiring},
                                   {"nodes_per_switch", std::int64_t{2}}}),
                         describe(grid.group) + " x " + std::to_string(grid.groups) + " H " +
                             std::to_string(grid.links) + " " + grid.wiring,
                         grid.wiring == "sstmacro_legacy"});
    }
    for (const std::string arrangement : {"absolute", "relative"}) {
        for (const auto& [routers, links, groups] : std::vector<std::array<std::int64_t, 3>>{
                 {4, 2, 9}, {4, 2, 5}, {4, 2, 4}, {6, 1, 7}, {3, 4, 2}, {1, 3, 4}, {5, 2, 1}}) {
            cases.push_back({"dragonfly_canonical",
                             Settings({{"routers", routers},
                                       {"global_links", links},
                                       {"groups", groups},
                                       {"arrangement", arrangement}}),
                             describe({routers, links, groups}) + " " + arrangement});
        }
    }
}

inline std::vector<NetworkCase> all_cases() {
    std::vector<NetworkCase> cases;
    add_grids(cases);
    add_trees(cases);
    add_dragonflies(cases);
    return cases;
}

}  // namespace network_cases
