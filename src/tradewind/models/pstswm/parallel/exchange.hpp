/// Exchange: one transposition in a group of ranks, between a partition of items (longitudes,
/// wavenumbers or latitudes) and a partition of the lanes (fields and levels).
///
///     items  a b c d          items  a b c d
///     lane 0 0 0 1 1          lane 0 0 0 0 0         two ranks; digits: who holds the number
///     lane 1 0 0 1 1    <->   lane 1 1 1 1 1
///            items cut               lanes cut
///
/// It is one alltoallv, by any algorithm of the table. Arrays have the shape
/// [outer][item][inner][group][lane]. The lanes of each group are cut in the same way.
#pragma once

#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/choice.hpp"
#include "tradewind/models/spectral/distribution.hpp"
#include "tradewind/models/spectral/lanes.hpp"

namespace tradewind::pstswm {

using spectral::Distribution;
using spectral::LaneVector;

struct ExchangeShape {
    std::int64_t outer = 1;
    Distribution items;
    std::int64_t inner = 1;
    std::int64_t groups = 1;
    Partition lanes;
};

/// The positions of one rank's blocks, in either direction.
class ExchangeBlocks final : public Blocks {
public:
    /// Makes the blocks of one direction; `to_lanes` is from cut items to cut lanes.
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
    /// Returns the bytes that the rank sends in all, its own block included.
    [[nodiscard]] Bytes sent() const noexcept { return total(to_lanes_); }
    /// Returns the bytes that the rank receives in all, its own block included.
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
struct ExchangeBuffers {
    std::vector<std::byte> outgoing;
    std::vector<std::byte> incoming;
};

/// Returns the number of Lanes of the array with cut items.
[[nodiscard]] std::int64_t cut_items_size(const ExchangeShape& shape, Rank me);
/// Returns the number of Lanes of the array with cut lanes.
[[nodiscard]] std::int64_t cut_lanes_size(const ExchangeShape& shape, Rank me);

/// The algorithm of an exchange.
using AlltoallvChoice = Choice<AlltoallvAlgorithm>;

/// Data of one exchange; all null if only sizes are wanted. In a group of one rank the arrays are
/// swapped and nothing is copied.
struct ExchangeData {
    LaneVector* from = nullptr;
    LaneVector* to = nullptr;
    ExchangeBuffers* messages = nullptr;
};

/// Moves `data.from` to `data.to`, which already has its size.
Task exchange(Comm& group, const ExchangeShape& shape, bool to_lanes, const AlltoallvChoice& choice,
              ExchangeData data);

}  // namespace tradewind::pstswm
