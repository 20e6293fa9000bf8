/// Dimension order on a torus: correct x, then y ..., each the shorter way around its ring.
///
///     ring of 6, from 4 to 1     4 --> 5 ==> 0 --> 1     3 hops, over the wrap link 5 ==> 0
///     channel                      0     0     1
///
/// Half-way around, even coordinates go up and odd ones down, so that every link of a ring carries
/// the same share. In a ring of two, whose two cables join the same pair, a hash of the pair of
/// nodes takes the place of the parity.
///
/// Channels (Dally and Seitz 1987): 0 while the wrap link lies ahead, else 1. Channel 0 ends at the
/// wrap link and channel 1 never uses it, so neither closes a ring. Both follow from `here` and the
/// target, without any memory in the packet.
#include "tradewind/sim/routing/rules.hpp"
#include "tradewind/sim/topology/torus.hpp"

namespace tradewind::sim {

namespace {

class TorusDimensionOrder final : public Routing {
public:
    explicit TorusDimensionOrder(const Torus& torus) : dimensions_(torus.dimensions()) {
        for (std::size_t index = 0; index < dimensions_.size(); ++index) {
            if (dimensions_[index].extent.value() == 2) rings_of_two_ |= 1U << index;
        }
    }

    void launch(Flight& flight, SwitchId source, NodeId destination, std::uint64_t /*random*/,
                const Occupancy& /*occupancy*/) const override {
        flight.note = pair_hash(source, destination);
    }

    [[nodiscard]] Hop next(Flight& flight, SwitchId here, PortId /*in_port*/,
                           const Occupancy& /*occupancy*/) const override {
        std::int32_t from_rest = here;
        std::int32_t to_rest = flight.target;
        for (PortId index = 0;; ++index) {
            const Divisor& extent = dimensions_[static_cast<std::size_t>(index)].extent;
            const std::int32_t from_above = extent.quotient(from_rest);
            const std::int32_t to_above = extent.quotient(to_rest);
            const std::int32_t from = from_rest - from_above * extent.value();
            const std::int32_t to = to_rest - to_above * extent.value();
            if (from != to) return hop(index, from, to, flight.note);
            from_rest = from_above;
            to_rest = to_above;
        }
    }

    [[nodiscard]] int channels() const override { return 2; }
    [[nodiscard]] bool keeps_order() const override { return true; }
    [[nodiscard]] bool meets_at_every_link() const override { return true; }

private:
    [[nodiscard]] Hop hop(PortId index, std::int32_t from, std::int32_t to,
                          std::uint32_t note) const noexcept {
        const std::int32_t extent = dimensions_[static_cast<std::size_t>(index)].extent.value();
        const std::int32_t up = to - from + (to < from ? extent : 0);
        const std::uint32_t parity =
            (static_cast<std::uint32_t>(from) ^ ((note & rings_of_two_) >> index)) & 1U;
        // 2 up < extent, or equal and even, without a branch.
        const bool goes_up = 2 * up + static_cast<std::int32_t>(parity) <= extent;
        const bool wraps = goes_up == (to < from);
        return {2 * index + (goes_up ? 0 : 1), static_cast<std::uint8_t>(wraps ? 0 : 1)};
    }

    std::vector<TorusDimension> dimensions_;
    std::uint32_t rings_of_two_ = 0;
};

}  // namespace

std::unique_ptr<Routing> make_torus_dimension_order(const Topology& topology,
                                                    const Settings& /*settings*/) {
    const auto* torus = dynamic_cast<const Torus*>(&topology);
    return torus ? std::make_unique<TorusDimensionOrder>(*torus) : nullptr;
}

}  // namespace tradewind::sim
