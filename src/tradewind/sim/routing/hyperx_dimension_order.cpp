/// Dimension order on a HyperX, and on the dragonfly of wiring full, which is one.
///
///     (0,0) --> (2,0) --> (2,1)       to (2,1): x in one hop, then y in one hop
///
/// A route has at most one hop per dimension. The links of a dimension are only followed by those
/// of later dimensions, so one channel is free of deadlock.
#include "tradewind/sim/routing/rules.hpp"
#include "tradewind/sim/topology/dragonfly.hpp"
#include "tradewind/sim/topology/hyperx.hpp"

namespace tradewind::sim {

namespace {

class HyperXDimensionOrder final : public Routing {
public:
    explicit HyperXDimensionOrder(const std::vector<HyperXDimension>& dimensions)
        : dimensions_(dimensions) {}

    void launch(Flight&, SwitchId, NodeId, std::uint64_t, const Occupancy&) const override {}

    [[nodiscard]] Hop next(Flight& flight, SwitchId here, PortId /*in_port*/,
                           const Occupancy& /*occupancy*/) const override {
        std::int32_t from_rest = here;
        std::int32_t to_rest = flight.target;
        for (std::size_t index = 0;; ++index) {
            const auto& [extent, stride, first_port] = dimensions_[index];
            const std::int32_t from_above = extent.quotient(from_rest);
            const std::int32_t to_above = extent.quotient(to_rest);
            const std::int32_t from = from_rest - from_above * extent.value();
            const std::int32_t to = to_rest - to_above * extent.value();
            if (from != to) return {first_port + to - (to > from ? 1 : 0), 0};
            from_rest = from_above;
            to_rest = to_above;
        }
    }

    [[nodiscard]] int channels() const override { return 1; }
    [[nodiscard]] bool keeps_order() const override { return true; }

private:
    std::vector<HyperXDimension> dimensions_;
};

}  // namespace

std::unique_ptr<Routing> make_hyperx_dimension_order(const Topology& topology,
                                                     const Settings& /*settings*/) {
    const auto* hyperx = dynamic_cast<const HyperX*>(&topology);
    return hyperx ? std::make_unique<HyperXDimensionOrder>(hyperx->dimensions()) : nullptr;
}

std::unique_ptr<Routing> make_dragonfly_dimension_order(const Topology& topology,
                                                        const Settings& /*settings*/) {
    const auto* dragonfly = dynamic_cast<const Dragonfly*>(&topology);
    if (!dragonfly || dragonfly->shape().wiring != Dragonfly::Wiring::full) return nullptr;
    const auto& shape = dragonfly->shape();
    const HyperX same({shape.x, shape.y, shape.groups}, 1);
    return std::make_unique<HyperXDimensionOrder>(same.dimensions());
}

}  // namespace tradewind::sim
