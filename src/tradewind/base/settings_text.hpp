/// Settings read from words such as `grid=[64,32,16]`, `algorithm=ring_k`, `radix=4`.
#pragma once

#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tradewind/base/settings.hpp"

namespace tradewind {

/// Returns a word without blanks at its ends.
[[nodiscard]] inline std::string_view trimmed(std::string_view word) {
    const auto is_blank = [](char letter) { return letter == ' ' || letter == '\t'; };
    while (!word.empty() && is_blank(word.front())) word.remove_prefix(1);
    while (!word.empty() && (is_blank(word.back()) || word.back() == '\r')) word.remove_suffix(1);
    return word;
}

/// Reports whether the whole of `word` is a number, and stores that number in `value`.
template <class Number>
[[nodiscard]] bool read_number(std::string_view word, Number& value) {
    const char* const end = word.data() + word.size();
    const auto result = std::from_chars(word.data(), end, value);
    return result.ec == std::errc() && result.ptr == end;
}

/// Returns the whole numbers in a word such as "[1,2,3]".
[[nodiscard]] inline std::vector<std::int64_t> read_list(std::string_view word) {
    const std::string_view all = word;
    std::vector<std::int64_t> numbers;
    word = word.substr(1, word.size() - 2);
    while (!word.empty()) {
        const auto comma = std::min(word.find(','), word.size());
        numbers.emplace_back();
        if (!read_number(word.substr(0, comma), numbers.back())) {
            throw ConfigError(text('"', all, "\" is no list of whole numbers such as [8,4,2]"));
        }
        word.remove_prefix(std::min(comma + 1, word.size()));
    }
    return numbers;
}

/// Converts a word to a truth value, a whole or real number or a list of whole numbers if it is
/// one, and otherwise to text.
[[nodiscard]] inline Settings::Value read_value(std::string_view word) {
    if (word == "true" || word == "false") return word == "true";
    if (word.size() >= 2 && word.front() == '[' && word.back() == ']') return read_list(word);
    if (std::int64_t whole = 0; read_number(word, whole)) return whole;
    if (double real = 0.0; read_number(word, real)) return real;
    return std::string(word);
}

[[nodiscard]] inline Settings read_settings(std::span<const std::string> words) {
    Settings settings;
    for (const std::string& word : words) {
        const auto equals = word.find('=');
        if (equals == std::string::npos || equals == 0) {
            throw ConfigError(text('"', word, "\" is not of the form key=value"));
        }
        settings.set(word.substr(0, equals), read_value(std::string_view(word).substr(equals + 1)));
    }
    return settings;
}

}  // namespace tradewind
