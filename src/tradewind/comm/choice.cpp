/// The parser of the text of a choice.
#include "tradewind/comm/choice.hpp"

#include <algorithm>
#include <vector>

#include "tradewind/base/settings_text.hpp"

namespace tradewind {

std::vector<std::string> pieces_of_choice(std::string_view words) {
    std::vector<std::string> pieces(1);
    int depth = 0;
    for (const char c : words) {
        if (c == ' ') continue;
        if (c == '(') ++depth;
        if (c == ')') --depth;
        if (c == ',' && depth == 0) {
            pieces.emplace_back();
        } else {
            pieces.back() += c;
        }
    }
    return pieces;
}

ChoiceText read_choice(std::string_view given) {
    std::string words(given);
    std::erase(words, ' ');
    const auto colon = words.find(':');
    ChoiceText choice{words.substr(0, colon), {}};
    if (colon == std::string::npos) return choice;
    const std::vector<std::string> pieces =
        pieces_of_choice(std::string_view(words).substr(colon + 1));
    choice.settings = read_settings(pieces);
    for (const auto& [key, value] : choice.settings.values()) {
        if (std::ranges::find(options::all, key, &Declaration::key) != std::end(options::all))
            continue;
        std::string known;
        for (const Declaration* const option : options::all)
            known += text(known.empty() ? "" : ", ", option->key);
        throw ConfigError(text("there is no option '", key, "'; known are: ", known));
    }
    return choice;
}

}  // namespace tradewind
