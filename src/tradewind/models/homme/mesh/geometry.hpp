/// The equiangular gnomonic map of an element and its metric terms, on a sphere of radius 1.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tradewind/models/homme/mesh/cubed_sphere.hpp"
#include "tradewind/models/homme/mesh/gauss_lobatto.hpp"

namespace tradewind::homme {

/// A 2 x 2 matrix, row by row.
using Matrix2 = std::array<double, 4>;

/// A point of an element.
struct PointGeometry {
    std::array<double, 3> position;
    double longitude = 0.0;
    double latitude = 0.0;
    /// The derivatives of the position to the east and north by the coordinates x and y of the
    /// reference element [-1, 1]^2: a vector's components (u, v) are `to_sphere` times its
    /// contravariant ones.
    Matrix2 to_sphere;
    Matrix2 from_sphere;
    /// The determinant of `to_sphere`: the area per area of the reference element.
    double area = 0.0;
};

/// The map of the reference element to the sphere for all elements of a mesh.
class CubeGeometry {
public:
    CubeGeometry(const CubedSphere& mesh, const GaussLobatto& rule);

    /// Returns the point (i, j) of an element's nodes, i to the east of its face.
    [[nodiscard]] PointGeometry point(std::int64_t element, int i, int j) const;
    /// Returns the point at (x, y) of the reference element.
    [[nodiscard]] PointGeometry point_at(std::int64_t element, double x, double y) const;
    /// Returns the element and the reference coordinates of a position of length 1.
    struct Location {
        std::int64_t element;
        double x;
        double y;
    };
    [[nodiscard]] Location locate(const std::array<double, 3>& position) const;

private:
    [[nodiscard]] PointGeometry map(const ElementPlace& place, double tan_x, double tan_y) const;

    const CubedSphere* mesh_;
    int count_;
    /// The tangent of the angle of every node along a face, [cell][node].
    std::vector<double> tangents_;
};

}  // namespace tradewind::homme
