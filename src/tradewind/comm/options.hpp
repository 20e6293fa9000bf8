/// Options: the few numbers that tune an algorithm; each algorithm says which of them it reads.
#pragma once

#include <cstdint>

#include "tradewind/comm/protocol/protocol.hpp"

namespace tradewind {

struct Options {
    /// Partners per stage (ring_k), or base of the recursion (bruck_k, recursive_k, tree); at least
    /// 1 or 2.
    std::int64_t radix = 2;
    /// Messages in flight at most (spread_out).
    std::int64_t window = 32;
    /// By which calls the messages of each stage are exchanged.
    Protocol protocol = {};
};

}  // namespace tradewind
