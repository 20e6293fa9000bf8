/// The lines of a machine file in base units, each read by the declaration of its key.
#include "tradewind/simcomm/machine_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <vector>

#include "tradewind/base/settings_text.hpp"
#include "tradewind/sim/routing/catalogue.hpp"
#include "tradewind/sim/topology/catalogue.hpp"
#include "tradewind/simcomm/machine_settings.hpp"

namespace tradewind::simcomm {

namespace {

/// A line `key = value` of a section.
struct FileEntry {
    std::string section;
    std::string key;
    std::string value;
    std::int64_t line = 0;
};

/// Returns a line without its comment and without blanks at its ends.
[[nodiscard]] std::string_view content_of(std::string_view line) {
    bool is_quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') is_quoted = !is_quoted;
        if (line[i] == '#' && !is_quoted) return trimmed(line.substr(0, i));
    }
    return trimmed(line);
}

/// Splits a machine file into its entries. `routing = "NAME"` becomes the name of the routing.
class FileLines {
public:
    FileLines(std::string_view content, std::string_view name) : name_(name) {
        std::string section;
        std::int64_t number = 0;
        while (!content.empty()) {
            const auto end = std::min(content.find('\n'), content.size());
            add(content_of(content.substr(0, end)), ++number, section);
            content.remove_prefix(std::min(end + 1, content.size()));
        }
    }
    [[nodiscard]] const std::vector<FileEntry>& entries() const noexcept { return entries_; }
    [[noreturn]] void refuse(std::int64_t line, const std::string& why) const {
        throw ConfigError(text(name_, ", line ", line, ": ", why));
    }

private:
    void add(std::string_view line, std::int64_t number, std::string& section) {
        if (line.empty()) return;
        if (line.front() == '[' && line.back() == ']') {
            section = trimmed(line.substr(1, line.size() - 2));
            return;
        }
        const auto equals = line.find('=');
        if (equals == std::string_view::npos || equals == 0)
            refuse(number, text('"', line, "\" is neither [section] nor key = value"));
        FileEntry entry{section, std::string(trimmed(line.substr(0, equals))),
                        std::string(trimmed(line.substr(equals + 1))), number};
        if (section.empty()) {
            if (entry.key == "title" || entry.key == "source") return;
            if (entry.key != "routing")
                refuse(number, text(entry.key,
                                    ": allowed before the sections are title, source "
                                    "and routing"));
            entry.section = "routing";
            entry.key = "name";
        }
        entries_.push_back(std::move(entry));
    }

    std::string_view name_;
    std::vector<FileEntry> entries_;
};

[[nodiscard]] std::string_view base_unit(SettingType type) {
    switch (type) {
        case SettingType::size:
            return "B";
        case SettingType::duration:
            return "ps";
        case SettingType::rate:
            return "B/s";
        case SettingType::flop_rate:
            return "flop/s";
        case SettingType::time_per_byte:
            return "ps/B";
        default:
            return "";
    }
}

[[nodiscard]] bool is_quoted(std::string_view word) {
    return word.size() >= 2 && word.front() == '"' && word.back() == '"';
}

/// Returns a number with the base unit of its type; bytes and picoseconds are whole.
[[nodiscard]] Settings::Value quantity(std::string_view word, SettingType type) {
    const std::string_view unit = base_unit(type);
    const std::string_view inside = is_quoted(word) ? word.substr(1, word.size() - 2) : "";
    const auto blank = std::min(inside.find(' '), inside.size());
    const Settings::Value number = read_value(inside.substr(0, blank));
    const bool is_whole = std::holds_alternative<std::int64_t>(number);
    const bool counts = type == SettingType::size || type == SettingType::duration;
    const bool is_number = is_whole || (!counts && std::holds_alternative<double>(number));
    if (!is_number || trimmed(inside.substr(blank)) != unit) {
        throw ConfigError(text(word, " is not a ", counts ? "whole " : "", "number of ", unit,
                               " such as \"1000 ", unit,
                               "\"; `tradewind machine export` writes such files"));
    }
    return number;
}

/// Returns the value of a key of `type`.
[[nodiscard]] Settings::Value value_of(std::string_view word, SettingType type) {
    if (!base_unit(type).empty()) return quantity(word, type);
    if (is_quoted(word)) return std::string(word.substr(1, word.size() - 2));
    std::string joined(word);
    std::erase(joined, ' ');
    const Settings::Value value = read_value(joined);
    if (std::holds_alternative<std::string>(value))
        throw ConfigError(text('"', word, "\" is no TOML value"));
    return value;
}

/// The keys of each section of one machine.
class Keys {
public:
    Keys(std::string_view topology, std::string_view routing)
        : topology_(sim::topology_entry(topology)), routing_(routing) {}

    /// Returns the type of a key; throws ConfigError with the allowed ones if there is none.
    [[nodiscard]] SettingType type(const FileEntry& entry) const {
        if (entry.section == "link") {
            for (const std::string_view name : topology_.link_classes) {
                if (entry.key == text(name, "_bandwidth")) return SettingType::rate;
                if (entry.key == text(name, "_latency")) return SettingType::duration;
            }
        }
        const bool is_named = entry.section == "topology" || entry.section == "routing";
        if (is_named && entry.key == "name") return SettingType::word;
        std::string known;
        for (const Declaration* const declared : schema(entry.section)) {
            if (declared->key == entry.key) return declared->type;
            known += text(known.empty() ? "" : ", ", declared->key);
        }
        throw ConfigError(text("[", entry.section, "] has no key ", entry.key,
                               "; allowed: ", known.empty() ? "none" : known));
    }

private:
    [[nodiscard]] Schema schema(std::string_view section) const {
        if (section == "topology") return topology_.settings;
        if (section == "routing") {
            const auto rules = sim::routings();
            const auto found = std::ranges::find(rules, routing_, &sim::RoutingEntry::name);
            return found == rules.end() ? Schema{} : (*found)->settings;
        }
        for (const SectionEntry& entry : machine_sections()) {
            const bool is_of_job = section == "placement" || section == "simulation";
            if (entry.name == section && !is_of_job) return entry.settings;
        }
        throw ConfigError(text("[", section,
                               "] is no section of a machine; allowed: topology, "
                               "routing, link, switch, nic, node, message"));
    }

    const sim::TopologyEntry& topology_;
    std::string_view routing_;
};

/// Returns the quoted name in a section; empty if there is none.
[[nodiscard]] std::string name_in(const FileLines& lines, std::string_view section) {
    for (const FileEntry& entry : lines.entries()) {
        if (entry.section == section && entry.key == "name" && is_quoted(entry.value))
            return entry.value.substr(1, entry.value.size() - 2);
    }
    return "";
}

}  // namespace

Sections read_machine_text(std::string_view content, std::string_view name) {
    const FileLines lines(content, name);
    const std::string topology = name_in(lines, "topology");
    if (topology.empty()) throw ConfigError(text(name, ": [topology] has no name"));
    const std::string routing = name_in(lines, "routing");
    const Keys keys(topology, routing);
    Sections sections;
    for (const FileEntry& entry : lines.entries()) {
        try {
            sections[entry.section].set(entry.key, value_of(entry.value, keys.type(entry)));
        } catch (const ConfigError& error) {
            lines.refuse(entry.line, text(entry.key, ": ", error.what()));
        }
    }
    if (routing.empty()) {
        sections["routing"].set("name", std::string(sim::topology_entry(topology).default_routing));
    }
    return sections;
}

Sections read_machine_file(const std::string& path) {
    std::ifstream file(path);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    if (!file) throw ConfigError(text(path, ": cannot be read"));
    return read_machine_text(content, path);
}

}  // namespace tradewind::simcomm
