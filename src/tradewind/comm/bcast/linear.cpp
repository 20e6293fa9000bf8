/// Linear bcast: the root sends the data to every other rank at once.
///
/// p-1 messages of n bytes, all from the root, in one stage. MPI libraries take it among few ranks,
/// and it is the yardstick for the others.
#include "tradewind/comm/bcast/algorithms.hpp"
#include "tradewind/comm/bcast/down.hpp"

namespace tradewind {

namespace {

/// A tree in which all ranks are children of the root.
struct Star {
    Rank rank;
    Rank ranks;

    [[nodiscard]] static Rank parent() noexcept { return 0; }
    template <class Visit>
    void for_each_child(Visit visit) const {
        for (Rank child = 1; rank == 0 && child < ranks; ++child) visit(child);
    }
};

Task bcast_linear(Comm& comm, Bcast message, Options /*options*/) {
    require_root(comm, message.root, "bcast linear");
    const Rank rank = relative(comm.rank(), message.root, comm.size());
    return send_down(comm, message, Star{rank, comm.size()});
}

}  // namespace

extern const BcastAlgorithm bcast_linear_entry;
constinit const BcastAlgorithm bcast_linear_entry = {
    .name = "linear",
    .summary = "the root sends to every rank",
    .run = bcast_linear,
    .total = bcast_tree_totals,
};

}  // namespace tradewind
