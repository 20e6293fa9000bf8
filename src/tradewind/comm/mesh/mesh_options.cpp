/// The parser of the options of an exchange, and the list of all choices.
#include "tradewind/comm/mesh/mesh_options.hpp"

#include "tradewind/base/settings_text.hpp"
#include "tradewind/comm/choice.hpp"
#include "tradewind/comm/mesh/mesh_algorithms.hpp"

namespace tradewind {

namespace {

/// Reports whether the text begins with a name, and not with a key.
[[nodiscard]] bool begins_with_name(std::string_view words) {
    const auto end = words.find_first_of(":=");
    return !words.empty() && (end == std::string_view::npos || words[end] == ':');
}

[[nodiscard]] MeshExchangeOptions read_named(std::string_view words, MeshCombination combination) {
    const ChoiceText parts = read_choice(words);
    const MeshAlgorithm& algorithm = mesh_algorithm_for(combination, parts.name);
    if (parts.settings.has("radix")) throw ConfigError(text(algorithm.name, " has no radix"));
    MeshExchangeOptions result;
    result.schedule = algorithm.schedule;
    result.order = algorithm.order;
    result.algorithm = std::string(algorithm.carrier);
    result.options = read_options(parts.settings, algorithm);
    return result;
}

[[nodiscard]] MeshExchangeOptions read_single(std::string_view words) {
    const Settings settings = words.empty() ? Settings{} : read_settings(pieces_of_choice(words));
    refuse_unknown("mesh exchange", settings, {mesh_options::all});
    MeshExchangeOptions result;
    result.schedule = mesh_options::schedule.of(settings);
    result.order = mesh_options::summation.of(settings);
    result.algorithm = mesh_options::algorithm.of(settings, "");
    result.options.protocol = find_protocol(options::protocol.of(settings));
    return result;
}

}  // namespace

MeshExchangeOptions read_mesh_options(std::string_view words, MeshCombination combination) {
    MeshExchangeOptions result =
        begins_with_name(words) ? read_named(words, combination) : read_single(words);
    result.combination = combination;
    check_mesh_options(result);
    return result;
}

std::vector<std::string> mesh_choices(bool has_library) {
    std::vector<std::string> all;
    for (const MeshAlgorithm& algorithm : mesh_algorithms()) all.push_back(algorithm.name);
    if (!has_library) return all;
    for (const MeshAlgorithm& algorithm : mesh_natives()) all.push_back(algorithm.name);
    return all;
}

}  // namespace tradewind
