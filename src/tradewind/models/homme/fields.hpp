/// The prognostic fields of the elements of one rank.
#pragma once

#include <array>
#include <span>

#include "tradewind/base/fetch_ahead.hpp"
#include "tradewind/comm/mesh/mesh_exchange.hpp"
#include "tradewind/models/spectral/lanes.hpp"

namespace tradewind::homme {

using spectral::Lanes;
using spectral::LaneVector;

/// Wind to the east and north in m/s, temperature in K, pressure thickness of layers in Pa.
enum FieldName : std::uint8_t { east, north, temperature, thickness };
/// The third and last field of shallow water: the depth of the fluid in m.
enum ShallowWaterField : std::uint8_t { depth = 2 };
inline constexpr std::size_t most_fields = 4;

/// The extents of the fields of one rank.
struct FieldShape {
    std::int64_t elements = 0;
    std::int64_t points = 16;
    std::int64_t levels = 26;
    std::size_t fields = most_fields;

    [[nodiscard]] std::int64_t blocks() const noexcept { return spectral::blocks_of(levels); }
    /// Returns the vectors of an element.
    [[nodiscard]] std::int64_t element() const noexcept { return points * blocks(); }
};

/// The views of all fields of a rank.
struct FieldViews {
    std::array<MeshField, most_fields> fields;
    std::size_t count = 0;

    [[nodiscard]] std::span<const MeshField> span() const { return {fields.data(), count}; }
};

/// The levels of a point of an element, which are in blocks.
class LevelsOfPoint {
public:
    /// `element` has the blocks of `points` points.
    LevelsOfPoint(const Lanes* element, std::int64_t points, std::int64_t point)
        : first_(spectral::numbers(element + point)), stride_(points * spectral::lane_width) {}

    [[nodiscard]] double operator[](std::int64_t level) const {
        return first_[level / spectral::lane_width * stride_ + level % spectral::lane_width];
    }

private:
    const double* first_;
    std::int64_t stride_;
};

/// Fields as [element][block of levels][point][level of the block], levels padded to full blocks.
/// Kernels take one block of an element after the other, and thus memory in its order.
class Fields {
public:
    Fields() = default;
    explicit Fields(const FieldShape& shape) : shape_(shape) {
        for (std::size_t f = 0; f < shape.fields; ++f)
            values_[f] = LaneVector(shape.elements * shape.element());
    }

    [[nodiscard]] const FieldShape& shape() const noexcept { return shape_; }
    /// Returns the values of an element; null for a field that there is not.
    [[nodiscard]] Lanes* at(std::size_t field, std::int64_t element) noexcept {
        if (field >= shape_.fields) return nullptr;
        return values_[field].data() + element * shape_.element();
    }
    [[nodiscard]] const Lanes* at(std::size_t field, std::int64_t element) const noexcept {
        if (field >= shape_.fields) return nullptr;
        return values_[field].data() + element * shape_.element();
    }
    /// Returns the value of a point at a level, which may be one of the padding.
    [[nodiscard]] double& value(std::size_t field, std::int64_t element, std::int64_t point,
                                std::int64_t level) {
        const std::int64_t block = level / spectral::lane_width * shape_.points;
        return spectral::numbers(at(field, element) + block + point)[level % spectral::lane_width];
    }
    [[nodiscard]] LevelsOfPoint column(std::size_t field, std::int64_t element,
                                       std::int64_t point) const {
        return {at(field, element), shape_.points, point};
    }
    /// Returns the views that an exchange of all fields needs, whose items have
    /// FieldShape::element() points.
    [[nodiscard]] FieldViews views() {
        FieldViews views;
        views.count = shape_.fields;
        for (std::size_t f = 0; f < shape_.fields; ++f) {
            double* const first =
                values_[f].size() == 0 ? nullptr : spectral::numbers(values_[f].data());
            views.fields[f] = {.values = first,
                               .point_stride = spectral::lane_width,
                               .layers = shape_.levels,
                               .block = spectral::lane_width,
                               .block_stride = shape_.points * spectral::lane_width};
        }
        return views;
    }

private:
    FieldShape shape_;
    std::array<LaneVector, most_fields> values_;
};

/// Fetches a block of the next element, which is soon written. What is read the processor foresees.
TRADEWIND_INLINE void fetch_next(const Lanes* element, std::int64_t points, std::int64_t blocks,
                                 std::int64_t block) {
    const Lanes* const next = element + points * (blocks + block);
    constexpr std::int64_t lanes_of_line = 2;
    for (std::int64_t n = 0; n < points; n += lanes_of_line) fetch_ahead(next + n);
}

}  // namespace tradewind::homme
