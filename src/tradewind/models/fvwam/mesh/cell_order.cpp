#include "tradewind/models/fvwam/mesh/cell_order.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tradewind/base/interrupts.hpp"

namespace tradewind::fvwam {

namespace {

constexpr int bits = 20;

/// Returns the place on the curve of a point of a grid of 2^bits points along each axis.
[[nodiscard]] std::uint64_t place_on_curve(std::array<std::uint32_t, 3> x) {
    for (std::uint32_t bit = 1U << (bits - 1); bit > 1; bit >>= 1) {
        const std::uint32_t low = bit - 1;
        for (std::uint32_t& axis : x) {
            const std::uint32_t swap = (axis & bit) != 0 ? 0 : (x[0] ^ axis) & low;
            if ((axis & bit) != 0) x[0] ^= low;
            x[0] ^= swap;
            axis ^= swap;
        }
    }
    x[1] ^= x[0];
    x[2] ^= x[1];
    std::uint32_t flip = 0;
    for (std::uint32_t bit = 1U << (bits - 1); bit > 1; bit >>= 1)
        if ((x[2] & bit) != 0) flip ^= bit - 1;
    std::uint64_t place = 0;
    for (int bit = bits - 1; bit >= 0; --bit)
        for (const std::uint32_t axis : x) place = place << 1 | ((axis ^ flip) >> bit & 1);
    return place;
}

[[nodiscard]] std::uint32_t grid_point(double coordinate) {
    const double scaled = (coordinate + 1) / 2 * double((1U << bits) - 1);
    return std::uint32_t(std::clamp(scaled, 0.0, double((1U << bits) - 1)));
}

}  // namespace

std::vector<std::int32_t> hilbert_order(std::span<const double> longitude,
                                        std::span<const double> latitude) {
    std::vector<std::pair<std::uint64_t, std::int32_t>> places;
    places.reserve(longitude.size());
    for (std::size_t i = 0; i < longitude.size(); ++i) {
        check_interrupts(64);
        const double x = std::cos(latitude[i]) * std::cos(longitude[i]);
        const double y = std::cos(latitude[i]) * std::sin(longitude[i]);
        const double z = std::sin(latitude[i]);
        places.emplace_back(place_on_curve({grid_point(x), grid_point(y), grid_point(z)}),
                            std::int32_t(i));
    }
    std::ranges::sort(places);
    std::vector<std::int32_t> order;
    order.reserve(places.size());
    for (const auto& [place, cell] : places) order.push_back(cell);
    return order;
}

}  // namespace tradewind::fvwam
