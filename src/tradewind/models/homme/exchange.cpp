/// Reads the exchange, and says for a tuning how large its messages are.
#include "tradewind/models/homme/exchange.hpp"

#include <algorithm>
#include <set>

#include "tradewind/comm/mesh/mesh_algorithms.hpp"
#include "tradewind/models/homme/settings.hpp"

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

/// Returns what the tuning names for the messages of the plan.
[[nodiscard]] std::string tuned_exchange(const Settings& settings, const HommePlan& plan) {
    for (const Declaration* const other : std::initializer_list<const Declaration*>{
             &given::schedule, &given::order, &options::protocol}) {
        if (settings.has(other->name()))
            throw ConfigError(
                text("homme: ", other->key, ": the tuning chooses it where the exchange is tuned"));
    }
    const Tuning tuning = need_tuning(settings);
    // The messages of a rank alone have no algorithm to choose.
    if (plan.ranks() == 1) return "";
    return tuning.pick(mesh_operation.name, plan.ranks(), average_message(plan)).choice;
}

/// Replaces `value` by that of a setting, which must not contradict the name of an algorithm.
template <class Value>
void take(const Settings& settings, const auto& setting, const MeshAlgorithm* named, Value& value) {
    const auto found = setting.find(settings);
    if (!found) return;
    if (named != nullptr && named->names_schedule && *found != value) {
        throw ConfigError(text("homme: exchange = \"", named->name, "\" contradicts the setting ",
                               setting.key, "; give one of them"));
    }
    value = *found;
}

}  // namespace

void read_exchange(const Settings& settings, HommePlan& plan) {
    std::string words = given::exchange.of(settings, "");
    if (words == tuned) words = tuned_exchange(settings, plan);
    const MeshAlgorithm* const named =
        words.empty() ? nullptr : &mesh_algorithm(words.substr(0, words.find(':')));
    MeshExchangeOptions& exchange = plan.exchange;
    exchange = read_mesh_options(words, MeshCombination::sum);
    take(settings, given::schedule, named, exchange.schedule);
    take(settings, given::order, named, exchange.order);
    const bool is_se = plan.method == Discretisation::spectral_elements;
    if (!is_se && exchange.order == MeshOrder::arrival) {
        throw ConfigError(text("homme: exchange = \"", words,
                               "\" orders sums, which method = \"dg\" does not have"));
    }
    if (plan.overlaps && !overlaps_work(exchange)) {
        if (settings.has(given::schedule.name()) || (named != nullptr && named->names_schedule))
            throw ConfigError("homme: overlap = \"computation\" needs schedule = \"on_arrival\"");
        exchange.schedule = MeshSchedule::on_arrival;
    }
    if (settings.has(options::protocol.name()))
        exchange.options.protocol = find_protocol(options::protocol.of(settings));
    check_mesh_options(exchange);
}

std::vector<OperationUse> operations(const Settings& settings, Rank ranks) {
    const auto plan = make_plan(settings, ranks);
    if (ranks == 1) return {};
    return {{std::string(mesh_operation.name), ranks, average_message(*plan), "", plan->steps,
             "exchange"}};
}

}  // namespace tradewind::homme
