/// LoadCounter: the bytes that a link or a network interface has carried.
#pragma once

#include "tradewind/base/units.hpp"

namespace tradewind::sim {

struct LoadCounter {
    Bytes bytes = 0;
    /// The time that packets have waited for the port, or messages for the interface.
    Picoseconds waited = 0;

    void add(Bytes more, Picoseconds wait) noexcept {
        bytes += more;
        waited += wait;
    }
};

}  // namespace tradewind::sim
