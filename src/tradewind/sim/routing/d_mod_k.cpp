/// D-mod-k on fat-trees: the digits of the destination choose the way up (Zahavi et al. 2010).
///
///     XGFT(2; 2,2; 1,2)     top     2       3        destination d leaves level l by up port
///                                   |\     /|
///                                   |  \ /  |        floor(d / (w1 .. wl)) mod (w(l+1) p(l+1)):
///                                   | /  \  |
///                           leaves  0       1        even d over switch 2, odd d over switch 3
///                                  0 1     2 3
///
/// Down, the child is the one above the destination, on the parallel cable by which packets to d
/// would come up. A link below carries only packets to fixed destinations, so every cyclic shift of
/// nodes uses each link of a full tree once. Up and then down: one channel is free of deadlock.
#include "tradewind/sim/routing/catalogue.hpp"
#include "tradewind/sim/routing/rules.hpp"
#include "tradewind/sim/topology/xgft.hpp"

namespace tradewind::sim {

namespace {

class DModK final : public Routing {
public:
    explicit DModK(const Xgft& tree) : tree_(tree) {}

    void launch(Flight& flight, SwitchId /*source*/, NodeId destination, std::uint64_t /*random*/,
                const Occupancy& /*occupancy*/) const override {
        flight.note = static_cast<std::uint32_t>(destination);
    }

    [[nodiscard]] Hop next(Flight& flight, SwitchId here, PortId /*in_port*/,
                           const Occupancy& /*occupancy*/) const override {
        const std::size_t level = tree_.level_of(here);
        const Xgft::Level& own = tree_.levels()[level];
        const auto destination = static_cast<NodeId>(flight.note);
        const std::int32_t child = tree_.child_towards(here, level, flight.target);
        if (child < 0) return {own.down_ports + up_port(own, destination), 0};
        const Xgft::Level& below = tree_.levels()[level - 1];
        const std::int32_t cable = below.parents.quotient(up_port(below, destination));
        return {child + own.children.value() * cable, 0};
    }

    [[nodiscard]] int channels() const override { return 1; }
    [[nodiscard]] bool keeps_order() const override { return true; }
    [[nodiscard]] bool meets_at_every_link() const override { return tree_.is_tapered(); }

private:
    [[nodiscard]] static PortId up_port(const Xgft::Level& level, NodeId destination) noexcept {
        return level.up.remainder(level.siblings.quotient(destination));
    }

    const Xgft& tree_;
};

}  // namespace

std::unique_ptr<Routing> make_d_mod_k(const Topology& topology, const Settings& /*settings*/) {
    const auto* tree = dynamic_cast<const Xgft*>(&topology);
    return tree ? std::make_unique<DModK>(*tree) : nullptr;
}

extern const RoutingEntry d_mod_k_entry;
constinit const RoutingEntry d_mod_k_entry = {
    "d_mod_k", "up by the digits of the destination, then down", {}, make_d_mod_k, families::trees};

}  // namespace tradewind::sim
