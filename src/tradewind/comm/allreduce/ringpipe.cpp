/// Pipelined ring allreduce: two rings, each with half of every segment; while one half travels,
/// the other half is added.
///
///     exchange        0       1       2       3       4    ...     at every rank
///     half            a       b       a       b       a            of the segment of ring's stage
///     stage           1       1       2       2       3
///     adds            -       a       b       a       b            what has arrived before
///
/// 4(p-1) messages and 2n(p-1)/p bytes per rank, with two messages in flight: the piece that
/// exchange i brings is added and sent on by exchange i+2, with only exchange i+1 between them.
/// Protocols that do not overlap make the exchanges one after another. Pieces are whole elements,
/// each summed round the ring once, so all ranks get the same bits. After "ringpipe" of PSTSWM
/// (worley1998, section 6), which leaves the sums distributed; here they go round once more, as in
/// ring. The default protocol is (2,3).
#include <algorithm>

#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/comm/allreduce/pieces.hpp"
#include "tradewind/comm/allreduce/totals.hpp"
#include "tradewind/comm/protocol/exchange.hpp"

namespace tradewind {

namespace {

/// The exchanges of one rank. Segment s consists of the pieces 2s and 2s+1.
class Pipeline {
public:
    Pipeline(const Comm& comm, const Allreduce& vector)
        : rank_(comm.rank()),
          ranks_(comm.size()),
          vector_(vector),
          pieces_(vector, 2 * comm.size()),
          arrived_(comm, vector.data, pieces_.largest(), 2) {}

    [[nodiscard]] std::int64_t exchanges() const noexcept { return 4 * (ranks_ - 1); }
    [[nodiscard]] MessagePair pair(std::int64_t i) const noexcept {
        return {(rank_ + 1) % ranks_, piece(i, 0), (rank_ + ranks_ - 1) % ranks_, landing(i),
                shifts_first(rank_, 1)};
    }
    void add(Comm& comm, std::int64_t i) const {
        if (reduces(i)) combine(comm, vector_.reduction, landing(i), piece(i, 1));
    }

private:
    [[nodiscard]] bool reduces(std::int64_t i) const noexcept { return i / 2 < ranks_ - 1; }
    /// Returns the piece that exchange i sends, or with `later` = 1 the piece that it brings, one
    /// segment further back.
    [[nodiscard]] Buffer piece(std::int64_t i, Rank later) const noexcept {
        const Rank segment = (rank_ + 2 * ranks_ - i / 2 - later) % ranks_;
        return pieces_.part(2 * segment + i % 2);
    }
    [[nodiscard]] Buffer landing(std::int64_t i) const noexcept {
        const Buffer target = piece(i, 1);
        return reduces(i) ? arrived_[i % 2].part(0, target.size()) : target;
    }

    Rank rank_;
    Rank ranks_;
    const Allreduce& vector_;
    Segments pieces_;
    Slots arrived_;
};

Task add(Comm& comm, const Pipeline& pipeline, std::int64_t i) {
    pipeline.add(comm, i);
    co_return;
}

Task allreduce_ringpipe(Comm& comm, Allreduce vector, Options options) {
    require_whole_elements(vector, "allreduce ringpipe");
    const Delivery delivery = options.delivery("allreduce ringpipe");
    const Pipeline pipeline(comm, vector);
    MessagePairs pairs;
    pairs.count = pipeline.exchanges();
    pairs.tag = tags::allreduce;
    pairs.most_open = 2;
    pairs.pair = [&pipeline](std::int64_t i) { return pipeline.pair(i); };
    pairs.after_receive = [&pipeline](Comm& on, std::int64_t i) { return add(on, pipeline, i); };
    const bool by_default = delivery.protocol.is_default();
    const Protocol protocol = by_default ? Protocol(2, 3) : delivery.protocol;
    co_await exchange(comm, pairs, Delivery(protocol, delivery.puts));
}

/// Returns the totals of the ring with every segment in two pieces.
MessageTotals totals(Rank ranks, std::int64_t /*radix*/, std::int64_t length) {
    return {2 * (ranks - 1) * std::min(length, 2 * ranks), 2 * (ranks - 1) * length * word_bytes};
}

}  // namespace

extern const AllreduceAlgorithm allreduce_ringpipe_entry;
constinit const AllreduceAlgorithm allreduce_ringpipe_entry = {
    .name = "ringpipe",
    .summary = "two rings of half the vector, one adds while the other sends (worley1998)",
    .run = allreduce_ringpipe,
    .total = totals,
    .has_protocols = true,
};

}  // namespace tradewind
