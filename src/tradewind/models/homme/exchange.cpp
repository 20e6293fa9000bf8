/// Reads the exchange, and says for a tuning how large its messages are.
#include "tradewind/models/homme/exchange.hpp"

#include <algorithm>
#include <set>

#include "tradewind/models/exchange_settings.hpp"

namespace tradewind::homme {

namespace {

/// Returns the average bytes of a message of rank 0, in which the prognostic fields are.
[[nodiscard]] Bytes average_message(const HommePlan& plan) {
    const MeshPart part = part_of(plan.mesh, plan.partition, 0, plan.rule.count(),
                                  plan.connectivity, ReceivedAs::own_points);
    std::set<Rank> neighbors;
    std::int64_t points = 0;
    for (const std::int64_t item : part.items) {
        for (const ItemShare& share : part.shares(item)) {
            const Rank owner = part.owner(share.item);
            if (owner == 0) continue;
            neighbors.insert(owner);
            points += std::int64_t(share.sends.size());
        }
    }
    const Bytes all = points * std::int64_t(plan.fields()) * plan.layers * Bytes(sizeof(double));
    return all / std::max<Bytes>(Bytes(neighbors.size()), 1);
}

/// Returns the use of the exchange: spectral elements add what arrives, discontinuous Galerkin
/// keeps it beside its own.
[[nodiscard]] ExchangeUse use_of(const HommePlan& plan) {
    const bool is_se = plan.method == Discretisation::spectral_elements;
    return {"homme", is_se ? MeshCombination::sum : MeshCombination::copy, plan.ranks(),
            [&plan] { return average_message(plan); }, plan.overlaps};
}

}  // namespace

void read_exchange(const Settings& settings, HommePlan& plan) {
    plan.exchange = tradewind::read_exchange(settings, use_of(plan));
}

std::vector<OperationUse> operations(const Settings& settings, Rank ranks) {
    const auto plan = make_plan(settings, ranks);
    return operations_of(use_of(*plan), plan->steps);
}

}  // namespace tradewind::homme
