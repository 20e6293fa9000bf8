/// Makes the table of the mesh exchange from its schedules and the table of neighbor.
#include "tradewind/comm/mesh/mesh_algorithms.hpp"

#include <algorithm>
#include <vector>

#include "tradewind/comm/catalogue.hpp"
#include "tradewind/comm/neighbor/neighbor.hpp"

namespace tradewind {

namespace {

struct ScheduleEntry {
    std::string_view name;
    std::string_view summary;
    MeshSchedule schedule;
    MeshOrder order;
};
constexpr ScheduleEntry schedules[] = {
    {"synchronous", "pack all, exchange, unpack all", MeshSchedule::synchronous, MeshOrder::fixed},
    {"on_arrival", "pack and unpack each message as it goes and comes, sums in fixed order",
     MeshSchedule::on_arrival, MeshOrder::fixed},
    {"sum_on_arrival", "the same, sums in the order of arrival", MeshSchedule::on_arrival,
     MeshOrder::arrival},
    {"in_order", "pack and send each, then receive and unpack one after the other",
     MeshSchedule::in_order, MeshOrder::fixed},
};

/// Returns every schedule by isend and irecv, then what carriers add.
[[nodiscard]] std::vector<MeshAlgorithm> make_table() {
    std::vector<MeshAlgorithm> table;
    for (const ScheduleEntry& one : schedules) {
        table.push_back(
            {std::string(one.name), std::string(one.summary), one.schedule, one.order, "", true});
    }
    for (const NeighborAlgorithm& carrier : neighbor_algorithms()) {
        for (const ScheduleEntry& one : schedules) {
            if (!carrier.is_persistent || one.schedule != MeshSchedule::on_arrival) continue;
            table.push_back({text(one.name, ".", carrier.name),
                             text(one.summary, "; persistent requests"), one.schedule, one.order,
                             carrier.name, true});
        }
        table.push_back({std::string(carrier.name), text("synchronous: ", carrier.summary),
                         MeshSchedule::synchronous, MeshOrder::fixed, carrier.name, false,
                         carrier.has_protocols});
    }
    return table;
}

[[nodiscard]] std::vector<MeshAlgorithm> make_natives() {
    std::vector<MeshAlgorithm> natives;
    for (const NeighborAlgorithm& carrier : neighbor_natives()) {
        natives.push_back({std::string(carrier.name), text("synchronous: ", carrier.summary),
                           MeshSchedule::synchronous, MeshOrder::fixed, carrier.name});
    }
    return natives;
}

}  // namespace

std::span<const MeshAlgorithm> mesh_algorithms() {
    static const std::vector<MeshAlgorithm> table = make_table();
    return table;
}

std::span<const MeshAlgorithm> mesh_natives() {
    static const std::vector<MeshAlgorithm> natives = make_natives();
    return natives;
}

const MeshAlgorithm& mesh_algorithm_for(MeshCombination combination, std::string_view name) {
    for (const auto& table : {mesh_algorithms(), mesh_natives()}) {
        const auto found = std::ranges::find(table, name, &MeshAlgorithm::name);
        if (found != table.end()) return *found;
    }
    refuse_algorithm<MeshAlgorithm>({mesh_algorithms(), mesh_natives()}, mesh_operation.name, name,
                                    [&](const MeshAlgorithm& algorithm) {
                                        return combination != MeshCombination::copy ||
                                               algorithm.order != MeshOrder::arrival;
                                    });
}

}  // namespace tradewind
