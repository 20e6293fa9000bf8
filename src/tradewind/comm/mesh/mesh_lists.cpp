/// Sorts the shares of all items by partner.
#include "tradewind/comm/mesh/mesh_lists.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "tradewind/base/errors.hpp"

namespace tradewind {

namespace {

/// The points of a share in one direction: a range of a common list.
struct ShareEntry {
    Rank rank;
    std::int64_t item;
    std::int32_t share;
    std::int64_t first;
    std::int64_t count;
};

/// All entries of a rank in one direction with their points.
struct ShareList {
    std::vector<ShareEntry> entries;
    std::vector<std::int32_t> points;

    void add(Rank rank, std::int64_t item, std::int32_t share, std::int64_t base,
             const std::vector<std::int32_t>& of_item, bool with_points) {
        entries.push_back(
            {rank, item, share, std::int64_t(points.size()), std::int64_t(of_item.size())});
        if (!with_points) return;
        for (const std::int32_t point : of_item) points.push_back(std::int32_t(base + point));
    }

    /// Sorts the entries by partner, the rank itself last, then by receiving item and share.
    void sort(Rank self) {
        std::ranges::sort(entries, {}, [self](const ShareEntry& entry) {
            return std::tuple(entry.rank == self, entry.rank, entry.item, entry.share);
        });
    }
};

class Checker {
public:
    Checker(const Comm& comm, const MeshPart& part) : comm_(comm), part_(part) {}

    void check(std::int64_t item, std::size_t number, const ItemShare& share, Rank owner) const {
        const auto who = [&] {
            return text("mesh exchange: rank ", comm_.rank(), ", item ", item, ", share ", number);
        };
        if (owner < 0 || owner >= comm_.size()) {
            throw ConfigError(text(who(), ": the owner of item ", share.item, " is ", owner,
                                   ", which is not in 0..", comm_.size() - 1));
        }
        if (part_.shares_are_even && share.sends.size() != share.receives.size()) {
            throw ConfigError(text(who(), " sends ", share.sends.size(), " points but receives ",
                                   share.receives.size()));
        }
        for (const std::int32_t point : share.sends) {
            if (point >= 0 && point < part_.points_per_item) continue;
            throw ConfigError(text(who(), " sends point ", point, ", which is not in 0..",
                                   part_.points_per_item - 1));
        }
        for (const std::int32_t point : share.receives) {
            if (point >= 0 && point < part_.receiving_points()) continue;
            throw ConfigError(text(who(), " receives into point ", point, ", which is not in 0..",
                                   part_.receiving_points() - 1));
        }
    }

private:
    const Comm& comm_;
    const MeshPart& part_;
};

/// Cuts sorted entries into the ranges of partners; returns that of the rank itself.
MeshPartner cut(const ShareList& all, Rank self, std::vector<MeshPartner>& partners) {
    MeshPartner own{self, 0, 0};
    std::int64_t record = 0;
    for (const ShareEntry& entry : all.entries) {
        const bool is_own = entry.rank == self;
        if (is_own && own.count == 0) own.first = record;
        if (!is_own && (partners.empty() || partners.back().rank != entry.rank))
            partners.push_back({entry.rank, record, 0});
        (is_own ? own : partners.back()).count += entry.count;
        record += entry.count;
    }
    if (own.count == 0) own.first = record;
    return own;
}

[[nodiscard]] std::vector<std::int32_t> points_in_order(const ShareList& all) {
    std::vector<std::int32_t> points;
    points.reserve(all.points.size());
    for (const ShareEntry& entry : all.entries) {
        const auto first = all.points.begin() + entry.first;
        points.insert(points.end(), first, first + entry.count);
    }
    return points;
}

/// Lists contributions by target point, those of one point by the number of its share.
[[nodiscard]] std::vector<MeshContribution> contributions(const ShareList& incoming) {
    std::vector<std::pair<MeshContribution, std::int32_t>> found;
    found.reserve(incoming.points.size());
    std::int32_t record = 0;
    for (const ShareEntry& entry : incoming.entries) {
        for (std::int64_t n = 0; n < entry.count; ++n) {
            found.push_back(
                {{incoming.points[std::size_t(entry.first + n)], record++}, entry.share});
        }
    }
    std::ranges::sort(found, {}, [](const auto& one) {
        return std::tuple(one.first.target, one.second, one.first.record);
    });
    std::vector<MeshContribution> result;
    result.reserve(found.size());
    for (const auto& one : found) result.push_back(one.first);
    return result;
}

}  // namespace

MeshLists::MeshLists(const Comm& comm, const MeshPart& part, bool with_points) {
    ShareList outgoing;
    ShareList incoming;
    const Checker checker(comm, part);
    for (std::size_t i = 0; i < part.items.size(); ++i) {
        const std::int64_t item = part.items[i];
        const std::vector<ItemShare> shares = part.shares(item);
        for (std::size_t n = 0; n < shares.size(); ++n) {
            const ItemShare& share = shares[n];
            const Rank owner = part.owner(share.item);
            checker.check(item, n, share, owner);
            const auto index = std::int64_t(i);
            outgoing.add(owner, share.item, share.share, index * part.points_per_item, share.sends,
                         with_points);
            incoming.add(owner, item, std::int32_t(n), index * part.receiving_points(),
                         share.receives, with_points);
        }
    }
    outgoing.sort(comm.rank());
    incoming.sort(comm.rank());
    own_sends = cut(outgoing, comm.rank(), destinations);
    own_receives = cut(incoming, comm.rank(), sources);
    if (own_sends.count != own_receives.count) {
        throw ConfigError(text("mesh exchange: rank ", comm.rank(), " sends ", own_sends.count,
                               " points to itself but receives ", own_receives.count));
    }
    if (!with_points) return;
    if (incoming.points.size() > std::size_t(std::numeric_limits<std::int32_t>::max())) {
        throw ConfigError(text("mesh exchange: rank ", comm.rank(), " shares ",
                               incoming.points.size(), " points, more than 2^31 - 1"));
    }
    send_points = points_in_order(outgoing);
    receive_points = points_in_order(incoming);
    ordered = contributions(incoming);
}

}  // namespace tradewind
