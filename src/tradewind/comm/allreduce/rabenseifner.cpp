/// Rabenseifner's allreduce: reduce-scatter by recursive halving, then allgather by recursive
/// doubling.
///
///     p = 4           rank 0     rank 1     rank 2     rank 3       (segments 0 1 2 3; * reduced)
///     halving 2       01         01         23         23           with the rank at distance 2
///     halving 1       0*         1*         2*         3*           with the rank at distance 1
///     doubling 1      01*        01*        23*        23*
///     doubling 2      0123*      0123*      0123*      0123*
///
/// 2 floor(log2 p) messages and 2n(p-1)/p bytes per rank. If p is not a power of two, the ranks
/// beyond the largest power of two fold their vector into a core rank first and get the result
/// last: 2 more messages of n bytes. Segments are whole elements; empty ones are not sent. Each
/// segment is reduced on one rank, so all ranks get the same bits. thakur2005; "halfsum" of PSTSWM
/// (worley1998).
#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/comm/allreduce/halving.hpp"
#include "tradewind/comm/allreduce/pieces.hpp"
#include "tradewind/comm/allreduce/power_of_two.hpp"
#include "tradewind/comm/protocol/exchange.hpp"

namespace tradewind {

namespace {

/// The vector of one rank and its exchanges. A halving divides the segments that a rank and its
/// partner share: one half stays and is reduced, the other one goes to the partner. The doubling of
/// the same step brings it back.
class Halving {
public:
    Halving(Comm& comm, const Allreduce& vector, Delivery delivery, const Butterfly& butterfly)
        : exchange_(comm, delivery, tags::allreduce),
          vector_(vector),
          butterfly_(butterfly),
          rank_(comm.rank()),
          ends_(rank_, comm.size()),
          position_(ends_.is_extra() ? 0 : butterfly.position(rank_, ends_.levels())),
          segments_(vector, ends_.core()),
          arrived_(vector.data, longest_arrival(), 1) {}

    /// Returns the number of halvings, which is the number of doublings.
    [[nodiscard]] int steps() const noexcept { return ends_.is_extra() ? 0 : ends_.levels(); }

    StagedExchange::Begun fold() { return exchange_(ends_.fold(vector_.data, arrived_[0])); }
    void add_folded(Comm& comm) const {
        if (ends_.represents()) combine(comm, vector_.reduction, arrived_[0], vector_.data);
    }
    StagedExchange::Begun halve(int step) {
        return exchange_.swap(partner(step), theirs(step), arrived(step));
    }
    void add_half(Comm& comm, int step) const {
        combine(comm, vector_.reduction, arrived(step), mine(step));
    }
    StagedExchange::Begun gather(int step) {
        return exchange_.swap(partner(step), mine(step), theirs(step));
    }
    StagedExchange::Begun unfold() { return exchange_(ends_.unfold(vector_.data)); }

private:
    [[nodiscard]] Rank partner(int step) const noexcept {
        return butterfly_.partner(rank_, step, ends_.levels());
    }
    [[nodiscard]] Buffer mine(int step) const noexcept { return half(position_, step); }
    [[nodiscard]] Buffer theirs(int step) const noexcept {
        return half(position_ ^ width(step), step);
    }
    /// Returns the memory for the partner's part of this rank's half.
    [[nodiscard]] Buffer arrived(int step) const noexcept {
        return arrived_[0].part(0, mine(step).size());
    }
    [[nodiscard]] Buffer half(Rank position, int step) const noexcept {
        return segments_.part(position & -width(step), width(step));
    }
    [[nodiscard]] Rank width(int step) const noexcept { return ends_.core() >> (step + 1); }
    [[nodiscard]] Bytes longest_arrival() const noexcept {
        if (ends_.is_extra()) return 0;
        return ends_.represents() ? vector_.data.size() : segments_.largest(width(0));
    }

    StagedExchange exchange_;
    const Allreduce& vector_;
    const Butterfly& butterfly_;
    Rank rank_;
    PowerOfTwo ends_;
    Rank position_;
    Segments segments_;
    Slots arrived_;
};

Rank partner_in_cube(Rank rank, int step, int levels) noexcept {
    return rank ^ (Rank{1} << (levels - 1 - step));
}
Rank position_in_cube(Rank rank, int /*levels*/) noexcept {
    return rank;
}
constexpr Butterfly cube{partner_in_cube, position_in_cube};

}  // namespace

Task allreduce_by_halving(Comm& comm, Allreduce vector, Options options,
                          const Butterfly& butterfly) {
    Halving vectors(comm, vector, options.delivery("allreduce"), butterfly);
    co_await vectors.fold();
    vectors.add_folded(comm);
    for (int step = 0; step < vectors.steps(); ++step) {
        co_await vectors.halve(step);
        vectors.add_half(comm, step);
    }
    for (int step = vectors.steps() - 1; step >= 0; --step) co_await vectors.gather(step);
    co_await vectors.unfold();
}

Task allreduce_rabenseifner(Comm& comm, Allreduce vector, Options options) {
    require_whole_elements(vector, "allreduce rabenseifner");
    return allreduce_by_halving(comm, vector, options, cube);
}

}  // namespace tradewind
