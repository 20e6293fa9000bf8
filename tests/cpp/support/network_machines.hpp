/// Networks with at least 16 nodes, each topology of the table with each rule that fits it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tradewind/sim/routing/catalogue.hpp"
#include "tradewind/sim/topology/catalogue.hpp"

namespace support {

using tradewind::Settings;

struct NetworkMachine {
    std::string topology;
    Settings shape;
    std::string rule;
};

inline std::vector<NetworkMachine> network_shapes() {
    using List = std::vector<std::int64_t>;
    using Whole = std::int64_t;
    return {{"torus", Settings({{"extents", List{4, 3, 2}}}), {}},
            {"hyperx", Settings({{"extents", List{3, 4}}, {"nodes_per_switch", Whole{2}}}), {}},
            {"star", Settings({{"nodes", Whole{17}}}), {}},
            {"fat_tree", Settings({{"arity", Whole{4}}, {"levels", Whole{2}}}), {}},
            {"xgft", Settings({{"children", List{2, 3, 4}}, {"parents", List{1, 2, 3}}}), {}},
            {"dragonfly",
             Settings({{"group", List{3, 2}},
                       {"groups", Whole{4}},
                       {"global_links", Whole{3}},
                       {"wiring", std::string("full")}}),
             {}},
            {"dragonfly_canonical",
             Settings({{"routers", Whole{4}}, {"global_links", Whole{2}}, {"groups", Whole{9}}}),
             {}}};
}

inline std::vector<NetworkMachine> network_machines() {
    std::vector<NetworkMachine> machines;
    for (const auto& [name, shape, unused] : network_shapes()) {
        const auto topology = tradewind::sim::make_topology(name, shape);
        for (const auto* const rule : tradewind::sim::routings()) {
            if (!rule->make(*topology, {})) continue;
            machines.push_back({name, shape, std::string(rule->name)});
        }
    }
    return machines;
}

}  // namespace support
