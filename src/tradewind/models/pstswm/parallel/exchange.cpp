/// Packing and unpacking of an exchange.
#include "tradewind/models/pstswm/parallel/exchange.hpp"

#include <cstring>
#include <utility>

namespace tradewind::pstswm {

namespace {

using spectral::blocks_of;
using spectral::lane_width;
using spectral::numbers;

/// The array on one side of an exchange, as one rank holds it.
struct ExchangedArray {
    const ExchangeShape& shape;
    Rank me;
    bool items_are_cut;

    [[nodiscard]] std::int64_t items() const {
        return items_are_cut ? shape.items.size(me) : shape.items.items();
    }
    /// Returns the lanes of one group.
    [[nodiscard]] std::int64_t lanes() const {
        return items_are_cut ? shape.lanes.items() : shape.lanes.size(me);
    }
    [[nodiscard]] std::int64_t row() const {
        return blocks_of(shape.groups * lanes()) * lane_width;
    }
    [[nodiscard]] std::int64_t size() const {
        return shape.outer * items() * shape.inner * blocks_of(shape.groups * lanes());
    }
};

/// Calls visit(position in the array, position in the message, length) for all runs of numbers that
/// the rank shares with `other`.
template <class Visit>
void visit_block(const ExchangedArray& side, Rank other, const Visit& visit) {
    const ExchangeShape& shape = side.shape;
    const std::int64_t items =
        side.items_are_cut ? shape.items.size(side.me) : shape.items.size(other);
    const std::int64_t first_lane = side.items_are_cut ? shape.lanes.start(other) : 0;
    const std::int64_t length = shape.lanes.size(side.items_are_cut ? other : side.me);
    if (length == 0) return;
    std::int64_t in_message = 0;
    for (std::int64_t outer = 0; outer < shape.outer; ++outer) {
        for (std::int64_t i = 0; i < items; ++i) {
            const std::int64_t item = side.items_are_cut ? i : shape.items.item(other, i);
            const std::int64_t row = (outer * side.items() + item) * shape.inner;
            for (std::int64_t inner = 0; inner < shape.inner; ++inner) {
                for (std::int64_t group = 0; group < shape.groups; ++group) {
                    visit((row + inner) * side.row() + group * side.lanes() + first_lane,
                          in_message, length);
                    in_message += length;
                }
            }
        }
    }
}

[[nodiscard]] std::size_t bytes(std::int64_t count) noexcept {
    return std::size_t(count) * sizeof(double);
}

void pack(const ExchangedArray& side, const Blocks& blocks, const double* values, std::byte* out) {
    for (Rank to = 0; to < side.shape.items.parts(); ++to) {
        std::byte* const message = out + blocks.send_offset(to);
        visit_block(side, to, [&](std::int64_t at, std::int64_t place, std::int64_t length) {
            std::memcpy(message + bytes(place), values + at, bytes(length));
        });
    }
}

void unpack(const ExchangedArray& side, const Blocks& blocks, const std::byte* in, double* values) {
    for (Rank from = 0; from < side.shape.items.parts(); ++from) {
        const std::byte* const message = in + blocks.receive_offset(from);
        visit_block(side, from, [&](std::int64_t at, std::int64_t place, std::int64_t length) {
            std::memcpy(values + at, message + bytes(place), bytes(length));
        });
    }
}

}  // namespace

std::int64_t cut_items_size(const ExchangeShape& shape, Rank me) {
    return ExchangedArray{shape, me, true}.size();
}

std::int64_t cut_lanes_size(const ExchangeShape& shape, Rank me) {
    return ExchangedArray{shape, me, false}.size();
}

Task exchange(Comm& group, const ExchangeShape& shape, bool to_lanes, const AlltoallvChoice& choice,
              ExchangeData data) {
    const Rank me = group.rank();
    const bool is_real = data.from != nullptr;
    if (group.size() == 1) {
        if (is_real) std::swap(*data.from, *data.to);
        co_return;
    }
    const ExchangeBlocks blocks(shape, me, to_lanes);
    Alltoallv call{ConstBuffer(blocks.sent()), Buffer(blocks.received()), &blocks};
    if (is_real) {
        data.messages->outgoing.resize(std::size_t(blocks.sent()));
        data.messages->incoming.resize(std::size_t(blocks.received()));
        pack({shape, me, to_lanes}, blocks, numbers(data.from->data()),
             data.messages->outgoing.data());
        call.send = ConstBuffer(data.messages->outgoing.data(), blocks.sent());
        call.receive = Buffer(data.messages->incoming.data(), blocks.received());
    }
    // Packing and unpacking read and write every byte.
    co_await group.compute(Work{0.0, 2 * blocks.sent()});
    co_await choice.algorithm->run(group, call, choice.options);
    co_await group.compute(Work{0.0, 2 * blocks.received()});
    if (is_real) {
        unpack({shape, me, !to_lanes}, blocks, data.messages->incoming.data(),
               numbers(data.to->data()));
    }
}

}  // namespace tradewind::pstswm
