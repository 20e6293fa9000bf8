/// The reading of the table of tuned cases, and the choice of a case.
#include "tradewind/comm/tuning/tuning.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "tradewind/base/settings_text.hpp"
#include "tradewind/comm/read_options.hpp"
#include "tradewind/comm/tuning/operations.hpp"

namespace tradewind {

namespace {

constexpr std::string_view first_word = "tradewind-tuning";
constexpr std::int64_t version = 1;
/// The columns before the options, the fewest options of a line, and all columns.
constexpr std::size_t first_option = 5;
constexpr std::size_t least_options = 3;
constexpr std::size_t columns = first_option + std::size(options::all);
constexpr std::string_view unset = "-";
using Line = std::array<std::string, columns>;

[[noreturn]] void refuse(std::int64_t line, const std::string& what) {
    throw ConfigError(text("tuning table, line ", line, ": ", what));
}

std::int64_t whole(std::int64_t line, const std::string& word, std::int64_t least) {
    std::int64_t number = 0;
    if (!read_number(word, number) || number < least)
        refuse(line, text('"', word, "\" is not a whole number of at least ", least));
    return number;
}

/// Returns the options that are set.
Settings options_in(std::int64_t line, const Line& words) {
    Settings given;
    for (std::size_t i = 0; i < std::size(options::all); ++i) {
        const Declaration& option = *options::all[i];
        const std::string& word = words[first_option + i];
        if (word == unset) continue;
        if (option.type == SettingType::whole) {
            given.set(option.name(), whole(line, word, 1));
        } else {
            given.set(option.name(), word);
        }
    }
    return given;
}

/// Returns NAME:KEY=VALUE,... with the options that are set.
std::string choice_of(const Line& words) {
    std::string options;
    for (std::size_t i = 0; i < std::size(options::all); ++i) {
        const std::string& value = words[first_option + i];
        if (value != unset)
            options += text(options.empty() ? ":" : ",", options::all[i]->key, "=", value);
    }
    return words[4] + options;
}

/// Returns the options of the case; those of a model's choice are checked as far as possible
/// without the model.
Options read_case_options(std::int64_t line, const Line& words) {
    const Settings given = options_in(line, words);
    std::string known;
    for (const OperationEntry& entry : operation_entries()) {
        if (!entry.is_chosen) continue;
        if (words[0] == entry.operation.name) return entry.read(words[4], given);
        known += text(entry.operation.name, ", ");
    }
    if (words[0].find('.') == std::string::npos)
        refuse(line,
               text("there is no operation '", words[0], "'; known are: ", known, "MODEL.KEY"));
    (void)read_any_options(given, words[4]);
    return {};
}

TunedCase read_case(std::int64_t line, const Line& words) {
    TunedCase result{words[0],
                     whole(line, words[1], 1),
                     whole(line, words[2], 0),
                     whole(line, words[3], 0),
                     words[4],
                     {},
                     choice_of(words)};
    if (result.to < result.from)
        refuse(line, text("the range ", words[2], " to ", words[3], " is empty"));
    result.options = read_case_options(line, words);
    return result;
}

void check_header(const std::string& header) {
    std::istringstream words(header);
    std::string name;
    std::int64_t number = 0;
    words >> name >> number;
    if (name != first_word)
        throw ConfigError(text("tuning table: must begin with \"", first_word, " ", version, '"'));
    if (number != version)
        throw ConfigError(text("tuning table: version ", number, ", this program reads ", version));
}

/// Returns the ratio of the larger to the smaller one of two positive numbers.
double ratio(double a, double b) {
    return std::max(a, b) / std::min(a, b);
}

Bytes distance(const TunedCase& one, Bytes bytes) {
    return std::max<Bytes>({one.from - bytes, bytes - one.to, 0});
}

}  // namespace

Tuning Tuning::parse(std::string_view table) {
    std::istringstream lines{std::string(table)};
    std::string line;
    std::getline(lines, line);
    check_header(line);
    Tuning tuning;
    for (std::int64_t number = 2; std::getline(lines, line); ++number) {
        std::istringstream in(line);
        std::vector<std::string> words;
        for (std::string word; in >> word;) words.push_back(word);
        if (words.empty() || words[0].front() == '#') continue;
        constexpr std::size_t fewest = first_option + least_options;
        if (words.size() < fewest || words.size() > columns)
            refuse(number, text("has ", words.size(), " words, must have ", fewest, "..", columns));
        words.resize(columns, std::string(unset));
        Line fixed;
        std::ranges::copy(words, fixed.begin());
        tuning.cases_.push_back(read_case(number, fixed));
    }
    return tuning;
}

Tuning Tuning::load(const std::string& path) {
    const bool is_json = path.ends_with(".json");
    const std::string file = is_json ? path.substr(0, path.size() - 5) + ".table" : path;
    std::ifstream in(file);
    std::ostringstream content;
    if (!in || !(content << in.rdbuf()))
        throw ConfigError(text("tuning table: ", file, " cannot be read"));
    try {
        return parse(content.str());
    } catch (const ConfigError& error) {
        throw ConfigError(text(file, ": ", error.what()));
    }
}

const TunedCase& Tuning::pick(std::string_view operation, Rank ranks, Bytes bytes) const {
    const TunedCase* best = nullptr;
    const auto farther = [&](const TunedCase& one) {
        const double own = ratio(double(one.ranks), double(ranks));
        const double known = ratio(double(best->ranks), double(ranks));
        return own != known ? own > known : distance(one, bytes) >= distance(*best, bytes);
    };
    for (const TunedCase& one : cases_) {
        if (one.operation != operation || (best != nullptr && farther(one))) continue;
        best = &one;
    }
    if (best == nullptr)
        throw ConfigError(text("tuning table: the operation ", operation, " was not tuned"));
    return *best;
}

Choice<AlltoallvAlgorithm> Tuning::alltoallv(Rank ranks, Bytes block) const {
    const TunedCase& one = pick(alltoallv_operation.name, ranks, block);
    return {&alltoallv_algorithm(one.algorithm), one.options};
}

Choice<AllreduceAlgorithm> Tuning::allreduce(Rank ranks, Bytes vector) const {
    const TunedCase& one = pick(allreduce_operation.name, ranks, vector);
    return {&allreduce_algorithm(one.algorithm), one.options};
}

Choice<NeighborAlgorithm> Tuning::neighbor(Rank ranks, Bytes message) const {
    const TunedCase& one = pick(neighbor_operation.name, ranks, message);
    return {&neighbor_algorithm(one.algorithm), one.options};
}

}  // namespace tradewind
