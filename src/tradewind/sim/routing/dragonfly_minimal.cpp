/// Minimal routes on a dragonfly of two-dimensional groups: at most one global link, x before y.
///
///     wiring full      (x,y,g) ==> (x,y,g') --> (x',y,g') --> (x',y',g')              <= 3 hops
///     others           (x,y,g) --> --> gateway ==> (.,.,g') --> --> (x',y',g')        <= 5 hops
///
/// Full: links are used in the order global, x, y, so one channel is free of deadlock. Others: the
/// gateway lies on a shortest route; a packet never turns from y to x inside a group (see
/// Dragonfly::gateway), so channel 0 in the first group (with its global link) and channel 1 in the
/// second are free of deadlock.
#include "tradewind/sim/routing/rules.hpp"
#include "tradewind/sim/topology/dragonfly.hpp"

namespace tradewind::sim {

namespace {

class DragonflyFullMinimal final : public Routing {
public:
    explicit DragonflyFullMinimal(const Dragonfly& dragonfly)
        : row_(dragonfly.row()),
          group_(dragonfly.group()),
          rows_(dragonfly.shape().y),
          first_column_(dragonfly.shape().x - 1),
          first_global_(dragonfly.first_global()) {}

    void launch(Flight&, SwitchId, NodeId, std::uint64_t, const Occupancy&) const override {}

    [[nodiscard]] Hop next(Flight& flight, SwitchId here, PortId /*in_port*/,
                           const Occupancy& /*occupancy*/) const override {
        const std::int32_t from_group = group_.quotient(here);
        const std::int32_t to_group = group_.quotient(flight.target);
        const std::int32_t from_row = row_.quotient(here);
        const std::int32_t to_row = row_.quotient(flight.target);
        const std::int32_t from_x = here - from_row * row_.value();
        const std::int32_t to_x = flight.target - to_row * row_.value();
        // All three ports, then a choice without branches: which of them it is cannot be predicted.
        const PortId column =
            first_column_ + to_row - to_group * rows_ - (to_row > from_row ? 1 : 0);
        const PortId row = to_x - (to_x > from_x ? 1 : 0);
        const PortId global = first_global_ + to_group - (to_group > from_group ? 1 : 0);
        const PortId local = from_x != to_x ? row : column;
        return {from_group != to_group ? global : local, 0};
    }

    [[nodiscard]] int channels() const override { return 1; }
    [[nodiscard]] bool keeps_order() const override { return true; }

private:
    Divisor row_;
    Divisor group_;
    std::int32_t rows_;
    PortId first_column_;
    PortId first_global_;
};

class DragonflyGatewayMinimal final : public Routing {
public:
    explicit DragonflyGatewayMinimal(const Dragonfly& dragonfly) : dragonfly_(dragonfly) {}

    void launch(Flight& flight, SwitchId source, NodeId destination, std::uint64_t /*random*/,
                const Occupancy& /*occupancy*/) const override {
        flight.note = pair_hash(source, destination);
    }

    [[nodiscard]] Hop next(Flight& flight, SwitchId here, PortId in_port,
                           const Occupancy& /*occupancy*/) const override {
        const Divisor& group = dragonfly_.group();
        const std::int32_t from_group = group.quotient(here);
        const std::int32_t to_group = group.quotient(flight.target);
        const std::int32_t from = here - from_group * group.value();
        const std::int32_t to = flight.target - to_group * group.value();
        if (from_group == to_group) {
            const bool came = flight.channel > 0 || in_port >= dragonfly_.first_global();
            return {dragonfly_.local_port(from, to), static_cast<std::uint8_t>(came ? 1 : 0)};
        }
        const std::int32_t offset = dragonfly_.offset(from_group, to_group);
        const std::int32_t gateway = dragonfly_.gateway(from, to, offset, flight.note);
        if (gateway != from) return {dragonfly_.local_port(from, gateway), 0};
        return {dragonfly_.global_port(offset, from, static_cast<std::int32_t>(flight.note & 1U)),
                0};
    }

    [[nodiscard]] int channels() const override { return 2; }
    [[nodiscard]] bool keeps_order() const override { return true; }

private:
    const Dragonfly& dragonfly_;
};

}  // namespace

std::unique_ptr<Routing> make_dragonfly_minimal(const Topology& topology,
                                                const Settings& /*settings*/) {
    const auto* dragonfly = dynamic_cast<const Dragonfly*>(&topology);
    if (!dragonfly) return nullptr;
    if (dragonfly->shape().wiring != Dragonfly::Wiring::full) {
        return std::make_unique<DragonflyGatewayMinimal>(*dragonfly);
    }
    return std::make_unique<DragonflyFullMinimal>(*dragonfly);
}

}  // namespace tradewind::sim
