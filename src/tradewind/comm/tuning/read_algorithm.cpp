/// The reading of algorithms by name or from a tuning.
#include "tradewind/comm/tuning/read_algorithm.hpp"

#include "tradewind/comm/read_options.hpp"

namespace tradewind {

Tuning need_tuning(const Settings& settings) {
    const auto tuning = settings.need<std::string>("tuning");
    return tuning.find('\n') == std::string::npos ? Tuning::load(tuning) : Tuning::parse(tuning);
}

std::optional<Tuning> read_tuning(const Settings& settings) {
    if (settings.get<std::string>("algorithm", "") != tuned) return {};
    for (const char* key : {"radix", "window", "protocol", "transport"}) {
        if (settings.has(key))
            throw ConfigError(text(key, ": the tuning chooses it if the algorithm is \"tuned\""));
    }
    return need_tuning(settings);
}

Choice<AlltoallvAlgorithm> read_alltoallv(const Settings& settings, Rank ranks, Bytes block) {
    if (const auto tuning = read_tuning(settings)) return tuning->alltoallv(ranks, block);
    const auto& algorithm = alltoallv_algorithm(settings.get<std::string>("algorithm", "ring_k"));
    return {&algorithm, read_options(settings, algorithm)};
}

Choice<AllreduceAlgorithm> read_allreduce(const Settings& settings, Rank ranks, Bytes vector) {
    if (const auto tuning = read_tuning(settings)) return tuning->allreduce(ranks, vector);
    const auto& algorithm =
        allreduce_algorithm(settings.get<std::string>("algorithm", "recursive_k"));
    return {&algorithm, read_options(settings, algorithm)};
}

Choice<NeighborAlgorithm> read_neighbor(const Settings& settings, Rank ranks, Bytes message) {
    Choice<NeighborAlgorithm> choice;
    if (const auto tuning = read_tuning(settings)) {
        choice = tuning->neighbor(ranks, message);
    } else {
        choice.algorithm = &neighbor_algorithm(settings.get<std::string>("algorithm", "burst"));
        choice.options = read_options(settings, *choice.algorithm);
    }
    if (choice.algorithm->needs_window) {
        throw ConfigError(text("neighbor: ", choice.algorithm->name,
                               " needs a window into the receive buffer, which programs do not "
                               "have"));
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
