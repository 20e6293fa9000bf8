#include "tradewind/models/item_partition.hpp"

#include <charconv>
#include <fstream>
#include <sstream>

#include "tradewind/base/errors.hpp"

namespace tradewind {

namespace {

/// Returns the content of a file, or the text itself if it has several lines.
[[nodiscard]] std::string content_of(const std::string& given, const PartitionWords& words) {
    if (given.find('\n') != std::string::npos) return given;
    std::ifstream in(given);
    std::ostringstream content;
    if (!in || !(content << in.rdbuf())) {
        throw ConfigError(text(words.program, ": partition_file = \"", given, "\" cannot be read"));
    }
    return content.str();
}

[[nodiscard]] Rank rank_in(std::string_view word, std::int64_t item, Rank ranks,
                           const PartitionWords& words) {
    Rank rank = -1;
    const char* const end = word.data() + word.size();
    const auto [last, code] = std::from_chars(word.data(), end, rank);
    if (code == std::errc() && last == end && rank >= 0 && rank < ranks) return rank;
    throw ConfigError(text(words.program, ": partition_file: ", words.item, " ", item,
                           " has the rank ", word, ", expected one of 0..", ranks - 1));
}

}  // namespace

ItemPartition::ItemPartition(const std::vector<Rank>& owners, Rank ranks,
                             const PartitionWords& words)
    : blocks_(std::int64_t(owners.size()), ranks) {
    auto lists = std::make_shared<OwnedItems>();
    lists->first.assign(std::size_t(ranks) + 1, 0);
    for (std::size_t i = 0; i < owners.size(); ++i) {
        if (owners[i] < 0 || owners[i] >= ranks) {
            throw ConfigError(text(words.program, ": partition: ", words.item, " ", i,
                                   " has the rank ", owners[i], ", expected one of 0..",
                                   ranks - 1));
        }
        lists->owners.push_back(std::int32_t(owners[i]));
        ++lists->first[std::size_t(owners[i]) + 1];
    }
    for (Rank rank = 0; rank < ranks; ++rank) {
        if (lists->first[std::size_t(rank) + 1] == 0) {
            throw ConfigError(text(words.program, ": partition: rank ", rank, " of ", ranks,
                                   " has no ", words.item, "; each needs one at least"));
        }
        lists->first[std::size_t(rank) + 1] += lists->first[std::size_t(rank)];
    }
    std::vector<std::int64_t> next(lists->first);
    lists->items.resize(owners.size());
    for (std::size_t i = 0; i < owners.size(); ++i)
        lists->items[std::size_t(next[std::size_t(owners[i])]++)] = std::int64_t(i);
    lists_ = std::move(lists);
}

ItemPartition read_partition(const std::string& given, std::int64_t items, Rank ranks,
                             const PartitionWords& words) {
    const std::string content = content_of(given, words);
    std::vector<Rank> owners;
    owners.reserve(std::size_t(items));
    std::string_view rest = content;
    const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    while (std::int64_t(owners.size()) <= items) {
        while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
        if (rest.empty()) break;
        std::size_t length = 0;
        while (length < rest.size() && !is_space(rest[length])) ++length;
        owners.push_back(
            rank_in(rest.substr(0, length), std::int64_t(owners.size()), ranks, words));
        rest.remove_prefix(length);
    }
    if (std::int64_t(owners.size()) != items) {
        throw ConfigError(text(words.program, ": partition_file has ",
                               std::int64_t(owners.size()) > items ? "more than " : "only ",
                               std::min(std::int64_t(owners.size()), items),
                               " ranks, expected one for each of the ", items, " ", words.item,
                               "s"));
    }
    return {owners, ranks, words};
}

}  // namespace tradewind
