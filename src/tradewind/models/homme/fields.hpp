/// The prognostic fields of the elements of one rank.
#pragma once

#include <array>

#include "tradewind/base/fetch_ahead.hpp"
#include "tradewind/comm/mesh/mesh_exchange.hpp"
#include "tradewind/models/spectral/lanes.hpp"

namespace tradewind::homme {

using spectral::Lanes;
using spectral::LaneVector;

/// Wind to the east and north in m/s, temperature in K, pressure thickness of layers in Pa.
enum FieldName : std::uint8_t { east, north, temperature, thickness };
inline constexpr std::size_t field_count = 4;

/// The extents of the fields of one rank.
struct FieldShape {
    std::int64_t elements = 0;
    std::int64_t points = 16;
    std::int64_t levels = 26;

    [[nodiscard]] std::int64_t blocks() const noexcept { return spectral::blocks_of(levels); }
    /// Returns the vectors of an element.
    [[nodiscard]] std::int64_t element() const noexcept { return points * blocks(); }
};

/// Fields as [element][point][level], levels padded to full vectors.
class Fields {
public:
    Fields() = default;
    explicit Fields(const FieldShape& shape) : shape_(shape) {
        for (LaneVector& values : values_) values = LaneVector(shape.elements * shape.element());
    }

    [[nodiscard]] const FieldShape& shape() const noexcept { return shape_; }
    [[nodiscard]] Lanes* at(std::size_t field, std::int64_t element) noexcept {
        return values_[field].data() + element * shape_.element();
    }
    [[nodiscard]] const Lanes* at(std::size_t field, std::int64_t element) const noexcept {
        return values_[field].data() + element * shape_.element();
    }
    /// Returns the levels of a point.
    [[nodiscard]] double* levels(std::size_t field, std::int64_t element, std::int64_t point) {
        return spectral::numbers(at(field, element) + point * shape_.blocks());
    }
    [[nodiscard]] const double* levels(std::size_t field, std::int64_t element,
                                       std::int64_t point) const {
        return spectral::numbers(at(field, element) + point * shape_.blocks());
    }
    /// Returns the views that an exchange of all fields needs.
    [[nodiscard]] std::array<MeshField, field_count> views() {
        std::array<MeshField, field_count> views;
        for (std::size_t f = 0; f < field_count; ++f) {
            double* const first =
                values_[f].size() == 0 ? nullptr : spectral::numbers(values_[f].data());
            views[f] = {first, shape_.blocks() * spectral::lane_width, shape_.levels, 1};
        }
        return views;
    }

private:
    FieldShape shape_;
    std::array<LaneVector, field_count> values_;
};

/// Fetches a share of the next element's values, one share for each block of levels. Kernels read
/// the points of a block far apart, which the processor does not foresee.
TRADEWIND_INLINE void fetch_next(const Lanes* element, std::int64_t points, std::int64_t blocks,
                                 std::int64_t block) {
    const Lanes* const share = element + points * blocks + points * block;
    constexpr std::int64_t lanes_of_line = 2;
    for (std::int64_t n = 0; n < points; n += lanes_of_line) fetch_ahead(share + n);
}

}  // namespace tradewind::homme
