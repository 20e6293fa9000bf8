/// Random routing on fat-trees: every packet climbs by random ports, then goes down.
///
///     packets of one pair     1st      2nd      3rd
///     up port of the leaf      2        0        3          any of the minimal ones, evenly
///
/// It spreads the packets of every pair over all shortest routes. Packets that draw the same port
/// wait for each other. A switch that takes its ports in turn comes closer to `adaptive_up`.
/// Up and then down: one channel is free of deadlock.
#include "tradewind/sim/routing/catalogue.hpp"
#include "tradewind/sim/routing/rules.hpp"
#include "tradewind/sim/topology/xgft.hpp"

namespace tradewind::sim {

namespace {

class RandomUp final : public Routing {
public:
    explicit RandomUp(const Xgft& tree) : tree_(tree) {}

    void launch(Flight& flight, SwitchId /*source*/, NodeId /*destination*/, std::uint64_t random,
                const Occupancy& /*occupancy*/) const override {
        flight.note = static_cast<std::uint32_t>(random >> 32U);
    }

    [[nodiscard]] Hop next(Flight& flight, SwitchId here, PortId /*in_port*/,
                           const Occupancy& /*occupancy*/) const override {
        const std::size_t level = tree_.level_of(here);
        const Xgft::Level& own = tree_.levels()[level];
        const std::int32_t child = tree_.child_towards(here, level, flight.target);
        // A choice at each switch of the route, independent of the choices before.
        const std::uint64_t bits = mix(std::uint64_t{flight.note} << 8U | level);
        if (child < 0) {
            const auto up = below(bits, static_cast<std::uint32_t>(own.up_ports));
            return {own.down_ports + static_cast<PortId>(up), 0};
        }
        const PortId children = own.children.value();
        const auto cable = below(bits, static_cast<std::uint32_t>(own.down_ports / children));
        return {child + children * static_cast<PortId>(cable), 0};
    }

    [[nodiscard]] int channels() const override { return 1; }
    [[nodiscard]] bool keeps_order() const override { return false; }

private:
    const Xgft& tree_;
};

std::unique_ptr<Routing> make_random_up(const Topology& topology, const Settings& /*settings*/) {
    const auto* tree = dynamic_cast<const Xgft*>(&topology);
    return tree ? std::make_unique<RandomUp>(*tree) : nullptr;
}

}  // namespace

extern const RoutingEntry random_up_entry;
constinit const RoutingEntry random_up_entry = {
    "random_up", "up by a random port, then down", {}, make_random_up, families::trees};

}  // namespace tradewind::sim
