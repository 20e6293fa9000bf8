/// UGAL-L: minimal or Valiant, whichever the queues of the source switch promise to be faster.
///
///     source --> ............... --> destination      q_min bytes at its first port, H_min hops
///        \--> .. --> random --> .. --/                q_val bytes at its first port, H_val hops
///
///     minimal iff  q_min H_min <= q_val H_val + bias           (Singh 2005, Kim et al. 2008)
///
/// q counts the bytes waiting for an output port of the source switch, H_val the hops of both
/// parts. The choice is made once, at the source. Channels as in valiant; direct routes use the
/// second set.
#include "tradewind/sim/routing/catalogue.hpp"
#include "tradewind/sim/routing/rules.hpp"
#include "tradewind/sim/routing/valiant.hpp"

namespace tradewind::sim {

namespace {

class Ugal final : public Detour {
public:
    Ugal(const Topology& topology, Bytes bias) : Detour(topology, true, 0), bias_(bias) {}

    void launch(Flight& flight, SwitchId source, NodeId /*destination*/, std::uint64_t random,
                const Occupancy& occupancy) const override {
        const SwitchId target = flight.target;
        flight.note = direct;
        if (source == target) return;
        const SwitchId middle = random_switch(source, target, random);
        if (middle == target) return;
        const auto note = static_cast<std::uint32_t>(middle);
        const Bytes minimal = occupancy.queued(first_port(source, target, direct, occupancy)) *
                              topology().distance(source, target);
        const Bytes valiant =
            occupancy.queued(first_port(source, middle, note, occupancy)) *
            (topology().distance(source, middle) + topology().distance(middle, target));
        if (minimal > valiant + bias_) flight.note = note;
    }
    [[nodiscard]] bool is_adaptive() const override { return true; }
    [[nodiscard]] bool is_oblivious_in_transit() const override { return true; }

private:
    Bytes bias_;
};

constexpr auto bias =
    declare::size("bias", "bytes by which the queue of the minimal route may be longer; none: 0");
constexpr const Declaration* settings_of_ugal[] = {&bias};

std::unique_ptr<Routing> make_ugal(const Topology& topology, const Settings& settings) {
    if (!fits_detours(topology)) return nullptr;
    return std::make_unique<Ugal>(topology, bias.of(settings, 0));
}

}  // namespace

extern const RoutingEntry ugal_entry;
constinit const RoutingEntry ugal_entry = {"ugal", "minimal or valiant, by queue length times hops",
                                           settings_of_ugal, make_ugal, families::detours};

}  // namespace tradewind::sim
