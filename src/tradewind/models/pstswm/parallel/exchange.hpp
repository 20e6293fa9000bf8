/// Exchange: one transposition among a group of ranks, between a cut of some items (longitudes,
/// wavenumbers or latitudes) and a cut of the lanes (fields and levels).
///
///     items  a b c d          items  a b c d
///     lane 0 0 0 1 1          lane 0 0 0 0 0         two ranks; digits: who holds the number
///     lane 1 0 0 1 1    <->   lane 1 1 1 1 1
///            items cut               lanes cut
///
/// It is one alltoallv, by any algorithm of the table. Arrays have the shape
/// [outer][item][inner][group][lane]; the lanes of each group are cut in the same way.
#pragma once

#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/choice.hpp"
#include "tradewind/models/spectral/deal.hpp"
#include "tradewind/models/spectral/lanes.hpp"

namespace tradewind::pstswm {

using spectral::Deal;
using spectral::LaneVector;

struct ExchangeShape {
    std::int64_t outer = 1;
    Deal items;
    std::int64_t inner = 1;
    std::int64_t groups = 1;
    Partition lanes;
};

/// Where the blocks of one rank lie, in either direction.
class ExchangeBlocks final : public Blocks {
public:
    /// `to_lanes`: from cut items to cut lanes.
    ExchangeBlocks(const ExchangeShape& shape, Rank me, bool to_lanes) noexcept
        : shape_(shape), me_(me), to_lanes_(to_lanes) {}

    [[nodiscard]] Bytes send_size(Rank to) const override { return between(me_, to); }
    [[nodiscard]] Bytes receive_size(Rank from) const override { return between(from, me_); }
    [[nodiscard]] Bytes send_offset(Rank to) const override { return offset(to, to_lanes_); }
    [[nodiscard]] Bytes receive_offset(Rank from) const override {
        return offset(from, !to_lanes_);
    }
    [[nodiscard]] Bytes between(Rank from, Rank to) const override {
        const Rank items = to_lanes_ ? from : to;
        const Rank lanes = to_lanes_ ? to : from;
        return unit() * shape_.items.size(items) * shape_.lanes.size(lanes);
    }
    /// Bytes that the rank sends or receives in all, its own block included.
    [[nodiscard]] Bytes sent() const noexcept { return total(to_lanes_); }
    [[nodiscard]] Bytes received() const noexcept { return total(!to_lanes_); }

private:
    [[nodiscard]] Bytes unit() const noexcept {
        return Bytes(sizeof(double)) * shape_.outer * shape_.inner * shape_.groups;
    }
    [[nodiscard]] Bytes offset(Rank other, bool items_are_cut) const {
        return unit() * (items_are_cut ? shape_.items.size(me_) * shape_.lanes.start(other)
                                       : shape_.items.before(other) * shape_.lanes.size(me_));
    }
    [[nodiscard]] Bytes total(bool items_are_cut) const noexcept {
        return unit() * (items_are_cut ? shape_.items.size(me_) * shape_.lanes.items()
                                       : shape_.items.items() * shape_.lanes.size(me_));
    }

    const ExchangeShape& shape_;
    Rank me_;
    bool to_lanes_;
};

/// The memory of the messages, kept from one exchange to the next.
struct Messages {
    std::vector<std::byte> outgoing;
    std::vector<std::byte> incoming;
};

/// Number of Lanes of the array with cut items, and of that with cut lanes.
[[nodiscard]] std::int64_t cut_items_size(const ExchangeShape& shape, Rank me);
[[nodiscard]] std::int64_t cut_lanes_size(const ExchangeShape& shape, Rank me);

/// How an exchange is done.
using AlltoallvChoice = Choice<AlltoallvAlgorithm>;

/// Data of one exchange; all null where only sizes are wanted. In a group of one rank the arrays
/// change places, nothing is copied.
struct ExchangeData {
    LaneVector* from = nullptr;
    LaneVector* to = nullptr;
    Messages* messages = nullptr;
};

/// Moves `data.from` to `data.to`, which has its size already.
Task exchange(Comm& group, const ExchangeShape& shape, bool to_lanes, const AlltoallvChoice& choice,
              ExchangeData data);

}  // namespace tradewind::pstswm
