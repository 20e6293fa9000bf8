/// Persistent: a burst whose messages are prepared once and started in every exchange.
///
///     once            prepare a receive from every source and a send to every destination
///     each exchange   start them all, wait for them all
///
/// One message for every edge. On MPI these are persistent requests, which spare the library the
/// checking of arguments in each exchange. In the simulator the messages, and their time, are those
/// of a burst: preparation sends nothing, and overheads are per message.
#include "tradewind/comm/neighbor/algorithms.hpp"
#include "tradewind/comm/neighbor/pieces.hpp"

namespace tradewind {

namespace {

class PersistentConnection final : public NeighborConnection {
public:
    PersistentConnection(Comm& comm, const NeighborExchange& data) : data_(data) {
        check_neighbors(comm, data);
        FixedMessages messages;
        for (const Neighbor& from : data.neighbors->sources) {
            if (!travels(from, comm.rank())) continue;
            messages.push_back(FixedMessage::receive(from.rank, message_from(data, from)));
        }
        for (const Neighbor& to : data.neighbors->destinations) {
            if (!travels(to, comm.rank())) continue;
            messages.push_back(FixedMessage::send(to.rank, message_to(data, to)));
        }
        requests_.resize(messages.size());
        messages_ = comm.prepare(messages, tags::neighbor);
    }

    [[nodiscard]] Task connect(Comm& /*comm*/) override { co_return; }

    [[nodiscard]] Task exchange(Comm& comm, NeighborExchange data) override {
        if (data.neighbors != data_.neighbors || data.send.data() != data_.send.data() ||
            data.receive.data() != data_.receive.data()) {
            throw ConfigError(text("neighbor persistent: rank ", comm.rank(),
                                   " has other buffers or neighbours than its requests"));
        }
        messages_->start(0, requests_);
        co_await comm.wait_all(requests_);
    }

private:
    NeighborExchange data_;
    std::unique_ptr<PersistentMessages> messages_;
    std::vector<Request> requests_;
};

std::unique_ptr<NeighborConnection> prepare_requests(Comm& comm, const NeighborExchange& data) {
    return std::make_unique<PersistentConnection>(comm, data);
}

Task neighbor_persistent(Comm& comm, NeighborExchange data, Options options) {
    require_default(options.protocol, "neighbor persistent");
    require_two_sided(options.transport, "neighbor persistent");
    check_neighbors(comm, data);
    NeighborConnection& requests = connection_of(comm, data, "persistent");
    copy_own_messages(comm, data);
    co_await requests.exchange(comm, data);
}

}  // namespace

extern const NeighborAlgorithm neighbor_persistent_entry;
constinit const NeighborAlgorithm neighbor_persistent_entry = {
    .name = "persistent",
    .summary = "everything prepared once and started at once",
    .run = neighbor_persistent,
    .total = message_totals,
    .prepare = prepare_requests,
    .is_persistent = true,
};

}  // namespace tradewind
