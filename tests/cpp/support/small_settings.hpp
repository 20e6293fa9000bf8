/// Settings of a small run of any program in the table.
#pragma once

#include <algorithm>
#include <fstream>

#include "support/folder.hpp"
#include "support/small_trace.hpp"
#include "support/wave_mesh.hpp"
#include "tradewind/program/entry.hpp"

namespace tradewind {

/// Returns the path of an edge list of two ranks, which is written once.
inline std::string path_of_small_graph() {
    static const support::Folder folder;
    static const std::string path = [] {
        const std::string name = folder.path() / "edges.txt";
        std::ofstream(name) << "0 1 100\n1 0 50\n0 1 7\n";
        return name;
    }();
    return path;
}

/// Returns a value for every setting without a default: 38 x 29 x 31 points of a grid, a mesh of
/// 162 cells, a trace of `ranks` ranks, and whole numbers of at most 64.
inline Settings small_settings(const ProgramEntry& entry, Rank ranks = 4) {
    Settings settings;
    for (const Declaration* const declared : entry.settings) {
        if (!declared->is_required) continue;
        if (declared->type == SettingType::whole_list) {
            constexpr std::int64_t extents[] = {38, 29, 31};
            settings.set(declared->name(),
                         std::vector<std::int64_t>(extents, extents + declared->length[0]));
        } else if (declared->type == SettingType::whole || declared->type == SettingType::size) {
            settings.set(declared->name(),
                         std::int64_t(std::clamp(64.0, declared->low, declared->high)));
        }
    }
    if (entry.declares("mesh")) settings.set("mesh", support::path_of_small_mesh());
    if (entry.declares("graph")) settings.set("graph", path_of_small_graph());
    if (entry.declares("trace")) settings.set("trace", support::path_of_small_trace(ranks));
    if (entry.declares("truncation")) settings.set("truncation", std::int64_t{42});
    if (entry.declares("ne")) settings.set("ne", std::int64_t{4});
    if (entry.declares("width")) settings.set("width", std::int64_t{5});
    if (entry.declares("total_time")) settings.set("total_time", std::int64_t{1'000'000});
    return settings;
}

}  // namespace tradewind
