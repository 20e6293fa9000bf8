/// Recursive-k allreduce: in each stage groups of k ranks exchange whole vectors; `options.radix`
/// is k, at least 2.
///
///     p = 10, k = 3   rank 0  1     2     3     4     5     6     7     8     9
///     start           a       b     c     d     e     f     g     h     i     j
///     fold            a       b     c     d     e     f     g     h     ij    -
///     stage 1         abc     abc   abc   def   def   def   ghij  ghij  ghij  -
///     stage 2         a..j    a..j  a..j  a..j  a..j  a..j  a..j  a..j  a..j  -
///     return          a..j    a..j  a..j  a..j  a..j  a..j  a..j  a..j  a..j  a..j
///
/// s = floor(log_k p) stages of k-1 messages of n bytes per rank. The p - k^s extra ranks fold
/// their vectors into core ranks (the first k^s) first and get the result last: 2 more stages. An
/// extra rank folds into the rank p - k^s below it, as printed in zheng2018, section 3.3, which is
/// possible while p <= 2 k^s. For larger p, rank i folds into rank i mod k^s, and a core rank
/// serves up to k-1 extra ranks. Every group combines in the order of its ranks, so all ranks get
/// the same bits.
///
/// The default radix is 16: the paper's best radices lie between 5 and 32 with a median near 21,
/// and with a power of two the usual rank counts need few extra ranks.
#include "tradewind/comm/allreduce/recursive_k.hpp"

#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/comm/protocol/exchange.hpp"

namespace tradewind {

namespace {

void start_fold(Comm& comm, const Allreduce& vector, const RecursiveK& plan, const Slots& slots,
                std::vector<Request>& requests) {
    if (plan.is_extra()) {
        requests.push_back(comm.isend(plan.server(), vector.data, tags::allreduce));
        return;
    }
    for (Rank i = 0; i < plan.extras(); ++i) {
        requests.push_back(comm.irecv(plan.extra(i), slots[i], tags::allreduce));
    }
}

void start_return(Comm& comm, const Allreduce& vector, const RecursiveK& plan,
                  std::vector<Request>& requests) {
    if (plan.is_extra()) {
        requests.push_back(comm.irecv(plan.server(), vector.data, tags::allreduce));
        return;
    }
    for (Rank i = 0; i < plan.extras(); ++i) {
        requests.push_back(comm.isend(plan.extra(i), vector.data, tags::allreduce));
    }
}

/// Starts the exchange within a group. Each member sends to its successor first, so that not all
/// members send to the same one at the same time.
void start_exchange(Comm& comm, const Allreduce& vector, const RecursiveK& plan, const Slots& slots,
                    Rank weight, std::vector<Request>& requests) {
    if (plan.is_extra()) return;
    const Rank radix = plan.radix();
    const Rank own = plan.position(weight);
    const Rank first = comm.rank() - own * weight;
    for (Rank i = 1; i < radix; ++i) {
        const Rank m = own >= i ? own - i : own - i + radix;
        requests.push_back(comm.irecv(first + m * weight, slots[slot_of(m, own)], tags::allreduce));
    }
    for (Rank i = 1; i < radix; ++i) {
        const Rank m = own + i < radix ? own + i : own + i - radix;
        requests.push_back(comm.isend(first + m * weight, vector.data, tags::allreduce));
    }
}

/// Returns the i-th exchange of a stage: with an extra rank, or at distance i + 1 in the group.
MessagePair stage_pair(Rank rank, const Allreduce& vector, const RecursiveK& plan,
                       const Slots& slots, Rank weight, Rank i) {
    if (weight == 0 || weight == plan.core()) {
        const bool sends = plan.is_extra() == (weight == 0);
        const Rank other = plan.is_extra() ? plan.server() : plan.extra(i);
        if (sends) return {other, vector.data, other, Buffer()};
        return {other, ConstBuffer(), other, plan.is_extra() ? vector.data : slots[i]};
    }
    const Rank k = plan.radix();
    const Rank own = plan.position(weight);
    const Rank first = rank - own * weight;
    const Rank to = (own + i + 1) % k;
    const Rank from = (own + k - i - 1) % k;
    return {first + to * weight, vector.data, first + from * weight, slots[slot_of(from, own)],
            shifts_first(own, i + 1)};
}

Task exchange_stage(Comm& comm, const Allreduce& vector, const RecursiveK& plan, const Slots& slots,
                    Rank weight, Delivery delivery) {
    MessagePairs pairs;
    pairs.count = plan.exchanges(weight);
    pairs.tag = tags::allreduce;
    pairs.pair = [&](std::int64_t i) {
        return stage_pair(comm.rank(), vector, plan, slots, weight, i);
    };
    co_await exchange(comm, pairs, delivery);
}

}  // namespace

void start_stage(Comm& comm, const Allreduce& vector, const RecursiveK& plan, const Slots& slots,
                 Rank weight, std::vector<Request>& requests) {
    requests.clear();
    if (weight == 0) {
        start_fold(comm, vector, plan, slots, requests);
    } else if (weight < plan.core()) {
        start_exchange(comm, vector, plan, slots, weight, requests);
    } else {
        start_return(comm, vector, plan, requests);
    }
}

void combine_stage(Comm& comm, const Allreduce& vector, const RecursiveK& plan, const Slots& slots,
                   Rank weight) {
    if (plan.is_extra() || weight == plan.core()) return;
    const bool folds = weight == 0;
    combine_group(comm, vector, slots, folds ? plan.extras() + 1 : plan.radix(),
                  folds ? 0 : plan.position(weight));
}

Task allreduce_recursive_k(Comm& comm, Allreduce vector, Options options) {
    require_at_least(2, options.radix, "allreduce recursive_k");
    require_whole_elements(vector, "allreduce recursive_k");
    const Delivery delivery = options.delivery("allreduce recursive_k");
    const RecursiveK plan(comm.rank(), comm.size(), options.radix);
    const Slots slots(vector.data, vector.data.size(), plan.slots());
    std::vector<Request> requests;
    for (Rank weight = 0; weight <= plan.core(); weight = plan.after(weight)) {
        if (plan.exchanges(weight) == 0) continue;
        if (delivery.is_plain()) {
            start_stage(comm, vector, plan, slots, weight, requests);
            co_await comm.wait_all(requests);
        } else {
            co_await exchange_stage(comm, vector, plan, slots, weight, delivery);
        }
        combine_stage(comm, vector, plan, slots, weight);
    }
}

}  // namespace tradewind
