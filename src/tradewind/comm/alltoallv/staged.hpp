/// The exchanges of blocks between two ranks or with two others, and alltoallv algorithms that make
/// one of them in each stage.
#pragma once

#include "tradewind/comm/alltoallv/pieces.hpp"
#include "tradewind/comm/protocol/stages.hpp"

namespace tradewind {

/// Returns the exchange that sends to rank + distance and receives from rank - distance.
[[nodiscard]] inline MessagePair shift_blocks(const Comm& comm, const Alltoallv& data,
                                              Rank distance) {
    const Rank to = after(comm.rank(), distance, comm.size());
    const Rank from = before(comm.rank(), distance, comm.size());
    return {to, block_to(data, to), from, block_from(data, from),
            shifts_first(comm.rank(), distance)};
}

/// Returns the exchange that swaps blocks with `partner`.
[[nodiscard]] inline MessagePair swap_blocks(const Comm& comm, const Alltoallv& data,
                                             Rank partner) {
    return {partner, block_to(data, partner), partner, block_from(data, partner),
            swaps_first(comm.rank(), partner)};
}

/// A function that returns the exchange of the calling rank in stage 1, 2, ...
using StagePair = MessagePair (*)(const Comm& comm, const Alltoallv& data, Rank stage);

/// The stages of an alltoallv for `run_stages`. It is a template, so that finding the partners of a
/// stage costs no call. A rank copies its own block first.
template <StagePair exchange>
class AlltoallvStages {
public:
    static constexpr std::string_view operation = "alltoallv";
    static constexpr Tag tag = tags::alltoallv;

    AlltoallvStages(Comm& comm, const Alltoallv& data, Rank count)
        : comm_(comm), data_(data), count_(count) {
        copy_own_block(comm, data);
    }
    [[nodiscard]] Rank count() const noexcept { return count_; }
    [[nodiscard]] bool is_over() const noexcept { return stage_ > count_; }
    void next() noexcept { ++stage_; }
    [[nodiscard, gnu::always_inline]] MessagePair pair() const {
        return exchange(comm_, data_, stage_);
    }
    void finish(Comm& /*comm*/) const noexcept {}

private:
    const Comm& comm_;
    const Alltoallv& data_;
    Rank count_;
    Rank stage_ = 1;
};

}  // namespace tradewind
