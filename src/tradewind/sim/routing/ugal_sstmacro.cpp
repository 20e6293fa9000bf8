/// UGAL as SST/macro 7.1 did it in 2017, the `ugal` of zheng2018.
///
///     source --> here --> ....................... --> destination     still minimal: decide again
///                   \---> .. --> random --> .. --/                    Valiant from `here` on
///
///     minimal iff  H_min <= threshold  or  q_min H_min preference <= q_val H_val
///     H_min = d(here, destination)     H_val = d(here, destination) + d(random, destination)
///
/// It differs from `ugal` in three ways. H_val counts the hops from here to the destination where
/// those to the random switch should stand. There is no bias: equal loads mean minimal. And a
/// packet that is still minimal decides anew at every switch it comes to, with another random
/// switch, until it turns to Valiant. q is the bytes that an output port has yet to send. Three
/// sets of channels follow one another: undecided, to the random switch, from it.
///
/// The setting `queue_fault` makes every q 0, as in SST/macro 7.1 where packets cut through: the
/// queue is computed from two times in different units and cut off at zero
/// (docs/explanation/peers.md). All packets are minimal then, on channels of which there are three
/// times as many as minimal routing has.
#include "tradewind/sim/routing/catalogue.hpp"
#include "tradewind/sim/routing/rules.hpp"
#include "tradewind/sim/routing/valiant.hpp"

namespace tradewind::sim {

namespace {

class UgalSstmacro final : public Detour {
public:
    struct Weights {
        std::int64_t threshold = 0;
        std::int64_t preference = 1;
        bool queue_fault = false;
    };

    UgalSstmacro(const Topology& topology, bool stays_in_group, Weights weights)
        : Detour(topology, stays_in_group, 1), weights_(weights) {}

    void launch(Flight& flight, SwitchId /*source*/, NodeId /*destination*/, std::uint64_t random,
                const Occupancy& /*occupancy*/) const override {
        flight.note = undecided | static_cast<std::uint32_t>(random >> 34U);
    }

    [[nodiscard]] Hop next(Flight& flight, SwitchId here, PortId in_port,
                           const Occupancy& occupancy) const override {
        if (!is_undecided(flight)) return Detour::next(flight, here, in_port, occupancy);
        const std::uint64_t random = mix(flight.note, static_cast<std::uint64_t>(here));
        const SwitchId middle = random_switch(here, flight.target, random);
        const Hop minimal = step(flight, here, in_port, {flight.target, 0}, occupancy);
        if (stays_minimal(flight, here, middle, minimal.port, occupancy)) return minimal;
        flight.note = static_cast<std::uint32_t>(middle);
        flight.channel = 0;
        return Detour::next(flight, here, -1, occupancy);
    }
    [[nodiscard]] bool arrived(const Flight& flight, SwitchId here) const override {
        return is_undecided(flight) ? here == flight.target : Detour::arrived(flight, here);
    }
    [[nodiscard]] bool is_adaptive() const override { return true; }

private:
    /// The note of a packet that has not turned: two bits "10", then thirty random ones.
    static constexpr std::uint32_t undecided = 0x80000000U;

    [[nodiscard]] static bool is_undecided(const Flight& flight) noexcept {
        return flight.note >> 30U == 2U;
    }
    [[nodiscard]] bool stays_minimal(const Flight& flight, SwitchId here, SwitchId middle,
                                     PortId minimal_port, const Occupancy& occupancy) const {
        const int minimal_hops = topology().distance(here, flight.target);
        if (minimal_hops <= weights_.threshold || weights_.queue_fault) return true;
        const int hops = minimal_hops + topology().distance(middle, flight.target);
        const auto note = static_cast<std::uint32_t>(middle);
        const PortId port = first_port(here, middle, note, occupancy);
        return occupancy.queued(minimal_port) * minimal_hops * weights_.preference <=
               occupancy.queued(port) * hops;
    }

    Weights weights_;
};

constexpr auto threshold =
    declare::whole("threshold", "most hops of a minimal route that is always taken; none: 0")
        .within(0, 1'000'000);
constexpr auto valiant_preference =
    declare::whole("valiant_preference", "factor of the queue of the minimal route; none: 1")
        .within(1, 1'000'000);
constexpr auto true_random_intermediate =
    declare::truth("true_random_intermediate", "a third switch of any group; none: false", false)
        .without_default();
constexpr auto queue_fault =
    declare::truth("queue_fault",
                   "the fault of SST/macro 7.1: queues are not looked at; none: false", false)
        .without_default();
constexpr const Declaration* settings_of_ugal_sstmacro[] = {
    &threshold, &valiant_preference, &true_random_intermediate, &queue_fault};

std::unique_ptr<Routing> make_ugal_sstmacro(const Topology& topology, const Settings& settings) {
    const UgalSstmacro::Weights weights{threshold.of(settings, 0),
                                        valiant_preference.of(settings, 1),
                                        queue_fault.of(settings, false)};
    const bool stays_in_group = !true_random_intermediate.of(settings, false);
    if (!fits_detours(topology)) return nullptr;
    return std::make_unique<UgalSstmacro>(topology, stays_in_group, weights);
}

}  // namespace

extern const RoutingEntry ugal_sstmacro_entry;
constinit const RoutingEntry ugal_sstmacro_entry = {"ugal_sstmacro", "ugal as in SST/macro 7.1",
                                                    settings_of_ugal_sstmacro, make_ugal_sstmacro,
                                                    families::detours};

}  // namespace tradewind::sim
