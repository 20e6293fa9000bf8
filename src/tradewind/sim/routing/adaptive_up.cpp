/// Adaptive routing on fat-trees: every packet climbs by the least loaded port, then goes down.
///
///     up ports      0     1     2     3        D-mod-k port of the destination: 2
///     bytes       900     0   500     0        search 2, 3, 0, 1: the first least loaded is 3
///
/// All up ports are on shortest routes until the destination lies below, as in the adaptive routing
/// of InfiniBand switches. The search starts at the D-mod-k port (Zahavi et al. 2010), so an idle
/// network routes as d_mod_k does. Parallel cables down are chosen in the same way. Up and then
/// down: one channel is free of deadlock. Packets of a pair may overtake each other.
#include "tradewind/sim/routing/catalogue.hpp"
#include "tradewind/sim/routing/rules.hpp"
#include "tradewind/sim/topology/xgft.hpp"

namespace tradewind::sim {

namespace {

class AdaptiveUp final : public Routing {
public:
    explicit AdaptiveUp(const Xgft& tree) : tree_(tree) {}

    void launch(Flight& flight, SwitchId /*source*/, NodeId destination, std::uint64_t /*random*/,
                const Occupancy& /*occupancy*/) const override {
        flight.note = static_cast<std::uint32_t>(destination);
    }

    [[nodiscard]] Hop next(Flight& flight, SwitchId here, PortId /*in_port*/,
                           const Occupancy& occupancy) const override {
        const std::size_t level = tree_.level_of(here);
        const Xgft::Level& own = tree_.levels()[level];
        const auto destination = static_cast<NodeId>(flight.note);
        const std::int32_t child = tree_.child_towards(here, level, flight.target);
        if (child < 0) {
            const PortId start = own.up.remainder(own.siblings.quotient(destination));
            return {least_loaded({own.down_ports, 1, own.up_ports}, start, occupancy), 0};
        }
        const Xgft::Level& below = tree_.levels()[level - 1];
        const PortId up = below.up.remainder(below.siblings.quotient(destination));
        const std::int32_t children = own.children.value();
        return {least_loaded({child, children, own.down_ports / children},
                             below.parents.quotient(up), occupancy),
                0};
    }

    [[nodiscard]] int channels() const override { return 1; }
    [[nodiscard]] bool keeps_order() const override { return false; }
    [[nodiscard]] bool is_adaptive() const override { return true; }

private:
    /// The ports first, first + step, ...
    struct PortSequence {
        PortId first;
        PortId step;
        PortId count;
    };

    [[nodiscard]] static PortId least_loaded(PortSequence ports, PortId start,
                                             const Occupancy& occupancy) {
        PortId best = ports.first + ports.step * start;
        Bytes least = ports.count > 1 ? occupancy.queued(best) : 0;
        PortId index = start;
        for (PortId tried = 1; tried < ports.count && least > 0; ++tried) {
            index = index + 1 == ports.count ? 0 : index + 1;
            const PortId port = ports.first + ports.step * index;
            const Bytes load = occupancy.queued(port);
            if (load < least) best = port;
            if (load < least) least = load;
        }
        return best;
    }

    const Xgft& tree_;
};

std::unique_ptr<Routing> make_adaptive_up(const Topology& topology, const Settings& /*settings*/) {
    const auto* tree = dynamic_cast<const Xgft*>(&topology);
    return tree ? std::make_unique<AdaptiveUp>(*tree) : nullptr;
}

}  // namespace

extern const RoutingEntry adaptive_up_entry;
constinit const RoutingEntry adaptive_up_entry = {
    "adaptive_up", "up by the least loaded port, then down", {}, make_adaptive_up, families::trees};

}  // namespace tradewind::sim
