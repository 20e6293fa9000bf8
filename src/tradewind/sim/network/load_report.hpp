/// The loads of links and network interfaces, for the report of a packet network.
#pragma once

#include "tradewind/sim/network/fabric.hpp"
#include "tradewind/sim/network/injection.hpp"
#include "tradewind/sim/network/switching/ports.hpp"
#include "tradewind/sim/observe/report.hpp"

namespace tradewind::sim {

/// Adds the loads of the links and interfaces of this process up to `end`, the simulated time.
void report_loads(NetworkReport& report, const Fabric& fabric, const Ports& ports,
                  const Injection& injection, Picoseconds end);

}  // namespace tradewind::sim
