/// Readers of edge lists and METIS graphs.
#include "tradewind/skeleton/graph_file.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "tradewind/base/settings_text.hpp"
#include "tradewind/comm/neighbor/graph.hpp"

namespace tradewind::skeleton {

namespace {

constexpr std::int64_t most_bytes_of_message = std::int64_t{1} << 50;

/// The lines of a file without comments, as whole numbers from 0.
class NumberLines {
public:
    explicit NumberLines(const std::string& path) : path_(path), in_(path) {
        if (!in_) throw ConfigError(text(path, ": cannot be read"));
    }

    /// Reads the next line, which may be empty; returns false at the end.
    [[nodiscard]] bool next(std::vector<std::int64_t>& numbers) {
        numbers.clear();
        do {
            if (!std::getline(in_, line_)) return false;
            // An editor may have put a byte order mark before the text.
            if (++number_ == 1 && line_.starts_with("\xEF\xBB\xBF")) line_.erase(0, 3);
        } while (line_.starts_with('#') || line_.starts_with('%'));
        std::istringstream words(line_);
        for (std::string word; words >> word;) {
            if (!read_number(word, numbers.emplace_back()) || numbers.back() < 0)
                refuse(text('"', word.substr(0, 40), "\" is no whole number from 0"));
        }
        return true;
    }
    [[noreturn]] void refuse(const std::string& why) const {
        throw ConfigError(text(path_, ": line ", number_, ": ", why));
    }

private:
    std::string path_;
    std::ifstream in_;
    std::string line_;
    std::int64_t number_ = 0;
};

void add(std::vector<Neighbor>& list, Rank rank, Bytes bytes) {
    const Bytes offset = list.empty() ? 0 : list.back().offset + list.back().size;
    list.push_back({rank, bytes, offset});
}

void add_message(RankGraph& graph, Rank from, Rank to, Bytes bytes) {
    add(graph[std::size_t(from)].destinations, to, bytes);
    add(graph[std::size_t(to)].sources, from, bytes);
}

[[nodiscard]] RankGraph read_edges(const GraphFile& file, Rank ranks) {
    NumberLines lines(file.path);
    RankGraph graph{std::size_t(ranks)};
    for (std::vector<std::int64_t> edge; lines.next(edge);) {
        if (edge.empty()) continue;
        if (edge.size() != 3)
            lines.refuse(text("expected FROM TO BYTES, not ", edge.size(), " numbers"));
        for (const std::size_t end : {0, 1}) {
            if (edge[end] >= ranks)
                lines.refuse(text("rank ", edge[end], " is not in 0..", ranks - 1));
        }
        if (edge[0] == edge[1]) lines.refuse(text("rank ", edge[0], " sends to itself"));
        if (edge[2] > most_bytes_of_message / file.unit)
            lines.refuse(text(edge[2], " bytes are too many"));
        add_message(graph, edge[0], edge[1], edge[2] * file.unit);
    }
    return graph;
}

/// The first line of a METIS graph: VERTICES EDGES [FMT [NCON]].
struct MetisHeader {
    std::int64_t vertices = 0;
    bool has_sizes = false;
    bool has_edge_weights = false;
    std::size_t vertex_weights = 0;
};

[[nodiscard]] MetisHeader read_header(NumberLines& lines) {
    std::vector<std::int64_t> numbers;
    if (!lines.next(numbers) || numbers.size() < 2 || numbers.size() > 4)
        lines.refuse("expected VERTICES EDGES [FMT [NCON]], as METIS has it");
    const std::int64_t format = numbers.size() > 2 ? numbers[2] : 0;
    const auto digit = [&](std::int64_t value) {
        if (value > 1) lines.refuse(text("the format ", format, " has other digits than 0 and 1"));
        return value == 1;
    };
    MetisHeader header;
    header.vertices = numbers[0];
    header.has_sizes = digit(format / 100);
    header.vertex_weights = digit(format / 10 % 10) ? 1 : 0;
    header.has_edge_weights = digit(format % 10);
    if (numbers.size() == 4 && header.vertex_weights > 0)
        header.vertex_weights = std::size_t(numbers[3]);
    return header;
}

[[nodiscard]] std::vector<Rank> read_owners(const GraphFile& file, std::int64_t vertices,
                                            Rank ranks) {
    std::vector<Rank> owners;
    std::istringstream words(file.owners);
    for (std::string word; words >> word;) {
        if (!read_number(word, owners.emplace_back()) || owners.back() < 0 ||
            owners.back() >= ranks) {
            throw ConfigError(text("partition_file: \"", word.substr(0, 40), "\" of vertex ",
                                   owners.size(), " is no rank in 0..", ranks - 1));
        }
    }
    if (std::int64_t(owners.size()) != vertices) {
        throw ConfigError(text("partition_file has the ranks of ", owners.size(), " vertices, but ",
                               file.path, " has ", vertices));
    }
    const Rank last = owners.empty() ? -1 : *std::ranges::max_element(owners);
    if (last + 1 == ranks) return owners;
    throw ConfigError(text("partition_file is for ", last + 1, " ranks, expected ", ranks));
}

/// The weight that each pair of ranks exchanges.
using PairWeights = std::map<std::pair<Rank, Rank>, std::int64_t>;

/// Adds what one vertex sends; `line` is its line of the file.
void add_vertex(NumberLines& lines, const MetisHeader& header, std::span<const Rank> owners,
                std::size_t vertex, std::span<const std::int64_t> line, PairWeights& weights) {
    const std::size_t stride = header.has_edge_weights ? 2 : 1;
    const std::size_t first = (header.has_sizes ? 1 : 0) + header.vertex_weights;
    if (line.size() < first || (line.size() - first) % stride != 0)
        lines.refuse(text("vertex ", vertex + 1, " has ", line.size(), " numbers"));
    const std::int64_t size = header.has_sizes ? line[0] : 1;
    std::vector<Rank> sent;
    for (std::size_t i = first; i < line.size(); i += stride) {
        if (line[i] < 1 || line[i] > header.vertices)
            lines.refuse(text("vertex ", line[i], " is not in 1..", header.vertices));
        const Rank other = owners[std::size_t(line[i] - 1)];
        if (other == owners[vertex]) continue;
        const bool is_known = std::ranges::find(sent, other) != sent.end();
        if (!header.has_edge_weights && is_known) continue;
        sent.push_back(other);
        std::int64_t& sum = weights[{owners[vertex], other}];
        const std::int64_t more = header.has_edge_weights ? line[i + 1] : size;
        if (more > most_bytes_of_message - sum) lines.refuse(text("a weight of ", more));
        sum += more;
    }
}

[[nodiscard]] RankGraph read_metis(const GraphFile& file, Rank ranks) {
    NumberLines lines(file.path);
    const MetisHeader header = read_header(lines);
    const std::vector<Rank> owners = read_owners(file, header.vertices, ranks);
    PairWeights weights;
    std::vector<std::int64_t> line;
    for (std::size_t vertex = 0; vertex < owners.size(); ++vertex) {
        if (!lines.next(line)) {
            lines.refuse(text("the file ends after ", vertex, " of ", owners.size(), " vertices"));
        }
        add_vertex(lines, header, owners, vertex, line, weights);
    }
    RankGraph graph{std::size_t(ranks)};
    for (const auto& [pair, weight] : weights) {
        if (weight > most_bytes_of_message / file.unit)
            throw ConfigError(text(file.path, ": a message of ", weight, " units is too long"));
        add_message(graph, pair.first, pair.second, weight * file.unit);
    }
    return graph;
}

}  // namespace

RankGraph read_graph(const GraphFile& file, Rank ranks) {
    return file.owners.empty() ? read_edges(file, ranks) : read_metis(file, ranks);
}

}  // namespace tradewind::skeleton
