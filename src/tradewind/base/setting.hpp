/// Declarations of settings: key, type, default, range, choices and meaning of each, in one place
/// beside the code that reads it.
///
///     constexpr auto repeat = declare::whole("repeat", "runs of the program, one after the other", 1)
///                                 .within(1, largest_count);
///     ...
///     plan.repeat = repeat.of(settings);
///
/// The declarations of a program form its schema, which Python reads to check input files.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tradewind/base/settings.hpp"
#include "tradewind/base/whole_numbers.hpp"

namespace tradewind {

/// The type of a setting; quantities are stored in base units: ps, bytes, bytes/s, operations/s,
/// ps per byte. A file is a word, the path of a file that input files name from their own folder.
enum class SettingType : std::uint8_t {
    truth,
    whole,
    real,
    word,
    whole_list,
    size,
    duration,
    rate,
    flop_rate,
    time_per_byte,
    file
};

/// The default of a setting: none, or a value of one of four types. A variant would do but for
/// clang, which cannot assign to one of libstdc++ 12 in a constant expression.
class DefaultValue {
public:
    constexpr DefaultValue() = default;
    constexpr DefaultValue(bool value) : type_(ValueType::truth), truth_(value) {}
    constexpr DefaultValue(std::int64_t value) : type_(ValueType::whole), whole_(value) {}
    constexpr DefaultValue(double value) : type_(ValueType::real), real_(value) {}
    constexpr DefaultValue(std::string_view value) : type_(ValueType::word), word_(value) {}

    /// Returns the value, or null if there is none of this type.
    template <class Value>
    [[nodiscard]] constexpr const Value* get_if() const {
        if constexpr (std::is_same_v<Value, bool>)
            return type_ == ValueType::truth ? &truth_ : nullptr;
        if constexpr (std::is_same_v<Value, std::int64_t>)
            return type_ == ValueType::whole ? &whole_ : nullptr;
        if constexpr (std::is_same_v<Value, double>)
            return type_ == ValueType::real ? &real_ : nullptr;
        if constexpr (std::is_same_v<Value, std::string_view>)
            return type_ == ValueType::word ? &word_ : nullptr;
    }

private:
    enum class ValueType : std::uint8_t { none, truth, whole, real, word };
    ValueType type_ = ValueType::none;
    bool truth_ = false;
    std::int64_t whole_ = 0;
    double real_ = 0.0;
    std::string_view word_{};
};

/// The declaration of a setting without the C++ type of its value.
struct Declaration {
    static constexpr std::size_t most_choices = 8;

    std::string_view key;
    std::string_view meaning;
    SettingType type = SettingType::whole;
    /// Without one an absent key has no value, or one that depends on other settings.
    DefaultValue otherwise{};
    /// Bounds of a number, or of each number of a list.
    double low = 0.0;
    double high = 0x1p62;
    bool is_required = false;
    /// Allowed words, up to the first empty one; any word will do if there is none.
    std::array<std::string_view, most_choices> choices{};
    /// Fewest and most numbers of a list.
    std::array<std::int64_t, 2> length{1, 8};
    /// A word that may stand in input files for the number 0, such as "auto"; empty: none.
    std::string_view word_for_zero{};
    /// The piece of the model in which it acts, for people; empty: that of its table.
    std::string_view acts{};

    [[nodiscard]] std::string name() const { return std::string(key); }
};

/// The settings that a program, machine section or algorithm reads.
using Schema = std::span<const Declaration* const>;

/// The common part of typed declarations.
template <class Self, class Value>
class TypedSetting : public Declaration {
public:
    constexpr TypedSetting(std::string_view its_key, std::string_view its_meaning,
                           SettingType its_type)
        : Declaration{its_key, its_meaning, its_type} {}

    [[nodiscard]] constexpr Self within(double lowest, double highest) const {
        Self result = self();
        result.low = lowest;
        result.high = highest;
        return result;
    }
    [[nodiscard]] constexpr Self required() const {
        Self result = self();
        result.is_required = true;
        result.otherwise = {};
        return result;
    }
    /// Leaves an absent key without a value, though the code that reads it has a fallback.
    [[nodiscard]] constexpr Self without_default() const {
        Self result = self();
        result.otherwise = {};
        return result;
    }
    /// Names the piece of the model in which the setting acts.
    [[nodiscard]] constexpr Self acting(std::string_view piece) const {
        Self result = self();
        result.acts = piece;
        return result;
    }
    [[nodiscard]] constexpr Self zero_as(std::string_view word) const {
        Self result = self();
        result.word_for_zero = word;
        return result;
    }
    /// Returns the value, or the default; throws ConfigError for a wrong or missing one.
    [[nodiscard]] Value of(const Settings& settings) const {
        const auto found = self().find(settings);
        return noted(settings, found ? *found : self().standard());
    }
    /// Returns the value, or `fallback` if there is none.
    [[nodiscard]] Value of(const Settings& settings, Value fallback) const {
        const auto found = self().find(settings);
        return noted(settings, found ? *found : fallback);
    }
    /// Returns the value as it stands in settings.
    [[nodiscard]] Settings::Value written(const Value& value) const { return value; }

protected:
    [[nodiscard]] constexpr const Self& self() const { return static_cast<const Self&>(*this); }
    [[nodiscard]] Value noted(const Settings& settings, Value value) const {
        settings.note(name(), [&] { return self().written(value); });
        return value;
    }
    [[noreturn]] void refuse(const auto& value) const {
        throw ConfigError(text(key, " = ", value, " is not in ", low, "..", high));
    }
    [[noreturn]] void refuse_missing() const {
        throw ConfigError(text("setting \"", key, "\" is missing"));
    }
};

/// The declaration of a whole number, a size in bytes or a duration in ps.
class WholeSetting : public TypedSetting<WholeSetting, std::int64_t> {
public:
    using TypedSetting::TypedSetting;

    [[nodiscard]] std::optional<std::int64_t> find(const Settings& settings) const {
        if (!settings.has(name())) return {};
        const auto value = settings.need<std::int64_t>(name());
        if (value == 0 && !word_for_zero.empty()) return value;
        if (double(value) < low || double(value) > high) {
            throw ConfigError(text(key, " = ", value, " is not in ", std::int64_t(low), "..",
                                   std::int64_t(high)));
        }
        return value;
    }
    [[nodiscard]] std::int64_t standard() const {
        if (const auto* const value = otherwise.get_if<std::int64_t>()) return *value;
        refuse_missing();
    }
};

/// The declaration of a real number or a rate.
class RealSetting : public TypedSetting<RealSetting, double> {
public:
    using TypedSetting::TypedSetting;

    [[nodiscard]] std::optional<double> find(const Settings& settings) const {
        if (!settings.has(name())) return {};
        const auto value = settings.need<double>(name());
        const bool is_inside = value >= low && value <= high;  // false for not-a-number
        if (!is_inside) refuse(value);
        return value;
    }
    [[nodiscard]] double standard() const {
        if (const auto* const value = otherwise.get_if<double>()) return *value;
        refuse_missing();
    }
};

/// The declaration of true or false.
class TruthSetting : public TypedSetting<TruthSetting, bool> {
public:
    using TypedSetting::TypedSetting;

    [[nodiscard]] std::optional<bool> find(const Settings& settings) const {
        if (!settings.has(name())) return {};
        return settings.need<bool>(name());
    }
    [[nodiscard]] bool standard() const {
        if (const auto* const value = otherwise.get_if<bool>()) return *value;
        refuse_missing();
    }
};

/// The declaration of a word that other code looks up, such as the name of an algorithm.
class WordSetting : public TypedSetting<WordSetting, std::string> {
public:
    using TypedSetting::TypedSetting;

    [[nodiscard]] std::optional<std::string> find(const Settings& settings) const {
        if (!settings.has(name())) return {};
        return settings.need<std::string>(name());
    }
    [[nodiscard]] std::string standard() const {
        if (const auto* const value = otherwise.get_if<std::string_view>())
            return std::string(*value);
        refuse_missing();
    }
};

/// The declaration of a word that stands for one of a few values; the first is the default.
template <class Value>
class ChoiceSetting : public TypedSetting<ChoiceSetting<Value>, Value> {
public:
    using Base = TypedSetting<ChoiceSetting<Value>, Value>;

    template <std::size_t count>
    constexpr ChoiceSetting(std::string_view its_key, std::string_view its_meaning,
                            const std::pair<std::string_view, Value> (&named)[count])
        : Base(its_key, its_meaning, SettingType::word) {
        static_assert(count <= Declaration::most_choices);
        for (std::size_t i = 0; i < count; ++i) {
            this->choices[i] = named[i].first;
            values_[i] = named[i].second;
        }
        this->otherwise = this->choices[0];
    }

    [[nodiscard]] std::optional<Value> find(const Settings& settings) const {
        if (!settings.has(this->name())) return {};
        const auto word = settings.need<std::string>(this->name());
        std::string known;
        for (std::size_t i = 0; i < this->choices.size() && !this->choices[i].empty(); ++i) {
            if (word == this->choices[i]) return values_[i];
            known += text(known.empty() ? "" : ", ", this->choices[i]);
        }
        throw ConfigError(text(this->key, " = \"", word, "\" is unknown; known are: ", known));
    }
    [[nodiscard]] Value standard() const {
        if (this->is_required) this->refuse_missing();
        return values_[0];
    }
    [[nodiscard]] Settings::Value written(const Value& value) const {
        for (std::size_t i = 0; i < values_.size(); ++i)
            if (values_[i] == value) return std::string(this->choices[i]);
        return std::string();
    }

private:
    std::array<Value, Declaration::most_choices> values_{};
};

/// The declaration of a list of whole numbers, from 1 on unless `within` says otherwise.
class WholeListSetting : public TypedSetting<WholeListSetting, std::vector<std::int64_t>> {
public:
    constexpr WholeListSetting(std::string_view its_key, std::string_view its_meaning,
                               std::int64_t fewest, std::int64_t most)
        : TypedSetting(its_key, its_meaning, SettingType::whole_list) {
        length = {fewest, most};
        low = 1;
        high = double(largest_count);
    }

    [[nodiscard]] std::optional<std::vector<std::int64_t>> find(const Settings& settings) const {
        if (!settings.has(name())) return {};
        auto count = length[0];
        if (length[0] < length[1])
            count = std::int64_t(settings.need<std::vector<std::int64_t>>(name()).size());
        if (count < length[0] || count > length[1]) {
            throw ConfigError(
                text(key, " has ", count, " numbers, not ", length[0], "..", length[1]));
        }
        return whole_numbers(settings, name(), std::size_t(count), std::int64_t(low),
                             std::int64_t(high));
    }
    [[nodiscard]] std::vector<std::int64_t> standard() const { refuse_missing(); }
};

namespace declare {

/// Declares a whole number.
[[nodiscard]] constexpr WholeSetting whole(std::string_view key, std::string_view meaning,
                                           std::optional<std::int64_t> otherwise = {}) {
    WholeSetting result(key, meaning, SettingType::whole);
    if (otherwise) result.otherwise = *otherwise;
    return result;
}
/// Declares a number of bytes.
[[nodiscard]] constexpr WholeSetting size(std::string_view key, std::string_view meaning,
                                          std::optional<std::int64_t> otherwise = {}) {
    WholeSetting result(key, meaning, SettingType::size);
    if (otherwise) result.otherwise = *otherwise;
    return result;
}
/// Declares a time in ps.
[[nodiscard]] constexpr WholeSetting duration(std::string_view key, std::string_view meaning,
                                              std::optional<std::int64_t> otherwise = {}) {
    WholeSetting result(key, meaning, SettingType::duration);
    if (otherwise) result.otherwise = *otherwise;
    return result;
}
/// Declares the path of a file.
[[nodiscard]] constexpr WordSetting file(std::string_view key, std::string_view meaning) {
    return {key, meaning, SettingType::file};
}
/// Declares a real number.
[[nodiscard]] constexpr RealSetting real(std::string_view key, std::string_view meaning,
                                         std::optional<double> otherwise = {}) {
    RealSetting result(key, meaning, SettingType::real);
    if (otherwise) result.otherwise = *otherwise;
    return result;
}
/// Declares a rate in bytes per second.
[[nodiscard]] constexpr RealSetting rate(std::string_view key, std::string_view meaning,
                                         std::optional<double> otherwise = {}) {
    RealSetting result = real(key, meaning, otherwise).within(1, 0x1p62);
    result.type = SettingType::rate;
    return result;
}
/// Declares a rate in operations per second.
[[nodiscard]] constexpr RealSetting flop_rate(std::string_view key, std::string_view meaning,
                                              std::optional<double> otherwise = {}) {
    RealSetting result = rate(key, meaning, otherwise);
    result.type = SettingType::flop_rate;
    return result;
}
/// Declares a time in ps for each byte.
[[nodiscard]] constexpr RealSetting time_per_byte(std::string_view key, std::string_view meaning,
                                                  std::optional<double> otherwise = {}) {
    RealSetting result = real(key, meaning, otherwise);
    result.type = SettingType::time_per_byte;
    return result;
}
/// Declares true or false.
[[nodiscard]] constexpr TruthSetting truth(std::string_view key, std::string_view meaning,
                                           bool otherwise) {
    TruthSetting result(key, meaning, SettingType::truth);
    result.otherwise = otherwise;
    return result;
}
/// Declares a word; an empty default is none.
[[nodiscard]] constexpr WordSetting word(std::string_view key, std::string_view meaning,
                                         std::string_view otherwise = {}) {
    WordSetting result(key, meaning, SettingType::word);
    if (!otherwise.empty()) result.otherwise = otherwise;
    return result;
}
/// Declares a word that names one of a few values, the first by default.
template <class Value, std::size_t count>
[[nodiscard]] constexpr ChoiceSetting<Value> one_of(
    std::string_view key, std::string_view meaning,
    const std::pair<std::string_view, Value> (&named)[count]) {
    return ChoiceSetting<Value>(key, meaning, named);
}
/// Declares a list of `count` whole numbers from 1 on.
[[nodiscard]] constexpr WholeListSetting whole_list(std::string_view key, std::string_view meaning,
                                                    std::int64_t count) {
    return {key, meaning, count, count};
}
/// Declares a list of `fewest` to `most` whole numbers from 1 on.
[[nodiscard]] constexpr WholeListSetting whole_list(std::string_view key, std::string_view meaning,
                                                    std::int64_t fewest, std::int64_t most) {
    return {key, meaning, fewest, most};
}

}  // namespace declare

/// The number of entries of an array type.
template <class List>
inline constexpr std::size_t length_of = [] {
    if constexpr (std::is_array_v<List>)
        return std::extent_v<List>;
    else
        return std::tuple_size_v<List>;
}();

/// Returns the declarations of several lists, one after the other.
template <class... Lists>
[[nodiscard]] constexpr auto joined(const Lists&... lists) {
    std::array<const Declaration*, (length_of<Lists> + ...)> all{};
    std::size_t count = 0;
    const auto append = [&](const auto& list) {
        for (const Declaration* const declared : list) all[count++] = declared;
    };
    (append(lists), ...);
    return all;
}

/// Throws ConfigError, naming the known keys, if `settings` has a key that no schema declares.
inline void refuse_unknown(std::string_view who, const Settings& settings,
                           std::initializer_list<Schema> schemas) {
    std::vector<std::string_view> known;
    for (const Schema schema : schemas)
        for (const Declaration* const declared : schema) known.push_back(declared->key);
    refuse_unknown(who, settings, std::span<const std::string_view>(known));
}

}  // namespace tradewind
