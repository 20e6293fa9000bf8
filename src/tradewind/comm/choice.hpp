/// Choice: an algorithm and its options from one line of text: "ring_k:radix=4,protocol=(1,6)".
#pragma once

#include <string>
#include <string_view>

#include "tradewind/base/settings.hpp"
#include "tradewind/comm/catalogue.hpp"
#include "tradewind/comm/options.hpp"

namespace tradewind {

template <class Algorithm>
struct Choice {
    const Algorithm* algorithm = nullptr;
    Options options;
};

/// The two halves of the text.
struct ChoiceText {
    std::string name;
    Settings settings;
};

/// NAME or NAME:KEY=VALUE,...; commas in parentheses belong to the value, blanks are ignored.
/// Throws ConfigError unless each key is one of radix, window and protocol.
[[nodiscard]] ChoiceText read_choice(std::string_view words);

/// Options from "radix", "window" and "protocol"; the algorithm's own bounds and default apply to
/// the radix. Throws ConfigError.
template <class Algorithm>
[[nodiscard]] Options read_options(const Settings& settings, const Algorithm& algorithm) {
    constexpr std::int64_t large = std::int64_t{1} << 30;
    const bool has_radix = algorithm.smallest_radix > 0;
    Options options;
    options.radix = settings.whole("radix", has_radix ? algorithm.default_radix : options.radix,
                                   has_radix ? algorithm.smallest_radix : 1, large);
    options.window = settings.whole("window", options.window, 1, large);
    options.protocol = find_protocol(settings.get<std::string>("protocol", "default"));
    bool has_protocols = false;
    if constexpr (requires { algorithm.has_protocols; }) has_protocols = algorithm.has_protocols;
    if (!has_protocols) require_default(options.protocol, algorithm.name);
    return options;
}

/// The entry of `table` that `words` names, with its options; ConfigError that names the operation.
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
