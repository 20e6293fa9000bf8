/// The parser of the options of an exchange, and the list of all choices.
#include "tradewind/comm/mesh/mesh_options.hpp"

#include "tradewind/base/settings_text.hpp"
#include "tradewind/comm/choice.hpp"

namespace tradewind {

MeshExchangeOptions read_mesh_options(std::string_view words, MeshCombination combination) {
    const Settings settings = words.empty() ? Settings{} : read_settings(pieces_of_choice(words));
    refuse_unknown("mesh exchange", settings, {mesh_options::all});
    MeshExchangeOptions result;
    result.combination = combination;
    result.schedule = mesh_options::schedule.of(settings);
    result.order = mesh_options::summation.of(settings);
    result.algorithm = mesh_options::algorithm.of(settings, "");
    result.options.protocol = find_protocol(options::protocol.of(settings));
    check_mesh_options(result);
    return result;
}

const std::vector<std::string>& mesh_choices() {
    static const std::vector<std::string> choices = [] {
        std::vector<std::string> all{"schedule=synchronous", "schedule=on_arrival",
                                     "schedule=on_arrival,summation=arrival"};
        for (const NeighborAlgorithm& algorithm : neighbor_algorithms())
            all.push_back(text("algorithm=", algorithm.name));
        return all;
    }();
    return choices;
}

}  // namespace tradewind
