/// Ring-k alltoallv: the ring algorithm with k partners per stage; `options.radix` is k, at
/// least 1.
///
///     p = 7, k = 3    rank 0 sends to    rank 0 receives from
///     stage 1         1 2 3              6 5 4
///     stage 2         4 5 6              3 2 1
///
/// ceil((p-1)/k) stages of up to k messages, n bytes per rank. k = 1 is the ring and k = p-1 the
/// burst; values in between bound the congestion while the links stay busy. A protocol that does
/// not overlap makes the k exchanges of a stage one after another. Zheng and Marguinaud, Table 2
/// and Fig. 4a (zheng2018).
#include <algorithm>

#include "tradewind/comm/alltoallv/algorithms.hpp"
#include "tradewind/comm/alltoallv/staged.hpp"
#include "tradewind/comm/alltoallv/totals.hpp"

namespace tradewind {

namespace {

/// The stages of one rank, which exchanges with those at distances first_, first_ + 1, ...
class RingKStages {
public:
    static constexpr std::string_view operation = "alltoallv ring_k";
    static constexpr Tag tag = tags::alltoallv;
    static constexpr EmptyMessages empty = EmptyMessages::skipped;

    RingKStages(Comm& comm, const Alltoallv& data, Rank radix)
        : comm_(comm), data_(data), radix_(radix) {
        copy_own_block(comm, data);
    }
    [[nodiscard]] bool is_over() const noexcept { return first_ >= comm_.size(); }
    /// Goes on by the partners, not by the radix, which may be so large that the sum overflows.
    void next() noexcept { first_ += exchanges(); }
    [[nodiscard]] Rank exchanges() const noexcept {
        return std::min(radix_, comm_.size() - first_);
    }
    [[nodiscard]] MessagePair operator()(Rank i) const {
        return shift_blocks(comm_, data_, first_ + i);
    }
    [[nodiscard]] Incoming incoming(Rank i) const {
        const Rank from = before(comm_.rank(), first_ + i, comm_.size());
        return {from, block_from(data_, from)};
    }
    [[nodiscard]] Outgoing outgoing(Rank i) const {
        const Rank to = after(comm_.rank(), first_ + i, comm_.size());
        return {to, block_to(data_, to)};
    }
    void finish(Comm& /*comm*/) const noexcept {}

private:
    const Comm& comm_;
    const Alltoallv& data_;
    Rank radix_;
    Rank first_ = 1;
};

Task alltoallv_ring_k(Comm& comm, Alltoallv data, Options options) {
    require_at_least(1, options.radix, "alltoallv ring_k");
    return run_stages<RingKStages>(comm, data, options, options.radix);
}

}  // namespace

extern const AlltoallvAlgorithm alltoallv_ring_k_entry;
constinit const AlltoallvAlgorithm alltoallv_ring_k_entry = {
    .name = "ring_k",
    .summary = "ring with `radix` partners per stage (zheng2018)",
    .run = alltoallv_ring_k,
    .total = direct_totals,
    .smallest_radix = 1,
    .default_radix = 4,
    .has_protocols = true,
};

}  // namespace tradewind
