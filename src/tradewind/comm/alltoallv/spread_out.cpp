/// Spread-out alltoallv: a window of sends and one of receives that are refilled as soon as one message is through.
///
///     p = 7, window = 2      in flight to            rank 0 has just
///     start                  1 2
///                            3 2                     finished 1, started 3
///                            3 4                     finished 2, started 4
///
/// p-1 messages and n bytes per rank, at most `options.window` sends and as many receives in flight: the window is
/// kept full with wait_any, not emptied in batches (that is ring_k). Both sides take their blocks in the order of the
/// distance, hence the pending message of smallest distance is always posted on both sides: no deadlock.
/// After the scattered alltoall of MPICH (thakur2005).
#include <algorithm>
#include <vector>

#include "tradewind/comm/alltoallv/algorithms.hpp"
#include "tradewind/comm/alltoallv/pieces.hpp"

namespace tradewind {

namespace {

/// Hands out the blocks by distance; null when there are no more.
struct Cursor {
    Rank sent = 0;
    Rank received = 0;

    Request next_send(Comm& comm, const Alltoallv& data) {
        Request request;
        while (request.is_null() && ++sent < comm.size()) {
            request = send_block(comm, data, after(comm.rank(), sent, comm.size()));
        }
        return request;
    }
    Request next_receive(Comm& comm, const Alltoallv& data) {
        Request request;
        while (request.is_null() && ++received < comm.size()) {
            request = receive_block(comm, data, before(comm.rank(), received, comm.size()));
        }
        return request;
    }
};

}  // namespace

Task alltoallv_spread_out(Comm& comm, Alltoallv data, Options options) {
    require_at_least(1, options.window, "alltoallv spread_out", "window");
    const auto window = static_cast<std::size_t>(std::min(options.window, comm.size() - 1));
    std::vector<Request> slots(2 * window);
    Cursor cursor;
    copy_own_block(data, comm.rank());
    for (std::size_t i = 0; i < window; ++i) slots[i] = cursor.next_receive(comm, data);
    for (std::size_t i = 0; i < window; ++i) slots[window + i] = cursor.next_send(comm, data);
    for (;;) {
        const auto done = co_await comm.wait_any(slots);
        if (done < 0) break;
        const auto slot = static_cast<std::size_t>(done);
        slots[slot] = slot < window ? cursor.next_receive(comm, data) : cursor.next_send(comm, data);
    }
}

}  // namespace tradewind
