/// Estimate: how many messages and bytes a program will send, found without simulating it.
#pragma once

#include <algorithm>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/program.hpp"

namespace tradewind {

/// All messages of all ranks together, and how many one rank has under way at once, at most. Real
/// numbers, because counts at a million ranks may be extrapolated.
struct Estimate {
    double messages = 0.0;
    double bytes = 0.0;
    double at_once = 0.0;

    /// Adds what is sent after, or elsewhere.
    Estimate& operator+=(const Estimate& other) noexcept {
        messages += other.messages;
        bytes += other.bytes;
        at_once = std::max(at_once, other.at_once);
        return *this;
    }
    [[nodiscard]] friend Estimate operator*(double times, const Estimate& one) noexcept {
        return {times * one.messages, times * one.bytes, one.at_once};
    }
};

/// Counts what `program` sends on `ranks` ranks. It is run for one rank after the other on a
/// communicator that counts and delivers nothing, so what it sends must not depend on what it
/// receives. Exact while the whole program makes less than about four million sends, receives and
/// waits on at most `most_ranks` ranks; beyond that, ranks picked at random (but always the same)
/// stand for all. A rank is followed for five million calls: of longer programs this is the least
/// that they send.
[[nodiscard]] Estimate count_messages(Rank ranks, const Program& program,
                                      Rank most_ranks = 1 << 20);

}  // namespace tradewind
