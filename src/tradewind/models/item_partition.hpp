/// ItemPartition: the distribution of a mesh's elements or cells over ranks.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tradewind/base/partition.hpp"
#include "tradewind/base/whole_numbers.hpp"
#include "tradewind/comm/types.hpp"

namespace tradewind {

/// The words of messages: the program and its items, such as homme and element.
struct PartitionWords {
    std::string_view program;
    std::string_view item;
};

/// A distribution: consecutive items, or those of a list.
class ItemPartition {
public:
    /// Cuts the items into parts of equal size.
    ItemPartition(std::int64_t items, Rank ranks) : blocks_(items, ranks) {}
    /// Takes the rank of each item. Throws ConfigError if one of them is not in 0..ranks-1, or a
    /// rank has no item.
    ItemPartition(const std::vector<Rank>& owners, Rank ranks, const PartitionWords& words);

    [[nodiscard]] bool is_listed() const noexcept { return lists_ != nullptr; }
    [[nodiscard]] Rank parts() const noexcept { return blocks_.parts(); }
    [[nodiscard]] std::int64_t size(Rank rank) const noexcept {
        return lists_ ? lists_->first[std::size_t(rank) + 1] - lists_->first[std::size_t(rank)]
                      : blocks_.size(rank);
    }
    /// Returns the n-th item of a rank, in ascending order.
    [[nodiscard]] std::int64_t item(Rank rank, std::int64_t n) const noexcept {
        return lists_ ? lists_->items[std::size_t(lists_->first[std::size_t(rank)] + n)]
                      : blocks_.start(rank) + n;
    }
    [[nodiscard]] Rank owner(std::int64_t item) const noexcept {
        return lists_ ? lists_->owners[std::size_t(item)] : blocks_.owner(item);
    }

private:
    struct OwnedItems {
        std::vector<std::int32_t> owners;
        /// The items by rank, and the place of the first one of each rank.
        std::vector<std::int64_t> items;
        std::vector<std::int64_t> first;
    };

    Partition blocks_;
    std::shared_ptr<const OwnedItems> lists_;
};

/// Reads a partition as METIS writes it, the rank of each item on a line of its own: the text, or
/// the name of a file, which has no line break. Throws ConfigError if there are more or fewer ranks
/// than items, or one that does not exist.
[[nodiscard]] ItemPartition read_partition(const std::string& given, std::int64_t items, Rank ranks,
                                           const PartitionWords& words);

}  // namespace tradewind
