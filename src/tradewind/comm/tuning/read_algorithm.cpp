/// The reading of algorithms by name or from a tuning.
#include "tradewind/comm/tuning/read_algorithm.hpp"

#include "tradewind/comm/read_options.hpp"

namespace tradewind {

namespace {

[[nodiscard]] std::string named_algorithm(const Settings& settings, const Operation& operation) {
    return algorithm_settings::algorithm.of(settings, std::string(operation.default_algorithm));
}

}  // namespace

Tuning need_tuning(const Settings& settings) {
    const std::string tuning = algorithm_settings::tuning.of(settings);
    return tuning.find('\n') == std::string::npos ? Tuning::load(tuning) : Tuning::parse(tuning);
}

std::optional<Tuning> read_tuning(const Settings& settings) {
    if (algorithm_settings::algorithm.of(settings, "") != tuned) return {};
    for (const Declaration* const option : options::all) {
        if (settings.has(option->name()))
            throw ConfigError(
                text(option->key, ": the tuning chooses it where the algorithm is tuned"));
    }
    return need_tuning(settings);
}

Choice<AlltoallvAlgorithm> read_alltoallv(const Settings& settings, Rank ranks, Bytes block) {
    if (const auto tuning = read_tuning(settings)) return tuning->alltoallv(ranks, block);
    const auto& algorithm = alltoallv_algorithm(named_algorithm(settings, alltoallv_operation));
    return {&algorithm, read_options(settings, algorithm)};
}

Choice<AllreduceAlgorithm> read_allreduce(const Settings& settings, Rank ranks, Bytes vector) {
    if (const auto tuning = read_tuning(settings)) return tuning->allreduce(ranks, vector);
    const auto& algorithm = allreduce_algorithm(named_algorithm(settings, allreduce_operation));
    return {&algorithm, read_options(settings, algorithm)};
}

Choice<NeighborAlgorithm> read_neighbor(const Settings& settings, Rank ranks, Bytes message) {
    Choice<NeighborAlgorithm> choice;
    if (const auto tuning = read_tuning(settings)) {
        choice = tuning->neighbor(ranks, message);
    } else {
        choice.algorithm = &neighbor_algorithm(named_algorithm(settings, neighbor_operation));
        choice.options = read_options(settings, *choice.algorithm);
    }
    if (choice.algorithm->prepare != nullptr) {
        throw ConfigError(text("neighbor: ", choice.algorithm->name,
                               " needs a connection to the neighbours, which programs do not "
                               "keep"));
    }
    return choice;
}

std::vector<std::string> tuning_remarks(const Tuning& tuning, std::span<const OperationUse> uses) {
    std::vector<std::string> remarks;
    for (const OperationUse& use : uses) {
        const TunedCase& found = tuning.pick(use.operation, use.ranks, use.bytes);
        if (found.ranks == use.ranks) continue;
        const auto remark =
            text(use.operation, " on ", use.ranks, " ranks was not tuned: ", found.algorithm,
                 " is taken from ", found.ranks, " ranks");
        if (std::ranges::find(remarks, remark) == remarks.end()) remarks.push_back(remark);
    }
    return remarks;
}

}  // namespace tradewind
