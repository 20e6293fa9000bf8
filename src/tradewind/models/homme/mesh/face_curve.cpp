/// Divides a rectangle into three, or a long one into two, until one row or column is left.
///
///     b2 |  first turns left, second goes along, third comes back
///        +-----------+
///        |  second   |       first:  a2 x b2 with exchanged axes
///        +-----+-----+       second: a x (b - b2)
///        |first|third|       third:  (a - a2) x b2, backwards
///        +-----+-----+
#include "tradewind/models/homme/mesh/face_curve.hpp"

#include <cstdlib>

namespace tradewind::homme {

namespace {

/// A vector along one axis of the square.
struct Stride {
    std::int64_t x = 0;
    std::int64_t y = 0;
    [[nodiscard]] std::int64_t length() const noexcept { return std::abs(x + y); }
    [[nodiscard]] Stride unit() const noexcept { return {(x > 0) - (x < 0), (y > 0) - (y < 0)}; }
    [[nodiscard]] Stride half() const noexcept { return {x / 2, y / 2}; }
    [[nodiscard]] friend Stride operator+(Stride a, Stride b) noexcept {
        return {a.x + b.x, a.y + b.y};
    }
    [[nodiscard]] friend Stride operator-(Stride a, Stride b) noexcept {
        return {a.x - b.x, a.y - b.y};
    }
    [[nodiscard]] friend Stride operator-(Stride a) noexcept { return {-a.x, -a.y}; }
};

/// The cells of a curve, to which rectangles are added.
class Curve {
public:
    explicit Curve(std::int64_t n) : n_(n) { cells_.reserve(std::size_t(n * n)); }
    [[nodiscard]] std::vector<std::int32_t> take() { return std::move(cells_); }

    /// Adds the rectangle that begins at `at` and extends along `a`, the main direction, and `b`.
    void add(Stride at, Stride a, Stride b) {
        if (b.length() == 1) return add_line(at, a);
        if (a.length() == 1) return add_line(at, b);
        Stride a2 = a.half();
        Stride b2 = b.half();
        if (2 * a.length() > 3 * b.length()) {
            if (a2.length() % 2 != 0 && a.length() > 2) a2 = a2 + a.unit();
            add(at, a2, b);
            add(at + a2, a - a2, b);
            return;
        }
        if (b2.length() % 2 != 0 && b.length() > 2) b2 = b2 + b.unit();
        add(at, b2, a2);
        add(at + b2, a, b - b2);
        add(at + (a - a.unit()) + (b2 - b.unit()), -b2, -(a - a2));
    }

private:
    void add_line(Stride at, Stride along) {
        for (std::int64_t i = 0; i < along.length(); ++i) {
            cells_.push_back(std::int32_t(at.y * n_ + at.x));
            at = at + along.unit();
        }
    }

    std::int64_t n_;
    std::vector<std::int32_t> cells_;
};

}  // namespace

std::vector<std::int32_t> face_curve(std::int64_t n) {
    Curve curve(n);
    curve.add({0, 0}, {n, 0}, {0, n});
    return curve.take();
}

}  // namespace tradewind::homme
