/// NeighborWindow: a receive buffer that neighbours put into, with the offsets and counters at the
/// other ends of the edges.
#pragma once

#include "tradewind/comm/neighbor/neighbor.hpp"

namespace tradewind {

/// A window whose counters are the number of messages that have arrived and, for each destination,
/// the number of its go-aheads.
class NeighborWindow final : public NeighborConnection {
public:
    /// Exposes `receive` on `comm`; collective. `receive` must live as long as `comm`, `neighbors`
    /// as long as this object.
    NeighborWindow(Comm& comm, Buffer receive, const Neighborhood& neighbors);
    /// Sends every source the offset of its message, and every destination the counter that its
    /// go-aheads raise. All ranks call it once; it costs two messages for every edge.
    [[nodiscard]] Task connect(Comm& comm) override;

    /// Exchanges messages by puts (see puts.cpp). Throws ConfigError if `data` has another buffer
    /// or other neighbours, or if the window is not connected.
    [[nodiscard]] Task exchange(Comm& comm, NeighborExchange data) override;

private:
    void check(const Comm& comm, const NeighborExchange& data) const;

    Buffer receive_;
    const Neighborhood* neighbors_;
    Window window_;
    std::int64_t rounds_ = 0;
    std::int64_t incoming_ = 0;
    bool connected_ = false;
    /// The offset of the message to destination k in that rank's window.
    std::vector<std::int64_t> places_;
    /// The counter in the window of source i that this rank's go-aheads raise.
    std::vector<std::int64_t> go_aheads_;
};

}  // namespace tradewind
