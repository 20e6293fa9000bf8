/// Bine allreduce: reduction to rank 0 along a tree whose steps alternate in direction, then
/// broadcast down the same tree.
///
///     p = 8           rank 0    1     2     3     4     5     6     7
///     up 1            01        .     .     23    45    .     .     67       1 to 0, 2 to 3, ...
///     up 2            0167      .     .     2345  .     .     .     .        7 to 0, 4 to 3
///     up 3            0..7      .     .     .     .     .     .     .        3 to 0
///     down            0 to 3; 0 to 7, 3 to 4; 0 to 1, 3 to 2, 4 to 5, 7 to 6
///
/// 2(p-1) messages of n bytes in total, 2 ceil(log2 p) stages. The partners of a stage are nearer
/// to each other than in a binomial tree, so that fewer messages leave a group of neighbouring
/// ranks. Ranks beyond a power of two fold first. The result is copied, so all ranks get the same
/// bits. desensi2025.
#include "tradewind/comm/allreduce/algorithms.hpp"
#include "tradewind/comm/allreduce/pieces.hpp"
#include "tradewind/comm/allreduce/power_of_two.hpp"
#include "tradewind/comm/bcast/bine_tree.hpp"
#include "tradewind/comm/protocol/exchange.hpp"

namespace tradewind {

namespace {

/// The exchanges of one rank: with an extra rank, and along the edges of the tree.
class Exchanges {
public:
    Exchanges(Comm& comm, const Allreduce& vector, Delivery delivery)
        : exchange_(comm, delivery, tags::allreduce),
          vector_(vector),
          ends_(comm.rank(), comm.size()),
          arrived_(vector.data, ends_.is_extra() ? 0 : vector.data.size(), 1) {}

    [[nodiscard]] const PowerOfTwo& ends() const noexcept { return ends_; }
    StagedExchange::Begun fold() { return exchange_(ends_.fold(vector_.data, arrived_[0])); }
    StagedExchange::Begun recv_part(Rank child) { return exchange_.recv(child, arrived_[0]); }
    StagedExchange::Begun send(Rank other) { return exchange_.send(other, vector_.data); }
    StagedExchange::Begun recv_result(Rank parent) { return exchange_.recv(parent, vector_.data); }
    StagedExchange::Begun unfold() { return exchange_(ends_.unfold(vector_.data)); }
    void add(Comm& comm) const { combine(comm, vector_.reduction, arrived_[0], vector_.data); }

private:
    StagedExchange exchange_;
    const Allreduce& vector_;
    PowerOfTwo ends_;
    Slots arrived_;
};

}  // namespace

Task allreduce_bine(Comm& comm, Allreduce vector, Options options) {
    require_whole_elements(vector, "allreduce bine");
    Exchanges vectors(comm, vector, options.delivery("allreduce"));
    const BineTree tree(comm.rank(), comm.size());
    co_await vectors.fold();
    if (vectors.ends().represents()) vectors.add(comm);
    for (int step = 0; tree.has_child(step); ++step) {
        co_await vectors.recv_part(tree.child(step));
        vectors.add(comm);
    }
    if (!vectors.ends().is_extra() && comm.rank() > 0) {
        co_await vectors.send(tree.parent());
        co_await vectors.recv_result(tree.parent());
    }
    for (int step = tree.parent_step() - 1; step >= 0; --step) {
        co_await vectors.send(tree.child(step));
    }
    co_await vectors.unfold();
}

}  // namespace tradewind
