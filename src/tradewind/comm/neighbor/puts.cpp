/// Puts: every rank tells its sources that its buffer is free, and puts its messages into the
/// buffers of its destinations as their go-aheads come in.
///
///     source                      destination
///                 <-- signal --   entered the exchange: the buffer may be overwritten
///     put         -- message, signal -->
///
/// Two puts for every edge: an empty one and one with the message. The message is written to its
/// final place, without a receive and without a copy. A go-ahead is valid for one exchange, so that
/// the next message of a fast neighbour cannot be mistaken for one of this exchange.
#include "tradewind/comm/neighbor/algorithms.hpp"
#include "tradewind/comm/neighbor/pieces.hpp"
#include "tradewind/comm/neighbor/window.hpp"

namespace tradewind {

namespace {

constexpr std::int32_t arrival_signal = 0;
constexpr std::int32_t first_go_ahead = 1;

Buffer word(std::int64_t& value) {
    return Buffer(std::span(&value, 1));
}

}  // namespace

NeighborWindow::NeighborWindow(Comm& comm, Buffer receive, const Neighborhood& neighbors)
    : receive_(receive),
      neighbors_(&neighbors),
      window_(comm.expose(receive, first_go_ahead + std::int32_t(neighbors.destinations.size()))),
      places_(neighbors.destinations.size()),
      go_aheads_(neighbors.sources.size()) {}

Task NeighborWindow::connect(Comm& comm) {
    const std::vector<Neighbor>& sources = neighbors_->sources;
    const std::vector<Neighbor>& destinations = neighbors_->destinations;
    std::vector<std::int64_t> own_places(sources.size());
    std::vector<std::int64_t> own_signals(destinations.size());
    std::vector<Request> requests;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (!travels(sources[i], comm.rank())) continue;
        ++incoming_;
        own_places[i] = sources[i].offset;
        requests.push_back(comm.isend(sources[i].rank, word(own_places[i]), tags::neighbor));
        requests.push_back(comm.irecv(sources[i].rank, word(go_aheads_[i]), tags::neighbor + 1));
    }
    for (std::size_t k = 0; k < destinations.size(); ++k) {
        if (!travels(destinations[k], comm.rank())) continue;
        own_signals[k] = first_go_ahead + std::int64_t(k);
        requests.push_back(
            comm.isend(destinations[k].rank, word(own_signals[k]), tags::neighbor + 1));
        requests.push_back(comm.irecv(destinations[k].rank, word(places_[k]), tags::neighbor));
    }
    co_await comm.wait_all(requests);
    connected_ = true;
}

void NeighborWindow::check(const Comm& comm, const NeighborExchange& data) const {
    const auto who = text("neighbor puts: rank ", comm.rank());
    if (!connected_) throw ConfigError(who + " has not connected its window");
    if (data.neighbors != neighbors_ || data.receive.data() != receive_.data())
        throw ConfigError(who + " has another buffer or other neighbours than its window");
}

Task NeighborWindow::exchange(Comm& comm, NeighborExchange data) {
    check(comm, data);
    ++rounds_;
    std::vector<Request> requests;
    for (std::size_t i = 0; i < neighbors_->sources.size(); ++i) {
        const Neighbor& from = neighbors_->sources[i];
        if (!travels(from, comm.rank())) continue;
        requests.push_back(
            comm.put(from.rank, window_, 0, ConstBuffer(), std::int32_t(go_aheads_[i])));
    }
    for (std::size_t k = 0; k < neighbors_->destinations.size(); ++k) {
        const Neighbor& to = neighbors_->destinations[k];
        if (!travels(to, comm.rank())) continue;
        co_await comm.wait_signal(window_, rounds_, first_go_ahead + std::int32_t(k));
        requests.push_back(
            comm.put(to.rank, window_, places_[k], message_to(data, to), arrival_signal));
    }
    co_await comm.wait_all(requests);
    co_await comm.wait_signal(window_, rounds_ * incoming_, arrival_signal);
}

namespace {

Task neighbor_puts(Comm& comm, NeighborExchange data, Options options) {
    require_default(options.protocol, "neighbor puts");
    require_two_sided(options.transport, "neighbor puts");
    check_neighbors(comm, data);
    NeighborConnection& window = connection_of(comm, data, "puts");
    copy_own_messages(comm, data);
    co_await window.exchange(comm, data);
}

std::unique_ptr<NeighborConnection> prepare_window(Comm& comm, const NeighborExchange& data) {
    return std::make_unique<NeighborWindow>(comm, data.receive, *data.neighbors);
}

/// Returns the totals with two words of set-up for every edge, and a go-ahead before every message.
MessageTotals totals(MessageTotals edges, std::int64_t exchanges) {
    return {edges.messages * (2 + 2 * exchanges), edges.messages * 16 + edges.bytes * exchanges};
}

}  // namespace

extern const NeighborAlgorithm neighbor_puts_entry;
constinit const NeighborAlgorithm neighbor_puts_entry = {
    .name = "puts",
    .summary = "one-sided puts into the receive buffers, after a go-ahead each",
    .run = neighbor_puts,
    .total = totals,
    .prepare = prepare_window,
    .exposes_memory = true,
};

}  // namespace tradewind
