/// Treats the three fields of a column as the lanes of a vector.
#include "tradewind/models/homme/remap.hpp"

#include <algorithm>
#include <utility>

namespace tradewind::homme {

namespace {

/// Computes the slope of layer 0 in units of its thickness, limited so that no new extremes arise.
TRADEWIND_INLINE void limit_slope(const double* h, const Lanes* a, Lanes& slope) {
    const Lanes down = a[1] - a[0];
    const Lanes up = a[0] - a[-1];
    const double scale = h[0] / (h[-1] + h[0] + h[1]);
    const Lanes free = scale * ((2 * h[-1] + h[0]) / (h[1] + h[0]) * down +
                                (h[0] + 2 * h[1]) / (h[-1] + h[0]) * up);
    const Lanes size = free < 0.0 ? -free : free;
    const Lanes size_down = down < 0.0 ? -down : down;
    const Lanes size_up = up < 0.0 ? -up : up;
    const Lanes most = 2 * (size_down < size_up ? size_down : size_up);
    const Lanes least = size < most ? size : most;
    const Lanes limited = free < 0.0 ? -least : least;
    slope = down * up > 0.0 ? limited : Lanes{};
}

/// Computes the value at the interface below layer 0.
TRADEWIND_INLINE void interpolate(const double* h, const Lanes* a, const Lanes* slope,
                                  Lanes& value) {
    const double pair = h[0] + h[1];
    const double all = h[-1] + pair + h[2];
    const double upper = (h[-1] + h[0]) / (2 * h[0] + h[1]);
    const double lower = (h[2] + h[1]) / (2 * h[1] + h[0]);
    const Lanes difference = a[1] - a[0];
    value = a[0] + h[0] / pair * difference +
            (2 * h[1] * h[0] / pair * (upper - lower) * difference - h[0] * upper * slope[1] +
             h[1] * lower * slope[0]) /
                all;
}

/// Makes the parabola of a layer monotone.
TRADEWIND_INLINE void limit_parabola(const Lanes& mean, Lanes& upper, Lanes& lower) {
    const Lanes range = lower - upper;
    const Lanes excess = range * (mean - 0.5 * (upper + lower));
    const Lanes bound = range * range / 6.0;
    const Lanes steep_upper = excess > bound ? 3 * mean - 2 * lower : upper;
    const Lanes steep_lower = excess < -bound ? 3 * mean - 2 * upper : lower;
    const auto is_extreme = (lower - mean) * (mean - upper) <= 0.0;
    upper = is_extreme ? mean : steep_upper;
    lower = is_extreme ? mean : steep_lower;
}

}  // namespace

Remap::Remap(HybridLevels levels) : levels_(std::move(levels)) {
    const std::int64_t size = levels_.count() + 2 * ghosts;
    thickness_.resize(std::size_t(size));
    mean_ = LaneVector(size);
    slope_ = LaneVector(size);
    upper_ = LaneVector(size);
    lower_ = LaneVector(size);
    above_ = LaneVector(size);
}

void Remap::mirror() {
    const std::int64_t last = levels_.count() + ghosts - 1;
    for (std::int64_t n = 0; n < ghosts; ++n) {
        // A single layer is its own image.
        const std::int64_t inside = std::min(n, levels_.count() - 1);
        thickness_[std::size_t(ghosts - 1 - n)] = thickness_[std::size_t(ghosts + inside)];
        mean_.data()[ghosts - 1 - n] = mean_.data()[ghosts + inside];
        thickness_[std::size_t(last + 1 + n)] = thickness_[std::size_t(last - inside)];
        mean_.data()[last + 1 + n] = mean_.data()[last - inside];
    }
}

TRADEWIND_CLONES
void Remap::fit() {
    const double* const h = thickness_.data();
    const Lanes* const a = mean_.data();
    Lanes* const slope = slope_.data();
    const std::int64_t first = ghosts;
    const std::int64_t last = levels_.count() + ghosts - 1;
    for (std::int64_t j = first - 1; j <= last + 1; ++j) limit_slope(h + j, a + j, slope[j]);
    for (std::int64_t j = first - 1; j <= last; ++j) {
        interpolate(h + j, a + j, slope + j, lower_.data()[j]);
        upper_.data()[j + 1] = lower_.data()[j];
    }
    Lanes sum{};
    for (std::int64_t j = first; j <= last; ++j) {
        limit_parabola(a[j], upper_.data()[j], lower_.data()[j]);
        above_.data()[j] = sum;
        sum += h[j] * a[j];
    }
}

void Remap::apply_to_column(double* u, double* v, double* t, double* dp) {
    const std::int64_t count = levels_.count();
    double surface = levels_.top();
    for (std::int64_t k = 0; k < count; ++k) {
        thickness_[std::size_t(ghosts + k)] = dp[k];
        mean_.data()[ghosts + k] = Lanes{u[k], v[k], t[k], 0.0};
        surface += dp[k];
    }
    mirror();
    fit();
    Lanes before{};
    std::int64_t j = ghosts;
    double top_of_layer = 0.0;
    double depth = 0.0;
    for (std::int64_t k = 0; k < count; ++k) {
        const double layer = levels_.thickness(k, surface);
        depth += layer;
        // Rounding may put the last interface beside the ground.
        while (j < count + ghosts - 1 && top_of_layer + thickness_[std::size_t(j)] <= depth)
            top_of_layer += thickness_[std::size_t(j++)];
        const double h = thickness_[std::size_t(j)];
        const double x = k + 1 == count ? 1.0 : (depth - top_of_layer) / h;
        const Lanes upper = upper_.data()[j];
        const Lanes range = lower_.data()[j] - upper;
        const Lanes bend = 6.0 * (mean_.data()[j] - 0.5 * (upper + lower_.data()[j]));
        const Lanes part = x * (upper + x * (0.5 * (range + bend) - x * (bend / 3.0)));
        const Lanes to_here = above_.data()[j] + h * part;
        const Lanes mean = (to_here - before) / layer;
        before = to_here;
        u[k] = mean[0];
        v[k] = mean[1];
        t[k] = mean[2];
        dp[k] = layer;
    }
}

void Remap::apply(Fields& fields) {
    const FieldShape& shape = fields.shape();
    for (std::int64_t e = 0; e < shape.elements; ++e) {
        for (std::int64_t p = 0; p < shape.points; ++p) {
            apply_to_column(fields.levels(east, e, p), fields.levels(north, e, p),
                            fields.levels(temperature, e, p), fields.levels(thickness, e, p));
        }
    }
}

}  // namespace tradewind::homme
