/// SwitchLayout: the numbers of the ports of switches and of the network interfaces behind them.
#pragma once

#include <cstdint>

#include "tradewind/sim/kernel/event.hpp"
#include "tradewind/sim/topology/divisor.hpp"
#include "tradewind/sim/topology/topology.hpp"

namespace tradewind::sim {

/// The numbering of ports: those that join a switch to others come first, then one for each network
/// interface.
class SwitchLayout {
public:
    SwitchLayout(const Topology& topology, std::int32_t nics_per_node)
        : radix_(std::uint32_t(topology.radix())),
          nics_(std::uint32_t(topology.nodes_per_switch() * nics_per_node)),
          ports_(radix_ + nics_),
          per_switch_(std::int32_t(nics_)) {}

    [[nodiscard]] std::uint32_t radix() const noexcept { return radix_; }
    [[nodiscard]] std::uint32_t nics_per_switch() const noexcept { return nics_; }
    [[nodiscard]] std::uint32_t ports_per_switch() const noexcept { return ports_; }

    /// Returns the switch of a network interface.
    [[nodiscard]] Location location_of(std::uint32_t nic) const noexcept {
        return Location(per_switch_.quotient(std::int32_t(nic)));
    }
    [[nodiscard]] bool joins_switches(std::uint32_t port) const noexcept { return port < radix_; }
    /// Returns the port of a network interface at its switch.
    [[nodiscard]] std::uint32_t port_of(Location here, std::uint32_t nic) const noexcept {
        return radix_ + nic - here * nics_;
    }
    /// Returns the index of a network interface, by its number at a switch, among all of them.
    [[nodiscard]] std::size_t nic_index(Location here, std::uint32_t local) const noexcept {
        return std::size_t(here) * nics_ + local;
    }
    [[nodiscard]] std::size_t port_index(Location here, std::uint32_t port) const noexcept {
        return std::size_t(here) * ports_ + port;
    }

private:
    std::uint32_t radix_;
    std::uint32_t nics_;
    std::uint32_t ports_;
    Divisor per_switch_;
};

}  // namespace tradewind::sim
