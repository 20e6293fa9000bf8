/// The exchanges of messages by the calls of their protocol.
#include "tradewind/comm/protocol/exchange.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "tradewind/comm/catalogue.hpp"
#include "tradewind/comm/protocol/put_channel.hpp"
#include "tradewind/comm/workspace.hpp"

namespace tradewind {

namespace {

/// Reports whether the protocol overlaps the calls of several exchanges; the calls of variant 6
/// cannot be separated.
[[nodiscard]] bool takes_apart(Protocol protocol) noexcept {
    return protocol.overlaps() && protocol.variant() != 6;
}

/// Returns the effective protocol: (2,1) in place of the default, which has no separate calls of
/// its own.
[[nodiscard]] Protocol effective_protocol(Delivery delivery) noexcept {
    return delivery.protocol.is_default() ? Protocol(2, 1) : delivery.protocol;
}

/// An exchange that has begun.
struct Open {
    MessagePair pair;
    Request receive;
    /// The go-ahead for this rank's send.
    Request go_ahead;
    /// This rank's send, and the go-ahead for the partner's send; by puts the second one tells the
    /// partner that its place is free again.
    std::array<Request, 2> sends;
    /// The copy that a buffered send has made.
    Workspace copy;

    [[nodiscard]] bool sends_data() const noexcept { return pair.out.size() > 0; }
    [[nodiscard]] bool receives_data() const noexcept { return pair.in.size() > 0; }
};

/// The open exchanges, and the calls that start their messages. No member function waits.
class Exchanges {
public:
    Exchanges(Comm& comm, const MessagePairs& list, Protocol protocol, PutChannel* channel)
        : pairs(list),
          calls(protocol.calls()),
          puts(channel),
          comm_(comm),
          is_ordered_(protocol.is_ordered()),
          open_(std::size_t(most_open(list, protocol))) {}

    [[nodiscard]] std::int64_t depth() const noexcept { return std::int64_t(open_.size()); }
    [[nodiscard]] Open& operator[](std::int64_t i) noexcept {
        return open_[std::size_t(i % depth())];
    }
    [[nodiscard]] bool sends_first(std::int64_t i) noexcept {
        return !is_ordered_ || (*this)[i].pair.first;
    }

    void begin(std::int64_t i) {
        Open& open = (*this)[i];
        open.pair = pairs.pair(i);
        if (puts != nullptr) return;
        if (calls.posted && !calls.native) start_receive(i);
        if (calls.go_ahead && open.sends_data() && !is_told_by_data(open, !open.pair.first)) {
            open.go_ahead = comm_.irecv(open.pair.to, Buffer(), tags::go_ahead);
        }
    }
    /// Posts the receive of exchange i, and then sends the go-ahead that promises it.
    void start_receive(std::int64_t i) {
        Open& open = (*this)[i];
        if (!open.receives_data()) return;
        open.receive = comm_.irecv(open.pair.from, open.pair.in, pairs.tag);
        if (calls.go_ahead && !is_told_by_data(open, open.pair.first)) {
            open.sends[1] = comm_.isend(open.pair.from, ConstBuffer(), tags::go_ahead);
        }
    }
    void start_send(std::int64_t i) {
        Open& open = (*this)[i];
        ConstBuffer out = open.pair.out;
        if (calls.send == Calls::Send::buffered && !out.is_null()) {
            open.copy = Workspace(comm_, out.size());
            copy(out, open.copy.buffer());
            out = open.copy.buffer();
        }
        if (puts != nullptr) {
            open.sends[0] = puts->send(comm_, open.pair.to, out);
            return;
        }
        const bool ready = calls.send == Calls::Send::ready;
        open.sends[0] =
            comm_.isend(open.pair.to, out, pairs.tag, ready ? SendMode::ready : SendMode::standard);
    }

    const MessagePairs& pairs;
    const Calls calls;
    /// The channel of puts; null if messages are two-sided.
    PutChannel* const puts;

private:
    [[nodiscard]] static std::int64_t most_open(const MessagePairs& list, Protocol protocol) {
        const bool one_by_one = !takes_apart(protocol);
        const std::int64_t most = list.most_open == 0 ? list.count : list.most_open;
        return std::min(one_by_one ? 1 : most, list.count);
    }
    /// Reports whether data replace a go-ahead: in an ordered swap with ready sends, the data of
    /// the side that sends first tell the other side that its partner's receive is posted.
    /// `by_first` is true if the go-ahead in question would come from the side that sends first.
    [[nodiscard]] bool is_told_by_data(const Open& open, bool by_first) const noexcept {
        const bool swaps =
            open.pair.to == open.pair.from && open.sends_data() && open.receives_data();
        return is_ordered_ && calls.posted && swaps && by_first;
    }

    Comm& comm_;
    bool is_ordered_;
    std::vector<Open> open_;
};

Task send(Comm& comm, Exchanges& exchanges, std::int64_t i) {
    if (exchanges.pairs.before_send) co_await exchanges.pairs.before_send(comm, i);
    if (!exchanges[i].sends_data()) co_return;
    co_await comm.wait(exchanges[i].go_ahead);
    if (exchanges.puts != nullptr) co_await exchanges.puts->place(comm, exchanges[i].pair.to);
    if (exchanges.calls.send == Calls::Send::buffered) {
        co_await comm.compute(Work{0.0, 2 * exchanges[i].pair.out.size()});
    }
    exchanges.start_send(i);
    if (exchanges.calls.blocking) co_await comm.wait(exchanges[i].sends[0]);
}

/// Waits for a message by puts and copies it out of the window, which reads and writes every byte.
Task take(Comm& comm, PutChannel& puts, Open& open) {
    const Rank from = open.pair.from;
    co_await puts.arrival(comm, from);
    co_await comm.compute(Work{0.0, 2 * open.pair.in.size()});
    open.sends[1] = puts.take(comm, from, open.pair.in);
}

Task receive(Comm& comm, Exchanges& exchanges, std::int64_t i) {
    if (exchanges.puts != nullptr) {
        if (exchanges[i].receives_data()) co_await take(comm, *exchanges.puts, exchanges[i]);
    } else {
        if (!exchanges.calls.posted) exchanges.start_receive(i);
        co_await comm.wait(exchanges[i].receive);
    }
    if (exchanges.pairs.after_receive) co_await exchanges.pairs.after_receive(comm, i);
}

/// Exchanges both messages in one call, with no work in between.
Task send_and_receive(Comm& comm, Exchanges& exchanges, std::int64_t i) {
    if (exchanges.pairs.before_send) co_await exchanges.pairs.before_send(comm, i);
    co_await start(comm, exchanges[i].pair, exchanges.pairs.tag);
    if (exchanges.pairs.after_receive) co_await exchanges.pairs.after_receive(comm, i);
}

/// Sends the message of exchange i if this rank sends first; otherwise `complete` sends it.
Task open_first(Comm& comm, Exchanges& exchanges, std::int64_t i) {
    if (exchanges.sends_first(i) && !exchanges.calls.native) co_await send(comm, exchanges, i);
}

Task complete(Comm& comm, Exchanges& exchanges, std::int64_t i) {
    if (exchanges.calls.native) {
        co_await send_and_receive(comm, exchanges, i);
        co_return;
    }
    co_await receive(comm, exchanges, i);
    if (!exchanges.sends_first(i)) co_await send(comm, exchanges, i);
}

}  // namespace

Task exchange(Comm& comm, const MessagePairs& pairs, Delivery delivery) {
    const Protocol protocol = effective_protocol(delivery);
    Exchanges exchanges(comm, pairs, protocol, delivery.puts);
    const std::int64_t depth = exchanges.depth();
    const bool overlaps = takes_apart(protocol);
    for (std::int64_t i = 0; i < depth; ++i) exchanges.begin(i);
    for (std::int64_t i = 0; i < depth; ++i) co_await open_first(comm, exchanges, i);
    if (overlaps && pairs.meanwhile) co_await pairs.meanwhile(comm);
    for (std::int64_t i = 0; i < pairs.count; ++i) {
        co_await complete(comm, exchanges, i);
        if (i + depth >= pairs.count) continue;
        co_await comm.wait_all(exchanges[i].sends);
        exchanges.begin(i + depth);
        co_await open_first(comm, exchanges, i + depth);
    }
    for (std::int64_t i = 0; i < depth; ++i) co_await comm.wait_all(exchanges[i].sends);
    if (!overlaps && pairs.meanwhile) co_await pairs.meanwhile(comm);
}

Task exchange_one(Comm& comm, MessagePair pair, Delivery delivery, Tag tag) {
    MessagePairs single;
    single.count = 1;
    single.tag = tag;
    single.pair = [&pair](std::int64_t) { return pair; };
    co_await exchange(comm, single, delivery);
}

Task exchange_list(Comm& comm, std::int64_t count, std::function<MessagePair(std::int64_t)> pair,
                   Delivery delivery, Tag tag) {
    MessagePairs pairs;
    pairs.count = count;
    pairs.tag = tag;
    pairs.pair = std::move(pair);
    co_await exchange(comm, pairs, delivery);
}

bool StagedExchange::sends_first(Rank to) const noexcept {
    const Rank p = comm().size();
    const Rank distance = (to - comm().rank() + p) % p;
    return distance == 0 || shifts_first(comm().rank(), distance);
}

/// Ends the task, so that its memory is free before the next stage.
void StagedExchange::end_task() {
    const Task finished = std::move(task_);
    finished.rethrow();
}

StagedExchange swap(Comm& comm, Rank partner, ConstBuffer out, Buffer in, Delivery delivery,
                    Tag tag) {
    StagedExchange exchange(comm, delivery, tag);
    (void)exchange.swap(partner, out, in);
    return exchange;
}

StagedExchange sendrecv(Comm& comm, Shift shift, ConstBuffer out, Buffer in, Delivery delivery,
                        Tag tag) {
    const Rank p = comm.size();
    if ((shift.to - comm.rank() + p) % p != (comm.rank() - shift.from + p) % p) {
        throw ConfigError(text("sendrecv: rank ", comm.rank(), " sends to ", shift.to,
                               " and receives from ", shift.from,
                               "; expected ranks at the same distance"));
    }
    StagedExchange exchange(comm, delivery, tag);
    (void)exchange.sendrecv(shift.to, out, shift.from, in);
    return exchange;
}

}  // namespace tradewind
