/// BruckForwarding: the messages of one rank in a Bruck alltoallv, with or without a payload.
#pragma once

#include <memory>
#include <vector>

#include "tradewind/comm/alltoallv/staged.hpp"
#include "tradewind/comm/workspace.hpp"

namespace tradewind {

/// The destinations of hops of a given distance: round the ring of ranks, or, among 2^d ranks,
/// across a hypercube, in which both directions are the same.
struct BruckHops {
    enum class VirtualTopology : std::uint8_t { ring, cube };

    explicit BruckHops(Rank count, VirtualTopology form = VirtualTopology::ring) noexcept
        : ranks(count), topology(form) {}
    [[nodiscard]] Rank forth(Rank rank, Rank distance) const noexcept {
        return topology == VirtualTopology::cube ? rank ^ distance : after(rank, distance, ranks);
    }
    [[nodiscard]] Rank back(Rank rank, Rank distance) const noexcept {
        return topology == VirtualTopology::cube ? rank ^ distance : before(rank, distance, ranks);
    }

    Rank ranks;
    VirtualTopology topology;
};

/// The message of one phase that carries all blocks whose distance has `digit` at `weight`, base
/// `radix`.
struct BruckStep {
    Rank radix;
    Rank weight;
    Rank digit;

    [[nodiscard]] Rank distance() const noexcept { return digit * weight; }
};

/// Calls `visit(base, low)` for each block of the step; the distance of the block is base + low.
/// The rank that holds a block before the step has received it over the hops of the digits below
/// `weight`: the block comes from distance `low` back and goes to distance `base` forth.
template <class Visit>
void for_each_block(BruckStep step, Rank ranks, Visit visit) {
    for (Rank base = step.distance(); base < ranks; base += step.radix * step.weight) {
        const Rank end = ranks - base < step.weight ? ranks - base : step.weight;
        for (Rank low = 0; low < end; ++low) visit(base, low);
    }
}

/// The positions of the blocks that one rank holds: in the send buffer or in the message that
/// brought them. Hence all messages that arrived are kept to the end: about n (k-1)/k log_k p
/// bytes.
class BruckPayload {
public:
    struct Exchange {
        std::vector<Bytes> sizes_out;
        std::vector<Bytes> sizes_in;
        Workspace out;
        Workspace in;
    };

    BruckPayload(const Comm& comm, BruckHops hops, const Alltoallv& data);
    /// Returns the messages of the current phase; entry d - 1 belongs to digit d.
    [[nodiscard]] std::vector<Exchange>& exchanges() noexcept { return exchanges_; }
    void gather_sizes(BruckStep step, Exchange& exchange) const;
    [[nodiscard]] ConstBuffer pack(BruckStep step, Exchange& exchange) const;
    /// Allocates room for the message whose blocks have the sizes `exchange.sizes_in`.
    [[nodiscard]] Buffer make_room(Exchange& exchange) const;
    /// Takes over the blocks that arrived, and ends the phase.
    void accept(Rank radix, Rank weight);
    /// Copies the blocks to the receive buffer.
    void deliver(const Alltoallv& data) const;

private:
    const Comm& comm_;
    BruckHops hops_;
    /// The blocks by distance.
    std::vector<ConstBuffer> held_;
    std::vector<Exchange> exchanges_;
    std::vector<Workspace> arrived_;
};

class BruckForwarding {
public:
    BruckForwarding(Comm& comm, const Alltoallv& data, BruckHops hops, Rank radix);

    /// Finishes the messages of the previous round and begins the next one; returns false after the
    /// last.
    [[nodiscard]] bool next_round();
    /// Returns the number of messages of the round, one for each digit from 1 on.
    [[nodiscard]] Rank messages() const noexcept;
    /// Returns the message of a digit; to be called once per round, in the order of the digits.
    [[nodiscard]] MessagePair message(Rank digit);

private:
    enum class Round : std::uint8_t { start, sizes, blocks };

    [[nodiscard]] MessagePair pair(BruckStep step, ConstBuffer out, Buffer in) const;
    [[nodiscard]] MessagePair sizes(BruckStep step);
    [[nodiscard]] MessagePair blocks(BruckStep step);
    /// Returns the bytes that rank `holder` sends in this step.
    [[nodiscard]] Bytes message_size(BruckStep step, Rank holder) const;
    void learn_sizes(BruckStep step, BruckPayload::Exchange& exchange) const;
    /// Copies the blocks to their places, if there are data, and charges the time of the copies.
    void deliver() const;

    Comm& comm_;
    const Alltoallv& data_;
    BruckHops hops_;
    Rank radix_;
    Rank weight_ = 1;
    std::unique_ptr<BruckPayload> payload_;
    bool sizes_known_;
    Round round_ = Round::start;
};

/// Sends all blocks to their destinations, by hops of base `options.radix`.
Task forward_blocks(Comm& comm, Alltoallv data, BruckHops hops, Options options);

}  // namespace tradewind
