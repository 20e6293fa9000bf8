/// The reading of the table of tuned cases, and the choice of a case.
#include "tradewind/comm/tuning/tuning.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "tradewind/base/settings_text.hpp"
#include "tradewind/comm/catalogue.hpp"
#include "tradewind/comm/read_options.hpp"

namespace tradewind {

namespace {

constexpr std::string_view first_word = "tradewind-tuning";
constexpr std::int64_t version = 1;
constexpr std::size_t columns = 9;
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

std::int64_t option(std::int64_t line, const std::string& word, std::int64_t otherwise) {
    return word == "-" ? otherwise : whole(line, word, 1);
}

template <class Algorithm>
Options options_for(const Algorithm& algorithm, std::int64_t line, const Line& words) {
    Options options = default_options(algorithm);
    options.radix = option(line, words[5], options.radix);
    if (algorithm.smallest_radix > 0)
        require_at_least(algorithm.smallest_radix, options.radix, algorithm.name);
    options.window = option(line, words[6], options.window);
    if (words[7] != "-") options.protocol = find_protocol(words[7]);
    if (words[8] != "-") options.transport = find_transport(words[8]);
    if (!algorithm.has_protocols) {
        require_default(options.protocol, algorithm.name);
        require_two_sided(options.transport, algorithm.name);
    }
    require_carried(options.transport, options.protocol, algorithm.name);
    return options;
}

/// Returns NAME:KEY=VALUE,... with the options that are set.
std::string choice_of(const Line& words) {
    constexpr std::string_view names[] = {"radix", "window", "protocol", "transport"};
    std::string options;
    for (std::size_t i = 0; i < std::size(names); ++i) {
        const std::string& value = words[5 + i];
        if (value != "-") options += text(options.empty() ? ":" : ",", names[i], "=", value);
    }
    return words[4] + options;
}

/// Checks the options of a model's choice as far as possible without the model.
void check_options(std::int64_t line, const Line& words) {
    (void)option(line, words[5], 1);
    (void)option(line, words[6], 1);
    if (words[7] != "-") (void)find_protocol(words[7]);
    if (words[8] != "-") (void)find_transport(words[8]);
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
    if (words[0] == "alltoallv") {
        result.options = options_for(alltoallv_algorithm(words[4]), line, words);
    } else if (words[0] == "allreduce") {
        result.options = options_for(allreduce_algorithm(words[4]), line, words);
    } else if (words[0] == "neighbor") {
        result.options = options_for(neighbor_algorithm(words[4]), line, words);
    } else if (words[0].find('.') != std::string::npos) {
        check_options(line, words);
    } else {
        refuse(line, text("there is no operation '", words[0],
                          "'; known are: alltoallv, allreduce, neighbor, MODEL.KEY"));
    }
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
        if (words.size() + 1 == columns) words.emplace_back("-");
        if (words.size() != columns)
            refuse(number,
                   text("has ", words.size(), " words, must have ", columns, " or one less"));
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
    const TunedCase& one = pick("alltoallv", ranks, block);
    return {&alltoallv_algorithm(one.algorithm), one.options};
}

Choice<AllreduceAlgorithm> Tuning::allreduce(Rank ranks, Bytes vector) const {
    const TunedCase& one = pick("allreduce", ranks, vector);
    return {&allreduce_algorithm(one.algorithm), one.options};
}

Choice<NeighborAlgorithm> Tuning::neighbor(Rank ranks, Bytes message) const {
    const TunedCase& one = pick("neighbor", ranks, message);
    return {&neighbor_algorithm(one.algorithm), one.options};
}

}  // namespace tradewind
