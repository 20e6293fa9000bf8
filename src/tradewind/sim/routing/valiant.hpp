/// Detour: the common part of Valiant and the UGAL rules, two minimal routes joined at a middle
/// switch.
#pragma once

#include <memory>

#include "tradewind/base/settings.hpp"
#include "tradewind/sim/routing/routing.hpp"
#include "tradewind/sim/topology/divisor.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

/// A rule with an intermediate switch. The note of a packet is that switch until the packet gets
/// there, then `direct`. With c the channels of the minimal rule, the first part uses channels 0 ..
/// c - 1 and the second, and direct routes, c .. 2 c - 1: dependencies lead from the first set to
/// the second only, and each set is free of deadlock by itself.
class Detour : public Routing {
public:
    static constexpr std::uint32_t direct = 0xffffffffU;

    [[nodiscard]] Hop next(Flight& flight, SwitchId here, PortId in_port,
                           const Occupancy& occupancy) const override {
        if (flight.note != direct) {
            const auto middle = static_cast<SwitchId>(flight.note);
            if (here != middle) return step(flight, here, in_port, {middle, first_}, occupancy);
            flight.note = direct;
            flight.channel = static_cast<std::uint8_t>(first_ + channels_);
            in_port = -1;
        }
        return step(flight, here, in_port, {flight.target, first_ + channels_}, occupancy);
    }
    [[nodiscard]] bool arrived(const Flight& flight, SwitchId here) const override {
        return here == flight.target &&
               (flight.note == direct || flight.note == static_cast<std::uint32_t>(here));
    }
    [[nodiscard]] int channels() const override { return first_ + 2 * channels_; }
    [[nodiscard]] bool keeps_order() const override { return false; }

protected:
    /// The end of a minimal part, and the first of its channels.
    struct Part {
        SwitchId towards;
        int first_channel;
    };

    /// Sets channels aside, below those of the two parts.
    Detour(const Topology& topology, bool stays_in_group, int sets_aside);

    /// Returns a random switch other than `source`, in the same group if the target is there, too.
    [[nodiscard]] SwitchId random_switch(SwitchId source, SwitchId target,
                                         std::uint64_t random) const noexcept;
    /// Returns the next hop of a minimal part. A packet whose channel lies below the part's starts
    /// it here.
    [[nodiscard]] Hop step(const Flight& flight, SwitchId here, PortId in_port, Part part,
                           const Occupancy& occupancy) const;
    /// Returns the port by which a minimal route from `source` to `towards` leaves.
    [[nodiscard]] PortId first_port(SwitchId source, SwitchId towards, std::uint32_t note,
                                    const Occupancy& occupancy) const;
    [[nodiscard]] const Topology& topology() const noexcept { return topology_; }

private:
    const Topology& topology_;
    std::unique_ptr<Routing> minimal_;
    /// The number of switches of a group; all of them where the topology has no groups.
    Divisor group_;
    SwitchId switches_;
    int channels_;
    int first_;
};

/// Returns true if any switch of the topology can be the intermediate one. Detours are for direct
/// networks, not for trees.
[[nodiscard]] bool fits_detours(const Topology& topology);

}  // namespace tradewind::sim
