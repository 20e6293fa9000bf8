/// Choice: an algorithm and its options from one line of text such as
/// "ring_k:radix=4,protocol=(1,6)".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tradewind/comm/catalogue.hpp"
#include "tradewind/comm/read_options.hpp"

namespace tradewind {

template <class Algorithm>
struct Choice {
    const Algorithm* algorithm = nullptr;
    Options options;
};

/// The two parts of the text.
struct ChoiceText {
    std::string name;
    Settings settings;
};

/// Splits a text at the commas outside parentheses, without its blanks.
[[nodiscard]] std::vector<std::string> pieces_of_choice(std::string_view words);
/// Parses NAME or NAME:KEY=VALUE,...; commas in parentheses belong to the value, blanks are
/// ignored. Throws ConfigError unless each key is an option of algorithms.
[[nodiscard]] ChoiceText read_choice(std::string_view words);

/// Returns the entry of `table` that `words` names, with its options; throws ConfigError if the
/// name or an option is wrong.
template <class Algorithm>
[[nodiscard]] Choice<Algorithm> choose(std::span<const Algorithm> table, std::string_view operation,
                                       std::string_view words) {
    try {
        const ChoiceText parts = read_choice(words);
        const Algorithm& algorithm = find_algorithm(table, operation, parts.name);
        if (parts.settings.has("radix") && algorithm.smallest_radix == 0)
            throw ConfigError(text(algorithm.name, " has no radix"));
        return {&algorithm, read_options(parts.settings, algorithm)};
    } catch (const ConfigError& error) {
        if (words.find(':') == std::string_view::npos) throw;
        throw ConfigError(text('"', words, "\": ", error.what()));
    }
}

}  // namespace tradewind
