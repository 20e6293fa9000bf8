/// A ring of items, each of which shares two points with the two items on either side.
///
///     item            i-2   i-1    i    i+1   i+2
///     shares of i      3     1           0     2      scattered over the ranks
///
/// Share s sends the points s and s+1 (mod 4). A sum adds what comes to the points s and 3, so that
/// a point takes several contributions; a copy puts it at 2s and 2s+1 of eight places.
#include "tradewind/comm/verification/mesh.hpp"

#include "tradewind/comm/mesh/mesh_options.hpp"
#include "tradewind/comm/verification/words.hpp"

namespace tradewind::verification {

namespace {

constexpr std::int32_t points = 4;
constexpr std::int32_t places = 8;
/// The displacement to the neighbour of each share; shares 0 and 1, 2 and 3 are the same seen from
/// both sides.
constexpr std::int64_t displacements[] = {1, -1, 2, -2};

/// Returns the number of items: all neighbours of an item differ, and some ranks have more items.
std::int64_t items_on(Rank ranks) {
    return 3 * ranks + 2;
}

std::int64_t neighbor_of(std::int64_t item, std::size_t share, std::int64_t items) {
    return (item + displacements[share] + items) % items;
}

/// Returns the place that takes point `n` of what arrives for a share.
std::int32_t target_of(MeshCombination combination, std::int32_t share, std::int32_t n) {
    if (combination == MeshCombination::copy) return 2 * share + n;
    return n == 0 ? share : points - 1;
}

MeshPart part_of(Rank rank, Rank ranks, MeshCombination combination) {
    const std::int64_t items = items_on(ranks);
    MeshPart part;
    part.owner = [=](std::int64_t item) { return Rank(mix(7, std::uint64_t(item)) % ranks); };
    for (std::int64_t item = 0; item < items; ++item)
        if (part.owner(item) == rank) part.items.push_back(item);
    part.points_per_item = points;
    part.receiving_points_per_item = combination == MeshCombination::copy ? places : points;
    part.shares = [=](std::int64_t item) {
        std::vector<ItemShare> shares;
        for (std::int32_t s = 0; s < 4; ++s) {
            shares.push_back({neighbor_of(item, std::size_t(s), items),
                              s ^ 1,
                              {s, (s + 1) % points},
                              {target_of(combination, s, 0), target_of(combination, s, 1)}});
        }
        return shares;
    };
    return part;
}

/// The values of two fields, one with adjacent layers and one whose layers are arrays.
struct VerifiedFields {
    VerifiedFields(std::int64_t its_points, std::int64_t factor)
        : count(its_points),
          deep(2 * factor),
          first(std::size_t(its_points * deep)),
          second(std::size_t(its_points * factor)),
          views{MeshField{first.data(), deep, deep, 1},
                MeshField{second.data(), 1, factor, its_points}} {}
    VerifiedFields(const VerifiedFields&) = delete;
    VerifiedFields& operator=(const VerifiedFields&) = delete;
    ~VerifiedFields() = default;

    [[nodiscard]] double& at(std::int64_t point, std::int64_t layer) {
        return layer < deep ? first[std::size_t(point * deep + layer)]
                            : second[std::size_t((layer - deep) * count + point)];
    }
    [[nodiscard]] std::int64_t layers() const { return deep + deep / 2; }

    std::int64_t count;
    std::int64_t deep;
    Words first;
    Words second;
    std::array<MeshField, 2> views;
};

/// Fills in what the items have before an exchange.
void fill(VerifiedFields& fields, const std::vector<std::int64_t>& items) {
    for (std::int64_t p = 0; p < fields.count; ++p) {
        const std::int64_t item = items[std::size_t(p / points)];
        for (std::int64_t k = 0; k < fields.layers(); ++k)
            fields.at(p, k) = word(item, p % points, k);
    }
}

/// Compares one layer of an item with what its neighbours have sent.
bool is_right(VerifiedFields& fields, std::int64_t index, std::int64_t item, std::int64_t layer,
              const Comm& comm, MeshCombination combination) {
    const bool is_copy = combination == MeshCombination::copy;
    std::array<double, places> expected{};
    for (std::int32_t p = 0; p < points && !is_copy; ++p)
        expected[std::size_t(p)] = word(item, p, layer);
    for (std::int32_t s = 0; s < 4; ++s) {
        const std::int64_t other = neighbor_of(item, std::size_t(s), items_on(comm.size()));
        for (std::int32_t n = 0; n < 2; ++n) {
            // The neighbour sends the points of its own share, s xor 1.
            expected[std::size_t(target_of(combination, s, n))] +=
                word(other, ((s ^ 1) + n) % points, layer);
        }
    }
    const std::int32_t count = is_copy ? places : points;
    bool right = true;
    for (std::int32_t p = 0; p < count; ++p)
        right = right && fields.at(index * count + p, layer) == expected[std::size_t(p)];
    return right;
}

}  // namespace

Task try_mesh(Comm& comm, MeshCombination combination, std::string_view choice, std::int64_t factor,
              bool& right) {
    const MeshPart part = part_of(comm.rank(), comm.size(), combination);
    const auto items = std::int64_t(part.items.size());
    const bool is_copy = combination == MeshCombination::copy;
    VerifiedFields own(items * points, factor);
    VerifiedFields copies(is_copy ? items * places : 0, factor);
    VerifiedFields& into = is_copy ? copies : own;
    MeshExchange exchange(comm, part, own.layers(), read_mesh_options(choice, combination), true);
    co_await exchange.connect(comm);
    right = true;
    for (int round = 0; round < 2; ++round) {
        fill(own, part.items);
        co_await exchange.send(comm, own.views);
        co_await comm.compute({1e4, 0});
        co_await exchange.receive(comm, own.views, into.views);
        for (std::int64_t i = 0; i < items; ++i) {
            for (std::int64_t k = 0; k < own.layers(); ++k)
                right =
                    right && is_right(into, i, part.items[std::size_t(i)], k, comm, combination);
        }
    }
    co_await exchange.finish(comm);
}

}  // namespace tradewind::verification
