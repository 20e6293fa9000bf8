/// Minimal routes on the canonical dragonfly: local, global, local (Kim et al. 2008).
///
///     router --> gateway ==> router' --> target        <= 3 hops
///     channel  0          0            1
///
/// A packet takes one of the parallel global links between two groups that is on a shortest route.
/// Channel 0 goes from local to global links and channel 1 uses local links only: no cycle, no
/// deadlock.
#include "tradewind/sim/routing/rules.hpp"
#include "tradewind/sim/topology/dragonfly_canonical.hpp"

namespace tradewind::sim {

namespace {

class DragonflyCanonicalMinimal final : public Routing {
public:
    explicit DragonflyCanonicalMinimal(const DragonflyCanonical& dragonfly)
        : dragonfly_(dragonfly) {}

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
        if (from_group == to_group) {
            const std::int32_t to = flight.target - to_group * group.value();
            const bool came = flight.channel > 0 || in_port >= dragonfly_.first_global();
            return {to - (to > from ? 1 : 0), static_cast<std::uint8_t>(came ? 1 : 0)};
        }
        const std::int32_t link = dragonfly_.exit(here, flight.target, flight.note);
        const std::int32_t router = dragonfly_.router_of(link);
        if (router == from) return {dragonfly_.port_of(link), 0};
        return {router - (router > from ? 1 : 0), 0};
    }

    [[nodiscard]] int channels() const override { return 2; }
    [[nodiscard]] bool keeps_order() const override { return true; }

private:
    const DragonflyCanonical& dragonfly_;
};

}  // namespace

std::unique_ptr<Routing> make_dragonfly_canonical_minimal(const Topology& topology,
                                                          const Settings& /*settings*/) {
    const auto* dragonfly = dynamic_cast<const DragonflyCanonical*>(&topology);
    return dragonfly ? std::make_unique<DragonflyCanonicalMinimal>(*dragonfly) : nullptr;
}

}  // namespace tradewind::sim
