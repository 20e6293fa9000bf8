#include "tradewind/models/exchange_settings.hpp"

namespace tradewind {

namespace {

/// Returns what the tuning names for the messages.
[[nodiscard]] std::string tuned_exchange(const Settings& settings, const ExchangeUse& use) {
    for (const Declaration* const other : std::initializer_list<const Declaration*>{
             &exchange_settings::schedule, &exchange_settings::order, &options::protocol}) {
        if (!settings.has(other->name())) continue;
        throw ConfigError(text(use.program, ": ", other->key,
                               ": the tuning chooses it where the exchange is tuned"));
    }
    const Tuning tuning = need_tuning(settings);
    // The messages of a rank alone have no algorithm to choose.
    if (use.ranks == 1) return "";
    return tuning.pick(mesh_operation.name, use.ranks, use.average_message()).choice;
}

/// Replaces `value` by that of a setting, which must not contradict the name of an algorithm.
template <class Value>
void take(const Settings& settings, const ExchangeUse& use, const auto& setting,
          const MeshAlgorithm* named, Value& value) {
    const auto found = setting.find(settings);
    if (!found) return;
    if (named != nullptr && named->names_schedule && *found != value) {
        throw ConfigError(text(use.program, ": exchange = \"", named->name,
                               "\" contradicts the setting ", setting.key, "; give one of them"));
    }
    value = *found;
}

}  // namespace

MeshExchangeOptions read_exchange(const Settings& settings, const ExchangeUse& use) {
    std::string words = exchange_settings::exchange.of(settings, "");
    if (words == tuned) words = tuned_exchange(settings, use);
    const MeshAlgorithm* const named =
        words.empty() ? nullptr
                      : &mesh_algorithm_for(use.combination, words.substr(0, words.find(':')));
    MeshExchangeOptions exchange = read_mesh_options(words, use.combination);
    take(settings, use, exchange_settings::schedule, named, exchange.schedule);
    take(settings, use, exchange_settings::order, named, exchange.order);
    if (use.combination == MeshCombination::copy && exchange.order == MeshOrder::arrival) {
        throw ConfigError(text(use.program, ": exchange = \"", words,
                               "\" orders sums, but these messages are copied"));
    }
    if (use.overlaps && !overlaps_work(exchange)) {
        if (settings.has(exchange_settings::schedule.name()) ||
            (named != nullptr && named->names_schedule)) {
            const std::string given = named != nullptr ? text("exchange = \"", words, "\"")
                                                       : "schedule = \"synchronous\"";
            throw ConfigError(text(use.program,
                                   ": overlap = \"computation\" needs an exchange that "
                                   "works between send and receive, such as \"on_arrival\", not ",
                                   given));
        }
        exchange.schedule = MeshSchedule::on_arrival;
    }
    if (settings.has(options::protocol.name()))
        exchange.options.protocol = find_protocol(options::protocol.of(settings));
    check_mesh_options(exchange);
    return exchange;
}

std::vector<OperationUse> operations_of(const ExchangeUse& use, std::int64_t count) {
    if (use.ranks == 1) return {};
    return {{std::string(mesh_operation.name), use.ranks, use.average_message(), "", count,
             "exchange"}};
}

}  // namespace tradewind
