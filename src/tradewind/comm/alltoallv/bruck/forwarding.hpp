/// BruckForwarding: the messages of one rank in a Bruck alltoallv, with or without payload.
#pragma once

#include <memory>
#include <vector>

#include "tradewind/comm/alltoallv/staged.hpp"

namespace tradewind {

/// Where a hop of some distance leads: round the ring of ranks, or, among 2^d ranks, across a cube,
/// in which both directions are the same.
struct BruckHops {
    enum class Shape : std::uint8_t { ring, cube };

    explicit BruckHops(Rank count, Shape form = Shape::ring) noexcept : ranks(count), shape(form) {}
    [[nodiscard]] Rank forth(Rank rank, Rank distance) const noexcept {
        return shape == Shape::cube ? rank ^ distance : after(rank, distance, ranks);
    }
    [[nodiscard]] Rank back(Rank rank, Rank distance) const noexcept {
        return shape == Shape::cube ? rank ^ distance : before(rank, distance, ranks);
    }

    Rank ranks;
    Shape shape;
};

/// The message of one phase that carries all blocks whose distance has `digit` at `weight`, base
/// `radix`.
struct BruckStep {
    Rank radix;
    Rank weight;
    Rank digit;

    [[nodiscard]] Rank distance() const noexcept { return digit * weight; }
};

/// Calls `visit(base, low)` for each block of the step, whose distance is base + low. While rank h
/// holds it before the step, it has done the hops of the digits below `weight`: it comes from `low`
/// back and goes `base` forth.
template <class Visit>
void for_each_block(BruckStep step, Rank ranks, Visit visit) {
    for (Rank base = step.distance(); base < ranks; base += step.radix * step.weight) {
        const Rank end = ranks - base < step.weight ? ranks - base : step.weight;
        for (Rank low = 0; low < end; ++low) visit(base, low);
    }
}

/// Where the blocks lie that one rank holds: in the send buffer or in the message that brought
/// them, hence all messages that arrived are kept to the end: about n (k-1)/k log_k p bytes.
class BruckPayload {
public:
    using Memory = std::unique_ptr<std::byte[]>;
    struct Exchange {
        std::vector<Bytes> sizes_out;
        std::vector<Bytes> sizes_in;
        Memory out;
        Memory in;
    };

    BruckPayload(Rank rank, BruckHops hops, const Alltoallv& data);
    /// Messages of the running phase; entry d - 1 belongs to digit d.
    [[nodiscard]] std::vector<Exchange>& exchanges() noexcept { return exchanges_; }
    void gather_sizes(BruckStep step, Exchange& exchange) const;
    [[nodiscard]] ConstBuffer pack(BruckStep step, Exchange& exchange) const;
    /// Room for the message that brings `exchange.sizes_in`.
    [[nodiscard]] static Buffer make_room(Exchange& exchange);
    /// Takes over the blocks that arrived; ends the phase.
    void accept(Rank radix, Rank weight);
    /// Copies the blocks to the receive buffer.
    void deliver(const Alltoallv& data) const;

private:
    Rank rank_;
    BruckHops hops_;
    /// By distance.
    std::vector<ConstBuffer> held_;
    std::vector<Exchange> exchanges_;
    std::vector<Memory> arrived_;
};

class BruckForwarding {
public:
    BruckForwarding(Comm& comm, const Alltoallv& data, BruckHops hops, Rank radix);

    /// Finishes the messages of the round before and goes on to the next one; false after the last.
    [[nodiscard]] bool next_round();
    /// Messages of the round, one for each digit from 1 on.
    [[nodiscard]] Rank messages() const noexcept;
    /// To be asked once in a round, in the order of the digits.
    [[nodiscard]] MessagePair message(Rank digit);

private:
    enum class Round : std::uint8_t { start, sizes, blocks };

    [[nodiscard]] MessagePair pair(BruckStep step, ConstBuffer out, Buffer in) const;
    [[nodiscard]] MessagePair sizes(BruckStep step);
    [[nodiscard]] MessagePair blocks(BruckStep step);
    /// Bytes that rank `holder` sends in this step.
    [[nodiscard]] Bytes message_size(BruckStep step, Rank holder) const;
    void learn_sizes(BruckStep step, BruckPayload::Exchange& exchange) const;
    /// Copies the blocks to their places, or lets the time of that pass.
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

/// Sends all blocks on their ways, by hops of base `options.radix`.
Task forward_blocks(Comm& comm, Alltoallv data, BruckHops hops, Options options);

}  // namespace tradewind
