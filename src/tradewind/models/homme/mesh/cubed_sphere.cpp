/// Finds neighbours by folding positions over the edges of the cube.
#include "tradewind/models/homme/mesh/cubed_sphere.hpp"

#include <cstdlib>

#include "tradewind/base/errors.hpp"
#include "tradewind/base/interrupts.hpp"
#include "tradewind/models/homme/mesh/face_curve.hpp"

namespace tradewind::homme {

namespace {

constexpr FaceAxes axes[6] = {
    {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}},   {{-1, 0, 0}, {0, 0, 1}, {0, 1, 0}},
    {{0, -1, 0}, {0, 0, 1}, {-1, 0, 0}}, {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
    {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}},  {{0, 1, 0}, {1, 0, 0}, {0, 0, -1}},
};

/// A symmetry of the square: the curve's column and row, each perhaps backwards, as the face's
/// column and row or exchanged.
struct Turn {
    bool exchanged = false;
    bool column_backwards = false;
    bool row_backwards = false;
};

/// The faces in the order of the curve, and how each is turned: every face begins at the corner of
/// the cube where the one before ends.
struct CurveFace {
    int face;
    Turn turn;
};

[[nodiscard]] CubeVector combine(const FaceAxes& of, std::int64_t x, std::int64_t y,
                                 std::int64_t normal) {
    CubeVector sum{};
    for (std::size_t c = 0; c < 3; ++c) sum[c] = x * of.x[c] + y * of.y[c] + normal * of.normal[c];
    return sum;
}

[[nodiscard]] std::int64_t dot(const CubeVector& a, const CubeVector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Applies a turn to a cell of a square of n x n cells.
[[nodiscard]] std::array<std::int64_t, 2> turned(const Turn& turn, std::int64_t n,
                                                 std::array<std::int64_t, 2> cell) {
    if (turn.column_backwards) cell[0] = n - 1 - cell[0];
    if (turn.row_backwards) cell[1] = n - 1 - cell[1];
    if (turn.exchanged) std::swap(cell[0], cell[1]);
    return cell;
}

[[nodiscard]] std::array<std::int64_t, 2> turned_back(const Turn& turn, std::int64_t n,
                                                      std::array<std::int64_t, 2> cell) {
    if (turn.exchanged) std::swap(cell[0], cell[1]);
    if (turn.column_backwards) cell[0] = n - 1 - cell[0];
    if (turn.row_backwards) cell[1] = n - 1 - cell[1];
    return cell;
}

/// Returns the corner of the cube at the beginning or end of the curve on a face.
[[nodiscard]] CubeVector end_of(const CurveFace& one, bool last) {
    const auto cell = turned(one.turn, 2, {last ? 1 : 0, 0});
    return combine(axes[one.face], 2 * cell[0] - 1, 2 * cell[1] - 1, 1);
}

/// Extends a chain of faces to all six; returns false if it has no continuation.
bool extend(std::vector<CurveFace>& chain, unsigned used) {
    if (chain.size() == 6) return true;
    for (int face = 0; face < 6; ++face) {
        if ((used >> unsigned(face) & 1U) != 0) continue;
        for (unsigned bits = 0; bits < 8; ++bits) {
            const CurveFace next{face, {(bits & 1U) != 0, (bits & 2U) != 0, (bits & 4U) != 0}};
            if (!chain.empty() && end_of(chain.back(), true) != end_of(next, false)) continue;
            chain.push_back(next);
            if (extend(chain, used | 1U << unsigned(face))) return true;
            chain.pop_back();
        }
    }
    return false;
}

[[nodiscard]] std::vector<CurveFace> chain_of_faces() {
    std::vector<CurveFace> chain;
    (void)extend(chain, 0);
    return chain;
}

/// The chain, and the position in it of each face.
struct FaceOrder {
    std::vector<CurveFace> faces = chain_of_faces();
    std::array<int, 6> position{};
    FaceOrder() {
        for (int k = 0; k < 6; ++k) position[std::size_t(faces[std::size_t(k)].face)] = k;
    }
};

[[nodiscard]] const FaceOrder& face_order() {
    static const FaceOrder order;
    return order;
}

/// Displacements of the neighbours' centres and of this element's corners, by side.
constexpr std::array<std::int64_t, 2> direction[sides] = {{0, -1},  {1, 0},  {0, 1}, {-1, 0},
                                                          {-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
/// The first and last corner of each edge, in the order of its points.
constexpr int edge_ends[edge_sides][2] = {{4, 5}, {5, 6}, {7, 6}, {4, 7}};

/// The centre of an element in the coordinates of its face, in half elements.
struct FaceCentre {
    int face;
    std::int64_t x;
    std::int64_t y;
};

[[nodiscard]] FaceCentre centre_of(const ElementPlace& place, std::int64_t ne) {
    return {place.face, 2 * place.i + 1 - ne, 2 * place.j + 1 - ne};
}

[[nodiscard]] CubeVector corner_of(const FaceCentre& centre, int corner, std::int64_t ne) {
    const auto& to = direction[corner];
    return combine(axes[centre.face], centre.x + to[0], centre.y + to[1], ne);
}

/// Returns the centre at (x, y) of a face, which may lie up to one element beyond one of its edges;
/// none if it lies beyond two.
[[nodiscard]] std::optional<FaceCentre> fold(FaceCentre centre, std::int64_t ne) {
    const bool x_beyond = std::abs(centre.x) > ne;
    const bool y_beyond = std::abs(centre.y) > ne;
    if (!x_beyond && !y_beyond) return centre;
    if (x_beyond && y_beyond) return {};
    const auto edge = [&](std::int64_t value) { return value > 0 ? ne : -ne; };
    const CubeVector at = x_beyond ? combine(axes[centre.face], edge(centre.x), centre.y, ne - 1)
                                   : combine(axes[centre.face], centre.x, edge(centre.y), ne - 1);
    for (int face = 0; face < 6; ++face) {
        if (dot(at, axes[face].normal) == ne)
            return FaceCentre{face, dot(at, axes[face].x), dot(at, axes[face].y)};
    }
    return {};
}

}  // namespace

const FaceAxes& face_axes(int face) noexcept {
    return axes[face];
}

CubedSphere::CubedSphere(std::int64_t ne) : ne_(ne) {
    if (ne < 1 || ne > 8192)
        throw ConfigError(text("homme: ne = ", ne, " elements per edge is not in 1..8192"));
    cell_at_ = face_curve(ne);
    position_of_.resize(cell_at_.size());
    for (std::size_t k = 0; k < cell_at_.size(); ++k)
        position_of_[std::size_t(cell_at_[k])] = std::int32_t(k);
}

ElementPlace CubedSphere::place(std::int64_t element) const {
    const std::int64_t cells = ne_ * ne_;
    const CurveFace& one = face_order().faces[std::size_t(element / cells)];
    const std::int64_t cell = cell_at_[std::size_t(element % cells)];
    const auto [i, j] = turned(one.turn, ne_, {cell % ne_, cell / ne_});
    return {one.face, i, j};
}

std::int64_t CubedSphere::element(const ElementPlace& place) const {
    const std::int64_t k = face_order().position[std::size_t(place.face)];
    const auto [i, j] =
        turned_back(face_order().faces[std::size_t(k)].turn, ne_, {place.i, place.j});
    return k * ne_ * ne_ + position_of_[std::size_t(j * ne_ + i)];
}

std::optional<ElementNeighbor> CubedSphere::neighbor(std::int64_t element, int side) const {
    check_interrupts(8);
    const FaceCentre centre = centre_of(place(element), ne_);
    const auto& to = direction[side];
    const auto other = fold({centre.face, centre.x + 2 * to[0], centre.y + 2 * to[1]}, ne_);
    if (!other) return {};
    const ElementPlace found{other->face, (other->x + ne_ - 1) / 2, (other->y + ne_ - 1) / 2};
    ElementNeighbor neighbor{this->element(found), 0, false};
    if (side >= edge_sides) {
        const CubeVector touched = corner_of(centre, side, ne_);
        neighbor.side = edge_sides;
        while (neighbor.side < sides && corner_of(*other, neighbor.side, ne_) != touched)
            ++neighbor.side;
        return neighbor;
    }
    const CubeVector first = corner_of(centre, edge_ends[side][0], ne_);
    const CubeVector last = corner_of(centre, edge_ends[side][1], ne_);
    for (; neighbor.side < edge_sides; ++neighbor.side) {
        const CubeVector begin = corner_of(*other, edge_ends[neighbor.side][0], ne_);
        const CubeVector end = corner_of(*other, edge_ends[neighbor.side][1], ne_);
        neighbor.reversed = begin == last && end == first;
        if (neighbor.reversed || (begin == first && end == last)) break;
    }
    return neighbor;
}

}  // namespace tradewind::homme
