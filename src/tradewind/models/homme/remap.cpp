/// Treats four columns as the lanes of vectors.
#include "tradewind/models/homme/remap.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tradewind/base/interrupts.hpp"
#include "tradewind/models/homme/columns.hpp"

namespace tradewind::homme {

namespace {

/// The fields that are remapped: wind to the east and north, and temperature.
constexpr int remapped = 3;
constexpr std::int64_t ghosts = 2;

/// The vectors of a layer; those of fields have one for each of them.
enum LayerVector : std::uint8_t {
    layer_thickness,
    layer_mean,
    layer_slope = layer_mean + remapped,
    /// Values at the upper and lower interface, and the integral above the layer.
    layer_upper = layer_slope + remapped,
    layer_lower = layer_upper + remapped,
    layer_above = layer_lower + remapped,
    vectors_per_layer = layer_above + remapped,
};

/// Returns vector `vector` of a layer that is `down` layers below.
[[nodiscard]] TRADEWIND_INLINE const Lanes* below(const Lanes* layer, int down, int vector) {
    return layer + down * vectors_per_layer + vector;
}

TRADEWIND_INLINE void find_magnitude(const Lanes& value, Lanes& magnitude) {
    magnitude = value < 0.0 ? -value : value;
}

/// Computes the slopes of a layer in units of its thickness, limited so that no new extremes arise.
TRADEWIND_INLINE void limit_slopes(Lanes* layer) {
    const Lanes above = *below(layer, -1, layer_thickness);
    const Lanes own = layer[layer_thickness];
    const Lanes under = *below(layer, 1, layer_thickness);
    const Lanes scale = own / (above + own + under);
    const Lanes by_down = (2 * above + own) / (under + own);
    const Lanes by_up = (own + 2 * under) / (above + own);
    for (int f = 0; f < remapped; ++f) {
        const Lanes mean = layer[layer_mean + f];
        const Lanes down = *below(layer, 1, layer_mean + f) - mean;
        const Lanes up = mean - *below(layer, -1, layer_mean + f);
        const Lanes free = scale * (by_down * down + by_up * up);
        Lanes size;
        Lanes size_down;
        Lanes size_up;
        find_magnitude(free, size);
        find_magnitude(down, size_down);
        find_magnitude(up, size_up);
        const Lanes most = 2 * (size_down < size_up ? size_down : size_up);
        const Lanes least = size < most ? size : most;
        const Lanes limited = free < 0.0 ? -least : least;
        layer[layer_slope + f] = down * up > 0.0 ? limited : Lanes{};
    }
}

/// Computes the values at the interface below a layer.
TRADEWIND_INLINE void interpolate(Lanes* layer) {
    const Lanes before = *below(layer, -1, layer_thickness);
    const Lanes own = layer[layer_thickness];
    const Lanes under = *below(layer, 1, layer_thickness);
    const Lanes pair = own + under;
    const Lanes last = *below(layer, 2, layer_thickness);
    const Lanes all = before + pair + last;
    const Lanes upper = (before + own) / (2 * own + under);
    const Lanes lower = (last + under) / (2 * under + own);
    const Lanes share = own / pair;
    const Lanes bend = 2 * under * own / pair * (upper - lower);
    const Lanes by_slope_below = own * upper;
    const Lanes by_slope = under * lower;
    for (int f = 0; f < remapped; ++f) {
        const Lanes mean = layer[layer_mean + f];
        const Lanes difference = *below(layer, 1, layer_mean + f) - mean;
        const Lanes value =
            mean + share * difference +
            (bend * difference - by_slope_below * *below(layer, 1, layer_slope + f) +
             by_slope * layer[layer_slope + f]) /
                all;
        layer[layer_lower + f] = value;
        layer[vectors_per_layer + layer_upper + f] = value;
    }
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

/// Sets the ghost layers beyond top and ground to mirror images.
TRADEWIND_INLINE void mirror(std::int64_t count, Lanes* layers) {
    const std::int64_t last = count + ghosts - 1;
    for (std::int64_t n = 0; n < ghosts; ++n) {
        // A single layer is its own image.
        const std::int64_t inside = std::min(n, count - 1);
        std::copy_n(layers + (ghosts + inside) * vectors_per_layer, layer_slope,
                    layers + (ghosts - 1 - n) * vectors_per_layer);
        std::copy_n(layers + (last - inside) * vectors_per_layer, layer_slope,
                    layers + (last + 1 + n) * vectors_per_layer);
    }
}

/// Computes the parabolas of the layers and the sums of the layers above each interface.
TRADEWIND_INLINE void fit(std::int64_t count, Lanes* layers) {
    const auto at = [layers](std::int64_t j) { return layers + j * vectors_per_layer; };
    const std::int64_t first = ghosts;
    const std::int64_t last = count + ghosts - 1;
    for (std::int64_t j = first - 1; j <= last + 1; ++j) limit_slopes(at(j));
    for (std::int64_t j = first - 1; j <= last; ++j) interpolate(at(j));
    Lanes sums[remapped] = {};
    for (std::int64_t j = first; j <= last; ++j) {
        Lanes* const layer = at(j);
        for (int f = 0; f < remapped; ++f) {
            limit_parabola(layer[layer_mean + f], layer[layer_upper + f], layer[layer_lower + f]);
            layer[layer_above + f] = sums[f];
            sums[f] += layer[layer_thickness] * layer[layer_mean + f];
        }
    }
}

using Places = decltype(Lanes{} < Lanes{});

/// Copies `count` vectors of the layers in which the columns are. Neighbouring columns are mostly
/// in the same layer, or in one of two.
template <int count>
TRADEWIND_INLINE void pick(const Lanes* layers, const Places& place, Lanes* picked) {
    std::int64_t first = place[0];
    std::int64_t last = first;
    for (int n = 1; n < spectral::lane_width; ++n) {
        first = std::min<std::int64_t>(first, place[n]);
        last = std::max<std::int64_t>(last, place[n]);
    }
    std::copy_n(layers + first * vectors_per_layer, count, picked);
    for (std::int64_t j = first + 1; j <= last; ++j) {
        const Places is_here = place == Places{j, j, j, j};
        for (int n = 0; n < count; ++n)
            picked[n] = is_here ? layers[j * vectors_per_layer + n] : picked[n];
    }
}

[[nodiscard]] TRADEWIND_INLINE bool is_any(const Places& mask) {
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
}

/// Integrates the parabolas over the reference layers. The vectors of wind, temperature and
/// thickness of reference layer k are written to result[k * most_fields + field].
TRADEWIND_INLINE void integrate(const HybridLevels& levels, const Lanes& surface,
                                const Lanes* layers, Lanes* result) {
    const std::int64_t count = levels.count();
    const std::int64_t last = count + ghosts - 1;
    Lanes before[remapped] = {};
    Places place = {ghosts, ghosts, ghosts, ghosts};
    Lanes values[vectors_per_layer];
    Lanes top_of_layer{};
    Lanes depth{};
    for (std::int64_t k = 0; k < count; ++k) {
        const Lanes layer = levels.fixed(k) + levels.share(k) * surface;
        depth += layer;
        while (true) {
            pick<1>(layers, place, values);
            // Rounding may put the last interface beside the ground.
            const Lanes bottom = top_of_layer + values[layer_thickness];
            const Places is_past = (bottom <= depth) & (place < last);
            if (!is_any(is_past)) break;
            top_of_layer = is_past ? bottom : top_of_layer;
            place -= is_past;
        }
        pick<vectors_per_layer>(layers, place, values);
        const Lanes h = values[layer_thickness];
        const Lanes x = k + 1 == count ? Lanes{} + 1.0 : (depth - top_of_layer) / h;
        for (int f = 0; f < remapped; ++f) {
            const Lanes upper = values[layer_upper + f];
            const Lanes range = values[layer_lower + f] - upper;
            const Lanes bend =
                6.0 * (values[layer_mean + f] - 0.5 * (upper + values[layer_lower + f]));
            const Lanes part = x * (upper + x * (0.5 * (range + bend) - x * (bend / 3.0)));
            const Lanes to_here = values[layer_above + f] + h * part;
            result[k * most_fields + f] = (to_here - before[f]) / layer;
            before[f] = to_here;
        }
        result[k * most_fields + thickness] = layer;
    }
}

/// The columns of one tile in a field of an element: four points, or fewer at the end.
struct LevelTile {
    std::int64_t first;
    std::int64_t points;

    /// Copies a block of levels to vectors of four columns; missing columns repeat the last one.
    TRADEWIND_INLINE void take(const Lanes* block, Lanes* levels) const {
        for (std::int64_t n = 0; n < spectral::lane_width; ++n)
            levels[n] = block[std::min(first + n, points - 1)];
        transpose(levels, levels);
    }
    TRADEWIND_INLINE void put(const Lanes* levels, Lanes* block) const {
        Lanes columns[spectral::lane_width];
        transpose(levels, columns);
        const std::int64_t count = std::min(points - first, spectral::lane_width);
        for (std::int64_t n = 0; n < count; ++n) block[first + n] = columns[n];
    }
};

/// Remaps the columns of a tile. `work` has vectors of all layers, ghosts and padding.
TRADEWIND_INLINE void remap_tile(const HybridLevels& levels, const LevelTile& tile,
                                 const std::array<Lanes*, most_fields>& fields, Lanes* work) {
    constexpr std::int64_t width = spectral::lane_width;
    const std::int64_t count = levels.count();
    const std::int64_t blocks = spectral::blocks_of(count);
    Lanes* const layers = work;
    Lanes* const result = work + vectors_per_layer * (blocks * width + 2 * ghosts);
    Lanes rows[width];
    Lanes surface = Lanes{} + levels.top();
    for (std::size_t f = 0; f < most_fields; ++f) {
        const int vector = f == thickness ? layer_thickness : layer_mean + int(f);
        for (std::int64_t b = 0; b < blocks; ++b) {
            tile.take(fields[f] + b * tile.points, rows);
            for (std::int64_t k = 0; k < width; ++k)
                layers[(ghosts + b * width + k) * vectors_per_layer + vector] = rows[k];
        }
    }
    for (std::int64_t k = 0; k < count; ++k)
        surface += layers[(ghosts + k) * vectors_per_layer + layer_thickness];
    mirror(count, layers);
    fit(count, layers);
    integrate(levels, surface, layers, result);
    for (std::size_t f = 0; f < most_fields; ++f) {
        for (std::int64_t b = 0; b < blocks; ++b) {
            // The padding repeats the last level.
            for (std::int64_t k = 0; k < width; ++k)
                rows[k] = result[std::min(b * width + k, count - 1) * most_fields + f];
            tile.put(rows, fields[f] + b * tile.points);
        }
    }
}

TRADEWIND_CLONES
void remap_element(const HybridLevels& levels, std::int64_t points,
                   const std::array<Lanes*, most_fields>& fields, Lanes* work) {
    for (std::int64_t first = 0; first < points; first += spectral::lane_width)
        remap_tile(levels, {first, points}, fields, work);
}

}  // namespace

Remap::Remap(HybridLevels levels) : levels_(std::move(levels)) {
    const std::int64_t padded = spectral::blocks_of(levels_.count()) * spectral::lane_width;
    work_ =
        LaneVector((padded + 2 * ghosts) * vectors_per_layer + padded * std::int64_t(most_fields));
}

void Remap::apply(Fields& fields) {
    const FieldShape& shape = fields.shape();
    for (std::int64_t e = 0; e < shape.elements; ++e) {
        check_interrupts(long_operation / 8);
        remap_element(levels_, shape.points,
                      {fields.at(east, e), fields.at(north, e), fields.at(temperature, e),
                       fields.at(thickness, e)},
                      work_.data());
    }
}

}  // namespace tradewind::homme
