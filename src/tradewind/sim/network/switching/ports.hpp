/// Ports: the output ports of all switches, and the links between them.
#pragma once

#include <cstdint>
#include <vector>

#include "tradewind/base/large_memory.hpp"
#include "tradewind/sim/network/packet.hpp"
#include "tradewind/sim/network/switch_layout.hpp"
#include "tradewind/sim/network/switching/port.hpp"

namespace tradewind::sim {

class Ports {
public:
    Ports(const Topology& topology, const SwitchLayout& layout);

    [[nodiscard]] const SwitchLayout& layout() const noexcept { return layout_; }
    [[nodiscard]] std::size_t size() const noexcept { return ports_.size(); }
    [[nodiscard]] const Port& operator[](std::size_t index) const noexcept { return ports_[index]; }
    [[nodiscard]] Port& at(Location here, std::uint32_t number) noexcept {
        return ports_[layout_.port_index(here, number)];
    }
    /// Returns a port that knows where its link leads; a port learns it at its first use.
    [[nodiscard, gnu::always_inline]] Port& wired(Location here, std::uint32_t number) noexcept {
        Port& port = at(here, number);
        if (!port.is_wired) wire(here, number, port);
        return port;
    }
    /// Returns the ports of a switch, in the order of their numbers.
    [[nodiscard]] const Port* of_switch(Location here) const noexcept {
        return &ports_[layout_.port_index(here, 0)];
    }
    /// Returns the output port that sends to input port `number` of a switch, whose own output is
    /// `port`.
    [[nodiscard]] PortAddress sender_to(Location here, std::uint32_t number,
                                        const Port& port) const noexcept {
        if (upstream_.empty()) return {port.peer, port.peer_port};
        return upstream_[std::size_t(here) * layout_.radix() + number];
    }

private:
    void wire(Location here, std::uint32_t number, Port& port) const;
    void find_upstream();

    const Topology& topology_;
    SwitchLayout layout_;
    ZeroedArray<Port> ports_;
    /// The output port at the other end of each input port; only for one-way wirings.
    std::vector<PortAddress> upstream_;
};

}  // namespace tradewind::sim
