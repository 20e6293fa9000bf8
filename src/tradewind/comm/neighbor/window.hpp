/// NeighborWindow: a receive buffer that neighbours put into, and what the ends of the edges know
/// of each other.
#pragma once

#include "tradewind/comm/neighbor/neighbor.hpp"

namespace tradewind {

/// Counters of the window: all messages that have arrived, and for each destination its go-aheads.
class NeighborWindow {
public:
    /// Collective: `comm` exposes `receive`, which must live as long as `comm`; `neighbors` as long
    /// as this.
    NeighborWindow(Comm& comm, Buffer receive, const Neighborhood& neighbors);
    /// Tells every source where its message goes, and every destination which counter its go-aheads
    /// raise. All ranks, once; two messages for every edge.
    Task connect(Comm& comm);

    /// The exchange by puts (see puts.cpp). Throws ConfigError if `data` has another buffer or
    /// other neighbours, or nobody has connected.
    Task exchange(Comm& comm, NeighborExchange data);

private:
    void check(const Comm& comm, const NeighborExchange& data) const;

    Buffer receive_;
    const Neighborhood* neighbors_;
    Window window_;
    std::int64_t rounds_ = 0;
    std::int64_t incoming_ = 0;
    bool connected_ = false;
    /// Of destination k: where in its window the own message goes.
    std::vector<std::int64_t> places_;
    /// Of source i: the counter of its window that the own go-aheads raise.
    std::vector<std::int64_t> go_aheads_;
};

}  // namespace tradewind
