/// Fat trees by the words of data sheets: k-ary n-trees, and leaf, spine and core switches.
#include <algorithm>
#include <array>

#include "tradewind/sim/topology/catalogue.hpp"
#include "tradewind/sim/topology/shape.hpp"
#include "tradewind/sim/topology/xgft.hpp"

namespace tradewind::sim {

namespace {

constexpr auto arity =
    declare::whole("arity", "k, ports up and ports down of a switch; none: leaf_switches ...")
        .within(1, double(largest_number));
constexpr auto levels =
    declare::whole("levels", "n, levels of switches; none: leaf_switches ...").within(1, 16);

/// Declares a number of switches, nodes or cables of a tree of leaf and spine switches.
constexpr WholeSetting count(std::string_view key, std::string_view meaning) {
    return declare::whole(key, meaning).within(1, double(largest_number));
}
constexpr auto leaf_switches =
    count("leaf_switches", "leaf switches, of a pod if there are pods; none: arity ...");
constexpr auto spine_switches =
    count("spine_switches", "spine switches, of a pod if there are pods; none: arity ...");
constexpr auto nodes_per_leaf = count("nodes_per_leaf", "nodes of a leaf switch; none: arity ...");
constexpr auto cables = count("cables", "cables between a leaf and each of its spines; none: 1");
constexpr auto pods = count("pods", "pods of leaf and spine switches; none: no core switches");
constexpr auto core_switches =
    count("core_switches",
          "core switches of all pods, shared out evenly among the spines; none: no pods");
constexpr auto core_cables =
    count("core_cables", "cables between a spine and each of its core switches; none: 1");
constexpr auto switch_ports =
    count("switch_ports", "ports that a switch has for nodes and cables; none: not checked");
constexpr const Declaration* settings_of_fat_tree[] = {
    &nodes_per_switch, &arity, &levels,        &leaf_switches, &spine_switches, &nodes_per_leaf,
    &cables,           &pods,  &core_switches, &core_cables,   &switch_ports};

constexpr const Declaration* settings_of_k_ary[] = {&nodes_per_switch, &arity, &levels};
constexpr const Declaration* settings_of_pods[] = {&pods, &core_switches, &core_cables};

template <std::size_t size>
bool has_any(const Settings& settings, const Declaration* const (&declared)[size]) {
    return std::ranges::any_of(declared,
                               [&](const Declaration* one) { return settings.has(one->name()); });
}

/// Throws an error that names the setting unless it is there.
void need(const Declaration& declared, const Settings& settings, const std::string& why) {
    if (settings.has(declared.name())) return;
    throw TopologyError(text("fat_tree: ", declared.key, " is missing: ", why));
}

/// Makes the k-ary n-tree: n k^(n-1) switches of k ports down and k up.
Xgft::Arities k_ary(const Settings& settings) {
    const std::string why =
        "give arity and levels, or leaf_switches, spine_switches and nodes_per_leaf";
    need(arity, settings, why);
    need(levels, settings, why);
    const std::int32_t ports = small(arity, settings);
    const auto number = std::size_t(levels.of(settings));
    Xgft::Arities arities{std::vector<std::int32_t>(number, ports),
                          std::vector<std::int32_t>(number, ports),
                          std::vector<std::int32_t>(number, 1)};
    arities.children[0] = NodeId(nodes_per_switch.of(settings, ports));
    arities.parents[0] = 1;
    return arities;
}

/// Adds the level of core switches. A spine switch has cables to an equal share of them.
void add_core(const Settings& settings, Xgft::Arities& arities) {
    const std::string why = "a tree with pods has pods and core_switches";
    need(pods, settings, why);
    need(core_switches, settings, why);
    const std::int32_t spines = arities.parents[1];
    const std::int32_t cores = small(core_switches, settings);
    if (cores % spines != 0) {
        throw TopologyError(text("fat_tree: core_switches = ", cores,
                                 " cannot be shared out evenly among spine_switches = ", spines));
    }
    arities.children.push_back(small(pods, settings));
    arities.parents.push_back(cores / spines);
    arities.cables.push_back(std::int32_t(core_cables.of(settings, 1)));
}

/// Throws an error that names the kind of switch if one needs more ports than it has.
void check_ports(const Settings& settings, const Xgft::Arities& arities) {
    constexpr std::array names{"leaf", "spine", "core"};
    const auto has = switch_ports.find(settings);
    for (std::size_t level = 0; has && level < arities.children.size(); ++level) {
        const std::int64_t down = std::int64_t{arities.children[level]} * arities.cables[level];
        const bool is_top = level + 1 == arities.children.size();
        const std::int64_t up =
            is_top ? 0 : std::int64_t{arities.parents[level + 1]} * arities.cables[level + 1];
        if (down + up <= *has) continue;
        throw TopologyError(text("fat_tree: a ", names[level], " switch needs ", down + up,
                                 " ports (", down, " down, ", up,
                                 " up), more than switch_ports = ", *has));
    }
}

/// Makes a tree of leaf and spine switches, and of core switches where there are pods.
Xgft::Arities leaf_and_spine(const Settings& settings) {
    if (has_any(settings, settings_of_k_ary)) {
        throw TopologyError(
            "fat_tree: arity, levels and nodes_per_switch describe another tree than "
            "leaf_switches, spine_switches and nodes_per_leaf; give one of the two");
    }
    const std::string why =
        "a tree of leaf and spine switches has leaf_switches, spine_switches and nodes_per_leaf";
    for (const auto* const needed : {&leaf_switches, &spine_switches, &nodes_per_leaf})
        need(*needed, settings, why);
    Xgft::Arities arities{{small(nodes_per_leaf, settings), small(leaf_switches, settings)},
                          {1, small(spine_switches, settings)},
                          {1, std::int32_t(cables.of(settings, 1))}};
    if (has_any(settings, settings_of_pods)) add_core(settings, arities);
    check_ports(settings, arities);
    return arities;
}

///     leaf_switches = 3, spine_switches = 2, nodes_per_leaf = 4, cables = 1
///
///     spine                3         4           each leaf to each spine: 12 nodes share 6
///                         /|\       /|\          cables up, 2:1 oversubscribed
///     leaf               0     1     2
///                      ////  ////  ////
///     nodes            0..3  4..7  8..11
///
/// Each of the `pods` is such a tree. Spine number j of every pod has cables to the same
/// core_switches / spine_switches core switches.
std::unique_ptr<Topology> make_fat_tree(const Settings& settings) {
    constexpr const Declaration* of_leaves[] = {&leaf_switches, &spine_switches, &nodes_per_leaf,
                                                &cables,        &pods,           &core_switches,
                                                &core_cables,   &switch_ports};
    return std::make_unique<Xgft>(has_any(settings, of_leaves) ? leaf_and_spine(settings)
                                                               : k_ary(settings));
}

}  // namespace

extern const TopologyEntry fat_tree_entry;
constinit const TopologyEntry fat_tree_entry = {"fat_tree",
                                                "k-ary n-tree, or leaf, spine and core switches",
                                                settings_of_fat_tree, make_fat_tree, "d_mod_k"};

}  // namespace tradewind::sim
