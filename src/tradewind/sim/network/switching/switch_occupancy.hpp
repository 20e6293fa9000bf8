/// SwitchOccupancy: the fill of the output ports of one switch.
#pragma once

#include "tradewind/sim/network/parameters.hpp"
#include "tradewind/sim/network/switching/port.hpp"
#include "tradewind/sim/routing/routing.hpp"

namespace tradewind::sim {

/// The view that an adaptive rule has of one switch: the bytes that wait for, or have been
/// promised, an output port.
class SwitchOccupancy final : public Occupancy {
public:
    SwitchOccupancy(const Port* ports, const NetworkParameters& parameters,
                    Picoseconds now) noexcept
        : ports_(ports), parameters_(parameters), now_(now) {}
    [[nodiscard]] Bytes queued(PortId number) const override {
        const Port& port = ports_[number];
        const Picoseconds busy = port.next_free - now_ - parameters_.switch_latency;
        const double per_byte = parameters_.links[port.link_class].rate.ps_per_byte();
        const Bytes promised = busy > 0 && per_byte > 0 ? Bytes(double(busy) / per_byte) : 0;
        return promised + port.queued_bytes;
    }

private:
    const Port* ports_;
    const NetworkParameters& parameters_;
    Picoseconds now_;
};

}  // namespace tradewind::sim
