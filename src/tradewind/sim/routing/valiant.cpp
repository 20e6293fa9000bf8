/// Valiant: a minimal route to a random switch, then a minimal route to the destination (Valiant 1982).
///
///     source --> ... --> random switch --> ... --> destination
///     channels      0 .. c-1              c .. 2c-1            c: those of the minimal rule
///
/// Any traffic becomes two random permutations: at most twice the hops, and half the throughput of
/// the best case, whatever the pattern. The random switch is any but the source's; on dragonflies it
/// is in the same group if the destination is (zheng2018). A packet may pass the switch of its
/// destination on its way to the random one.
#include "tradewind/sim/routing/detour.hpp"
#include "tradewind/sim/routing/rules.hpp"

namespace tradewind::sim {

namespace {

class Valiant final : public Detour {
public:
    explicit Valiant(const Topology& topology) : Detour(topology, true, 0) {}

    void launch(Flight& flight, SwitchId source, NodeId /*destination*/, std::uint64_t random,
                const Occupancy& /*occupancy*/) const override {
        flight.note = source == flight.target
                          ? direct
                          : static_cast<std::uint32_t>(random_switch(source, flight.target, random));
    }
};

}  // namespace

std::unique_ptr<Routing> make_valiant(const Topology& topology, const Settings& /*settings*/) {
    return fits_detours(topology) ? std::make_unique<Valiant>(topology) : nullptr;
}

}  // namespace tradewind::sim
