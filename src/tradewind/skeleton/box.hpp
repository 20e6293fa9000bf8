/// Boxes of grid points, and copies between a box held in memory and a contiguous message.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "tradewind/base/units.hpp"
#include "tradewind/comm/types.hpp"

namespace tradewind::skeleton {

/// Values along x, y and z; for a grid the numbers of points nx, ny, nz.
using Extents = std::array<std::int64_t, 3>;

/// The grid points start <= (x, y, z) < start + size. In memory x runs fastest, then y, z and the
/// field.
struct Box {
    Extents start{};
    Extents size{};

    [[nodiscard]] std::int64_t points() const noexcept { return size[0] * size[1] * size[2]; }
    /// Returns the position of a point in memory, in elements of one field.
    [[nodiscard]] std::int64_t index(std::int64_t x, std::int64_t y,
                                     std::int64_t z) const noexcept {
        return ((z - start[2]) * size[1] + (y - start[1])) * size[0] + (x - start[0]);
    }
};

/// The data at a grid point.
struct Elements {
    Bytes size = 8;
    std::int64_t fields = 1;

    [[nodiscard]] Bytes per_point() const noexcept { return size * fields; }
};

/// The memory of the messages made from a field, kept from one exchange to the next.
struct MessageMemory {
    std::vector<std::byte> outgoing;
    std::vector<std::byte> incoming;
};

/// The part of some fields that one rank holds, and the memory of the messages made from it.
/// Skeletons without a field send the same messages with null buffers.
struct LocalField : MessageMemory {
    std::vector<std::byte> values;
};

/// Calls visit(offset in `box`, offset in the message, length), in bytes, for each row of `region`.
template <class Visit>
void visit_rows(const Box& box, const Box& region, Elements elements, Visit visit) {
    const Bytes row = region.size[0] * elements.size;
    Bytes in_message = 0;
    for (std::int64_t field = 0; field < elements.fields; ++field) {
        for (std::int64_t z = region.start[2]; z < region.start[2] + region.size[2]; ++z) {
            for (std::int64_t y = region.start[1]; y < region.start[1] + region.size[1]; ++y) {
                const std::int64_t element =
                    field * box.points() + box.index(region.start[0], y, z);
                visit(element * elements.size, in_message, static_cast<std::size_t>(row));
                in_message += row;
            }
        }
    }
}

/// Returns the work of packing or unpacking a region, each of whose rows is a block.
[[nodiscard]] inline LocalWork packing(const Box& region, Elements elements) noexcept {
    const std::int64_t points = region.points();
    if (points == 0) return {};
    return {points * elements.per_point(), points / region.size[0] * elements.fields, 0};
}

inline void pack(const std::byte* values, const Box& box, const Box& region, Elements elements,
                 std::byte* message) {
    visit_rows(box, region, elements, [=](Bytes in_box, Bytes in_message, std::size_t length) {
        std::memcpy(message + in_message, values + in_box, length);
    });
}

inline void unpack(const std::byte* message, const Box& box, const Box& region, Elements elements,
                   std::byte* values) {
    visit_rows(box, region, elements, [=](Bytes in_box, Bytes in_message, std::size_t length) {
        std::memcpy(values + in_box, message + in_message, length);
    });
}

}  // namespace tradewind::skeleton
