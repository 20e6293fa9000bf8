/// Valiant: minimal to a random switch, then minimal to the destination (Valiant 1982).
///
///     source --> ... --> random switch --> ... --> destination
///     channels      0 .. c-1              c .. 2c-1            c: those of the minimal rule
///
/// Any traffic becomes two random permutations: at most twice the hops, and half the throughput of
/// the best case, whatever the pattern. The random switch is any but the source's; on dragonflies
/// it is in the same group if the destination is (zheng2018). A packet may pass the switch of its
/// destination on its way to the random one.
#include "tradewind/sim/routing/valiant.hpp"
#include "tradewind/sim/routing/catalogue.hpp"

#include "tradewind/sim/routing/rules.hpp"
#include "tradewind/sim/topology/dragonfly.hpp"
#include "tradewind/sim/topology/dragonfly_canonical.hpp"

namespace tradewind::sim {

namespace {

SwitchId group_size(const Topology& topology, bool stays_in_group) {
    if (!stays_in_group) return topology.switches();
    if (const auto* grid = dynamic_cast<const Dragonfly*>(&topology)) return grid->group().value();
    if (const auto* canonical = dynamic_cast<const DragonflyCanonical*>(&topology)) {
        return canonical->group().value();
    }
    return topology.switches();
}

class Valiant final : public Detour {
public:
    explicit Valiant(const Topology& topology) : Detour(topology, true, 0) {}

    void launch(Flight& flight, SwitchId source, NodeId /*destination*/, std::uint64_t random,
                const Occupancy& /*occupancy*/) const override {
        flight.note =
            source == flight.target
                ? direct
                : static_cast<std::uint32_t>(random_switch(source, flight.target, random));
    }
};

}  // namespace

Detour::Detour(const Topology& topology, bool stays_in_group, int sets_aside)
    : topology_(topology),
      minimal_(make_minimal(topology, Settings{})),
      group_(group_size(topology, stays_in_group)),
      switches_(topology.switches()),
      channels_(minimal_->channels()),
      first_(sets_aside * channels_) {}

SwitchId Detour::random_switch(SwitchId source, SwitchId target,
                               std::uint64_t random) const noexcept {
    const std::int32_t group = group_.quotient(source);
    const bool inside = group == group_.quotient(target);
    const SwitchId first = inside ? group * group_.value() : 0;
    const SwitchId count = inside ? group_.value() : switches_;
    const auto drawn =
        first + static_cast<SwitchId>(below(random, static_cast<std::uint32_t>(count - 1)));
    return drawn + (drawn >= source ? 1 : 0);
}

Hop Detour::step(const Flight& flight, SwitchId here, PortId in_port, Part part,
                 const Occupancy& occupancy) const {
    const bool starts = flight.channel < part.first_channel;
    const std::uint64_t bits =
        (std::uint64_t{flight.note} + static_cast<std::uint32_t>(part.towards)) *
        0x9e3779b97f4a7c15ULL;
    Flight inner{part.towards, static_cast<std::uint32_t>(bits >> 32U),
                 static_cast<std::uint8_t>(starts ? 0 : flight.channel - part.first_channel)};
    const Hop hop = minimal_->next(inner, here, starts ? -1 : in_port, occupancy);
    return {hop.port, static_cast<std::uint8_t>(part.first_channel + hop.channel)};
}

PortId Detour::first_port(SwitchId source, SwitchId towards, std::uint32_t note,
                          const Occupancy& occupancy) const {
    const Flight flight{towards, note, 0};
    return step(flight, source, -1, {towards, 0}, occupancy).port;
}

bool fits_detours(const Topology& topology) {
    return make_minimal(topology, Settings{}) && !make_d_mod_k(topology, Settings{});
}

namespace {

std::unique_ptr<Routing> make_valiant(const Topology& topology, const Settings& /*settings*/) {
    return fits_detours(topology) ? std::make_unique<Valiant>(topology) : nullptr;
}

}  // namespace

extern const RoutingEntry valiant_entry;
constinit const RoutingEntry valiant_entry = {
    "valiant", "minimal to a random switch, then minimal", {}, make_valiant, families::detours};

}  // namespace tradewind::sim
