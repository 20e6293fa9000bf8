/// Rectangles of the process grid, level by level from the node to the whole machine.
#include "tradewind/simcomm/tiles.hpp"

#include <algorithm>
#include <numeric>

#include "tradewind/base/errors.hpp"

namespace tradewind::simcomm {

namespace {

/// The arrangement of the parts of a level: `width` side by side, `height` one above the other.
struct Rectangle {
    std::int64_t width = 1;
    std::int64_t height = 1;

    [[nodiscard]] std::int64_t parts() const noexcept { return width * height; }
};

using Levels = std::vector<sim::NumberingLevel>;

/// Returns the levels of nodes, and of switches below those of the topology. Levels of one part are
/// left out.
Levels levels_of(std::int32_t ranks_per_node, const sim::Topology& topology) {
    Levels levels{{ranks_per_node, false}, {topology.nodes_per_switch(), false}};
    const Levels above = topology.numbering();
    levels.insert(levels.end(), above.begin(), above.end());
    std::erase_if(levels, [](const auto& level) { return level.parts == 1; });
    return levels;
}

/// Returns the arrangement of `parts` parts of the given shape that is nearest to a square.
Rectangle squarest(std::int64_t parts, const Rectangle& part) {
    const auto elongation = [&](const Rectangle& shape) {
        const std::int64_t width = shape.width * part.width;
        const std::int64_t height = shape.height * part.height;
        return double(std::max(width, height)) / double(std::min(width, height));
    };
    Rectangle best{parts, 1};
    for (std::int64_t width = parts; width >= 1; --width) {
        const Rectangle shape{width, parts / width};
        if (shape.parts() == parts && elongation(shape) < elongation(best)) best = shape;
    }
    return best;
}

/// Returns the shapes of all levels but the highest one, which takes the rest of the process grid.
std::vector<Rectangle> shapes_below(const Levels& levels) {
    std::vector<Rectangle> shapes;
    Rectangle whole;
    int lines = 0;
    for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
        const std::int64_t parts = levels[l].parts;
        Rectangle shape = squarest(parts, whole);
        if (levels[l].line && lines < 2)
            shape = lines++ == 0 ? Rectangle{parts, 1} : Rectangle{1, parts};
        whole = {whole.width * shape.width, whole.height * shape.height};
        shapes.push_back(shape);
    }
    return shapes;
}

/// The places of the ranks on a machine whose highest level is as large as they need.
class Layout {
public:
    Layout(const ProcessGrid& grid, const Levels& levels)
        : grid_(grid), shapes_(shapes_below(levels)) {
        Rectangle below;
        for (const Rectangle& shape : shapes_)
            below = {below.width * shape.width, below.height * shape.height};
        highest_ = {(grid.cx + below.width - 1) / below.width,
                    (grid.cy + below.height - 1) / below.height};
    }

    [[nodiscard]] std::int64_t highest_parts() const noexcept { return highest_.parts(); }

    /// Returns the number of the rank's place, counted through all levels.
    [[nodiscard]] std::int64_t place(Rank rank) const {
        std::int64_t x = grid_.column(rank);
        std::int64_t y = grid_.row(rank);
        std::int64_t result = 0;
        std::int64_t stride = 1;
        for (const Rectangle& shape : shapes_) {
            result += stride * (x % shape.width + shape.width * (y % shape.height));
            stride *= shape.parts();
            x /= shape.width;
            y /= shape.height;
        }
        return result + stride * (x + highest_.width * y);
    }

private:
    ProcessGrid grid_;
    std::vector<Rectangle> shapes_;
    Rectangle highest_;
};

/// Numbers the places anew in the same order without gaps.
void close_gaps(std::vector<std::int64_t>& places) {
    std::vector<std::size_t> order(places.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t rank) { return places[rank]; });
    for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = std::int64_t(i);
}

}  // namespace

std::vector<std::int64_t> place_tiles(const ProcessGrid& grid, std::int32_t ranks_per_node,
                                      const sim::Topology& topology) {
    const Rank ranks = grid.cx * grid.cy;
    const std::int64_t room = std::int64_t{topology.nodes()} * ranks_per_node;
    if (grid.cx < 1 || grid.cy < 1 || ranks > room) {
        throw ConfigError(text("placement: a process grid of ", grid.cx, " x ", grid.cy,
                               " does not fit a machine with room for 1..", room, " ranks"));
    }
    const Levels levels = levels_of(ranks_per_node, topology);
    const Layout layout(grid, levels);
    std::vector<std::int64_t> places;
    places.reserve(std::size_t(ranks));
    for (Rank r = 0; r < ranks; ++r) places.push_back(layout.place(r));
    const std::int64_t most_parts = levels.empty() ? 1 : levels.back().parts;
    if (layout.highest_parts() > most_parts) close_gaps(places);
    for (std::int64_t& place : places) place /= ranks_per_node;
    return places;
}

}  // namespace tradewind::simcomm
