/// Reads partitions, and lists the points of edges and corners.
#include "tradewind/models/homme/mesh/partition.hpp"

#include <charconv>
#include <fstream>
#include <sstream>

#include "tradewind/models/homme/mesh/edges.hpp"

namespace tradewind::homme {

namespace {

[[nodiscard]] std::int32_t point_of_corner(int corner, int np) {
    const int last = np - 1;
    const int i = corner == 5 || corner == 6 ? last : 0;
    const int j = corner >= 6 ? last : 0;
    return std::int32_t(j * np + i);
}

/// Returns the number of a side among the shares of an element, which lack corners of the cube.
[[nodiscard]] std::int32_t share_of(const CubedSphere& mesh, std::int64_t element, int side) {
    std::int32_t share = side;
    for (int before = edge_sides; before < side; ++before)
        if (!mesh.neighbor(element, before)) --share;
    return share;
}

/// Returns the content of a file, or the text itself if it has several lines.
[[nodiscard]] std::string content_of(const std::string& given) {
    if (given.find('\n') != std::string::npos) return given;
    std::ifstream in(given);
    std::ostringstream content;
    if (!in || !(content << in.rdbuf()))
        throw ConfigError(text("homme: partition_file = \"", given, "\" cannot be read"));
    return content.str();
}

[[nodiscard]] Rank rank_in(const std::string& word, std::int64_t element, Rank ranks) {
    Rank rank = -1;
    const char* const end = word.data() + word.size();
    const auto [last, code] = std::from_chars(word.data(), end, rank);
    if (code == std::errc() && last == end && rank >= 0 && rank < ranks) return rank;
    throw ConfigError(text("homme: partition_file: element ", element, " has the rank ", word,
                           ", expected one of 0..", ranks - 1));
}

}  // namespace

ElementPartition::ElementPartition(const std::vector<Rank>& owners, Rank ranks)
    : blocks_(std::int64_t(owners.size()), ranks) {
    auto lists = std::make_shared<OwnedElements>();
    lists->first.assign(std::size_t(ranks) + 1, 0);
    for (std::size_t e = 0; e < owners.size(); ++e) {
        if (owners[e] < 0 || owners[e] >= ranks) {
            throw ConfigError(text("homme: partition: element ", e, " has the rank ", owners[e],
                                   ", expected one of 0..", ranks - 1));
        }
        lists->owners.push_back(std::int32_t(owners[e]));
        ++lists->first[std::size_t(owners[e]) + 1];
    }
    for (Rank rank = 0; rank < ranks; ++rank) {
        if (lists->first[std::size_t(rank) + 1] == 0)
            throw ConfigError(text("homme: partition: rank ", rank, " of ", ranks,
                                   " has no element; each needs one at least"));
        lists->first[std::size_t(rank) + 1] += lists->first[std::size_t(rank)];
    }
    std::vector<std::int64_t> next(lists->first);
    lists->elements.resize(owners.size());
    for (std::size_t e = 0; e < owners.size(); ++e)
        lists->elements[std::size_t(next[std::size_t(owners[e])]++)] = std::int64_t(e);
    lists_ = std::move(lists);
}

ElementPartition read_partition(const std::string& given, std::int64_t elements, Rank ranks) {
    std::istringstream words(content_of(given));
    std::vector<Rank> owners;
    for (std::string word; words >> word;) {
        owners.push_back(rank_in(word, std::int64_t(owners.size()), ranks));
        if (std::int64_t(owners.size()) > elements) break;
    }
    if (std::int64_t(owners.size()) != elements) {
        throw ConfigError(text("homme: partition_file has ",
                               std::int64_t(owners.size()) > elements ? "more than " : "only ",
                               std::min(std::int64_t(owners.size()), elements),
                               " ranks, expected one for each of the ", elements, " elements"));
    }
    return {owners, ranks};
}

std::vector<ItemShare> shares_of(const CubedSphere& mesh, std::int64_t element, int np,
                                 Connectivity connectivity, ReceivedAs arrival) {
    std::vector<ItemShare> shares;
    const int last = connectivity == Connectivity::edges ? edge_sides : sides;
    for (int side = 0; side < last; ++side) {
        const auto neighbor = mesh.neighbor(element, side);
        if (!neighbor) continue;
        ItemShare share{
            neighbor->element, share_of(mesh, neighbor->element, neighbor->side), {}, {}};
        if (side >= edge_sides) {
            share.sends = {point_of_corner(side, np)};
            share.receives = arrival == ReceivedAs::traces
                                 ? std::vector{std::int32_t(edge_sides * np + side - edge_sides)}
                                 : share.sends;
            shares.push_back(std::move(share));
            continue;
        }
        const bool backwards = neighbor->reversed && neighbor->element < element;
        for (int n = 0; n < np; ++n) {
            const int k = backwards ? np - 1 - n : n;
            share.sends.push_back(std::int32_t(edge_point(side, k, np)));
            share.receives.push_back(arrival == ReceivedAs::traces ? std::int32_t(side * np + k)
                                                                   : share.sends.back());
        }
        shares.push_back(std::move(share));
    }
    return shares;
}

MeshPart part_of(const CubedSphere& mesh, const ElementPartition& partition, Rank rank, int np,
                 Connectivity connectivity, ReceivedAs arrival) {
    MeshPart part;
    for (std::int64_t n = 0; n < partition.size(rank); ++n)
        part.items.push_back(partition.element(rank, n));
    part.points_per_item = np * np;
    if (arrival == ReceivedAs::traces) part.receiving_points_per_item = traces_of(np);
    part.owner = [partition](std::int64_t item) { return partition.owner(item); };
    part.shares = [&mesh, np, connectivity, arrival](std::int64_t item) {
        return shares_of(mesh, item, np, connectivity, arrival);
    };
    return part;
}

MeshPart with_blocks(MeshPart part, std::int64_t blocks) {
    part.points_per_item *= std::int32_t(blocks);
    part.receiving_points_per_item *= std::int32_t(blocks);
    return part;
}

}  // namespace tradewind::homme
