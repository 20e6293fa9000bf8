/// What messages cost the ranks: the o, O and S of LogGOPS, and the speed of computation.
#pragma once

#include "tradewind/base/units.hpp"

namespace tradewind::simcomm {

struct RankParameters {
    /// LogGOPS o: processor time of starting a send and of taking a received message.
    Picoseconds send_overhead = 0;
    Picoseconds receive_overhead = 0;
    /// LogGOPS O: processor time per byte sent.
    double overhead_per_byte_ps = 0.0;
    /// LogGOPS S: longer messages shake hands first (rendezvous).
    Bytes eager_limit = 0;
    /// Processor time of one test.
    Picoseconds test_overhead = 100'000;
    double flops_per_second = 1e10;
};

}  // namespace tradewind::simcomm
