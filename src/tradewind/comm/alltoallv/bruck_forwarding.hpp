/// BruckForwarding: the messages of one rank in a Bruck alltoallv, with or without payload.
#pragma once

#include <memory>
#include <vector>

#include "tradewind/comm/alltoallv/alltoallv.hpp"

namespace tradewind {

/// The message of one phase that carries all blocks whose distance has `digit` at `weight`, base
/// `radix`.
struct BruckStep {
    Rank radix;
    Rank weight;
    Rank digit;

    [[nodiscard]] Rank distance() const noexcept { return digit * weight; }
};

/// Calls `visit(base, low)` for each block of the step, whose distance is base + low. While rank h
/// holds it before the step, it has done the hops of the digits below `weight`: it comes from
/// h - low and goes to h + base.
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
    struct Exchange {
        std::vector<Bytes> sizes_out;
        std::vector<Bytes> sizes_in;
        std::vector<std::byte> out;
        std::vector<std::byte> in;
    };

    BruckPayload(Rank rank, Rank ranks, const Alltoallv& data);
    /// Messages of the running phase; entry d - 1 belongs to digit d.
    [[nodiscard]] std::vector<Exchange>& exchanges() noexcept { return exchanges_; }
    void gather_sizes(BruckStep step, Exchange& exchange) const;
    void pack(BruckStep step, Exchange& exchange) const;
    /// Takes over the blocks that arrived; ends the phase.
    void accept(Rank radix, Rank weight);
    /// Copies the blocks to the receive buffer.
    void deliver(const Alltoallv& data) const;

private:
    Rank rank_;
    /// By distance.
    std::vector<ConstBuffer> held_;
    std::vector<Exchange> exchanges_;
    std::vector<std::vector<std::byte>> arrived_;
};

class BruckForwarding {
public:
    BruckForwarding(Comm& comm, const Alltoallv& data, Rank radix);

    /// Finishes the messages of the previous call and starts the next ones; false after the last.
    [[nodiscard]] bool start_next(std::vector<Request>& requests);

private:
    enum class Round : std::uint8_t { sizes, blocks };

    void start(BruckStep step, std::vector<Request>& requests);
    void start_sizes(BruckStep step, std::vector<Request>& requests);
    void start_blocks(BruckStep step, std::vector<Request>& requests);
    void start_null_blocks(BruckStep step, std::vector<Request>& requests);
    /// Bytes that rank `holder` sends in this step.
    [[nodiscard]] Bytes message_size(BruckStep step, Rank holder) const;
    void learn_sizes(BruckStep step, BruckPayload::Exchange& exchange) const;

    Comm& comm_;
    const Alltoallv& data_;
    Rank radix_;
    Rank weight_ = 1;
    std::unique_ptr<BruckPayload> payload_;
    bool sizes_known_;
    Round round_;
};

}  // namespace tradewind
