/// SwitchOccupancy: how full the output ports of one switch of a PacketNetwork are.
#pragma once

#include "tradewind/sim/network/packet_network.hpp"

namespace tradewind::sim {

/// What an adaptive rule sees of one switch: bytes that wait for, or have been promised, an output
/// port.
class PacketNetwork::SwitchOccupancy final : public Occupancy {
public:
    SwitchOccupancy(PacketNetwork& network, Location here, Picoseconds now) noexcept
        : network_(network), here_(here), now_(now) {}
    [[nodiscard]] Bytes queued(PortId number) const override {
        const Port& port = network_.port(here_, std::uint32_t(number));
        const Picoseconds busy = port.next_free - now_ - network_.parameters_.switch_latency;
        const double per_byte = network_.parameters_.links[port.link_class].rate.ps_per_byte();
        const Bytes promised = busy > 0 && per_byte > 0 ? Bytes(double(busy) / per_byte) : 0;
        return promised + port.queued_bytes;
    }

private:
    PacketNetwork& network_;
    Location here_;
    Picoseconds now_;
};

}  // namespace tradewind::sim
