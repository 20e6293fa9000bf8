/// CubedSphere: the elements of a cube's six faces, their neighbours, and the curve that orders
/// them.
///
///            +---+          sides            corners
///            | 4 |          +-- 2 --+        7 --- 6
///        +---+---+---+---+  |       |        |     |
///        | 3 | 0 | 1 | 2 |  3       1        |     |
///        +---+---+---+---+  |       |        |     |
///            | 5 |          +-- 0 --+        4 --- 5
///            +---+
///
/// Face 0 is centred on longitude 0 of the equator, face 4 on the north pole. All positions are
/// integers, in half elements along the edges of the cube, so that no comparison rounds.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tradewind::homme {

/// A vector with integer components, in half elements.
using CubeVector = std::array<std::int64_t, 3>;

/// The axes of a face: x to the east, y to the north, and the normal outwards.
struct FaceAxes {
    CubeVector x;
    CubeVector y;
    CubeVector normal;
};
[[nodiscard]] const FaceAxes& face_axes(int face) noexcept;

/// The number of sides and corners of an element.
inline constexpr int sides = 8;
inline constexpr int edge_sides = 4;

/// The place of an element: column i to the east and row j to the north on its face.
struct ElementPlace {
    int face = 0;
    std::int64_t i = 0;
    std::int64_t j = 0;
    friend bool operator==(const ElementPlace&, const ElementPlace&) = default;
};

/// A neighbour across a side or corner.
struct ElementNeighbor {
    std::int64_t element = 0;
    /// The side or corner of the neighbour that touches this element.
    int side = 0;
    /// True if the points of the common edge run in opposite directions.
    bool reversed = false;
};

/// A mesh of 6 ne^2 elements. Elements are numbered along a curve that visits neighbours one after
/// the other, so that consecutive numbers make compact parts.
class CubedSphere {
public:
    /// Throws ConfigError unless 1 <= ne <= 8192.
    explicit CubedSphere(std::int64_t ne);

    [[nodiscard]] std::int64_t ne() const noexcept { return ne_; }
    [[nodiscard]] std::int64_t elements() const noexcept { return 6 * ne_ * ne_; }
    [[nodiscard]] ElementPlace place(std::int64_t element) const;
    [[nodiscard]] std::int64_t element(const ElementPlace& place) const;
    /// Returns the neighbour across `side` (0 to 3) or `corner` (4 to 7); none at the eight corners
    /// of the cube.
    [[nodiscard]] std::optional<ElementNeighbor> neighbor(std::int64_t element, int side) const;

private:
    std::int64_t ne_;
    /// The cells of one face in the order of the curve, as row * ne + column, and the reverse.
    std::vector<std::int32_t> cell_at_;
    std::vector<std::int32_t> position_of_;
};

}  // namespace tradewind::homme
