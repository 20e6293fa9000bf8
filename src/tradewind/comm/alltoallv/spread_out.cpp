/// Spread-out alltoallv: a window of exchanges, each of which is replaced by the next one as soon
/// as it is complete.
///
///     p = 7, window = 2      rank 0 exchanges at distance
///     start                  1 2             sends to 1 2, receives from 6 5
///                            3 2             1 was through first
///                            3 4             2 was through next
///
/// p-1 messages and n bytes per rank, with at most `options.window` sends and as many receives in
/// flight. The window is kept full with wait_any, whereas ring_k empties it in batches. A send and
/// the receive at the same distance share a slot, so that receivers pace senders even if sends
/// complete at once. All ranks start exchanges in the order of the distance, hence both ends of the
/// shortest pending exchange are always posted, and there is no deadlock. After the scattered
/// alltoall of MPICH (thakur2005).
#include <algorithm>
#include <vector>

#include "tradewind/comm/alltoallv/algorithms.hpp"
#include "tradewind/comm/alltoallv/pieces.hpp"
#include "tradewind/comm/alltoallv/totals.hpp"

namespace tradewind {

namespace {

/// The two requests of one slot of the window.
struct WindowSlot {
    Request* requests;

    [[nodiscard]] bool is_free() const noexcept {
        return requests[0].is_null() && requests[1].is_null();
    }
};

/// Starts exchanges at the next distances until one is pending or none is left.
void refill(Comm& comm, const Alltoallv& data, Rank& distance, WindowSlot slot) {
    while (slot.is_free() && ++distance < comm.size()) {
        slot.requests[0] = receive_block(comm, data, before(comm.rank(), distance, comm.size()));
        slot.requests[1] = send_block(comm, data, after(comm.rank(), distance, comm.size()));
    }
}

Task alltoallv_spread_out(Comm& comm, Alltoallv data, Options options) {
    require_default(options.protocol, "alltoallv spread_out");
    require_two_sided(options.transport, "alltoallv spread_out");
    require_at_least(1, options.window, "alltoallv spread_out", "window");
    const Rank window = std::min(options.window, comm.size() - 1);
    std::vector<Request> requests(static_cast<std::size_t>(2 * window));
    Rank distance = 0;
    copy_own_block(comm, data);
    for (Rank i = 0; i < window; ++i)
        refill(comm, data, distance, WindowSlot{&requests[std::size_t(2 * i)]});
    for (;;) {
        const auto done = co_await comm.wait_any(requests);
        if (done < 0) break;
        refill(comm, data, distance, WindowSlot{&requests[std::size_t(done / 2 * 2)]});
    }
}

}  // namespace

extern const AlltoallvAlgorithm alltoallv_spread_out_entry;
constinit const AlltoallvAlgorithm alltoallv_spread_out_entry = {
    .name = "spread_out",
    .summary = "at most `window` sends and receives in flight, always refilled",
    .run = alltoallv_spread_out,
    .total = direct_totals,
    .has_window = true,
};

}  // namespace tradewind
