/// Butterfly: the partners of an allreduce by halving and doubling.
#pragma once

#include "tradewind/comm/allreduce/allreduce.hpp"

namespace tradewind {

/// A butterfly over 2^levels ranks, in which every rank has one partner in each step.
struct Butterfly {
    /// Returns the rank with which `rank` exchanges in halving number `step`, counted from 0. Ranks
    /// are those of the power of two here and in `position`.
    Rank (*partner)(Rank rank, int step, int levels) noexcept;
    /// Returns the position of a rank. Positions are a permutation of the ranks after which the
    /// partners of a step differ in bit `levels - 1 - step`; segment s is reduced at position s.
    Rank (*position)(Rank rank, int levels) noexcept;
    /// Returns the number under which a rank takes part, and the rank of a number. Numbers beyond
    /// the largest power of two are folded into those from 0 on. Null: ranks are their own numbers.
    Rank (*number)(Rank rank, Rank ranks) noexcept = nullptr;
    Rank (*rank)(Rank number, Rank ranks) noexcept = nullptr;
};

/// Runs the algorithm of rabenseifner.cpp over any butterfly, which outlives the task.
Task allreduce_by_halving(Comm& comm, Allreduce vector, Options options,
                          const Butterfly& butterfly);

}  // namespace tradewind
