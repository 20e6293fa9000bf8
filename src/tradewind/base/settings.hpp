/// Settings: the named parameters of a topology, routing rule, algorithm or program, as read from a
/// TOML table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tradewind/base/errors.hpp"

namespace tradewind {

/// A table of named values: truth values, plain numbers in base units (ps, bytes), text, or lists
/// of integers.
class Settings {
public:
    using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>>;

    Settings() = default;
    explicit Settings(std::map<std::string, Value> values) : values_(std::move(values)) {}

    void set(const std::string& key, Value value) { values_[key] = std::move(value); }
    [[nodiscard]] bool has(const std::string& key) const { return values_.contains(key); }

    /// Returns the value of `key`; throws ConfigError if it is missing or of another type. A whole
    /// number is accepted as a double.
    template <class T>
    [[nodiscard]] T need(const std::string& key) const {
        const auto found = values_.find(key);
        if (found == values_.end()) throw ConfigError(text("setting \"", key, "\" is missing"));
        if constexpr (std::is_same_v<T, double>) {
            if (const auto* whole = std::get_if<std::int64_t>(&found->second))
                return double(*whole);
        }
        if (const T* value = std::get_if<T>(&found->second)) return *value;
        throw ConfigError(text("setting \"", key, "\" has the wrong type"));
    }
    /// Returns the value of `key`, or `otherwise` if it is missing.
    template <class T>
    [[nodiscard]] T get(const std::string& key, T otherwise) const {
        return has(key) ? need<T>(key) : otherwise;
    }
    /// Returns what `get` returns, but throws ConfigError unless the whole number lies in [low,
    /// high].
    [[nodiscard]] std::int64_t whole(const std::string& key, std::int64_t otherwise,
                                     std::int64_t low, std::int64_t high) const {
        const auto value = get<std::int64_t>(key, otherwise);
        if (value < low || value > high) {
            throw ConfigError(text(key, " = ", value, " is not in ", low, "..", high));
        }
        return value;
    }

    [[nodiscard]] const std::map<std::string, Value>& values() const noexcept { return values_; }
    /// Returns the settings without some keys.
    [[nodiscard]] Settings without(std::initializer_list<std::string> keys) const {
        Settings rest = *this;
        for (const std::string& key : keys) rest.values_.erase(key);
        return rest;
    }

    /// The values that code has read, by key: those that are set, and defaults of others.
    using Reads = std::map<std::string, Value>;
    /// Notes all that is read from now on, from these settings and from copies of them.
    void record(std::shared_ptr<Reads> reads) noexcept { reads_ = std::move(reads); }
    /// Notes a value, if that was asked for.
    template <class Make>
    void note(const std::string& key, const Make& value) const {
        if (reads_) reads_->insert_or_assign(key, value());
    }

private:
    std::map<std::string, Value> values_;
    std::shared_ptr<Reads> reads_;
};

/// Throws a ConfigError that names the known keys if `settings` has a key that is not in `known`.
inline void refuse_unknown(std::string_view who, const Settings& settings,
                           std::span<const std::string_view> known) {
    for (const auto& [key, value] : settings.values()) {
        if (std::ranges::find(known, key) != known.end()) continue;
        std::string names;
        for (const std::string_view name : known) names += text(names.empty() ? "" : ", ", name);
        throw ConfigError(text(who, ": unknown setting \"", key, "\"; known are: ", names));
    }
}

}  // namespace tradewind
