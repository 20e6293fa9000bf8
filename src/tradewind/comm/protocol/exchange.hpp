/// Exchanges of messages between two ranks (SWAP) or with two others (SENDRECV) by any protocol.
///
///     StagedExchange exchange(comm, options.delivery("allreduce ring"), tags::allreduce);
///     co_await exchange.swap(partner, out, in);           both ranks make the same call
///     co_await exchange.sendrecv(to, out, from, in);      all ranks at the same distance
///     co_await exchange.send(to, out);                    and recv
///     co_await exchange.all(count, pair);                 pair(0), pair(1), ... in one stage
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/protocol/transport.hpp"

namespace tradewind {

/// Reports whether `rank` sends first in an ordered swap: the lower one of the two ranks does
/// (worley1998).
[[nodiscard]] constexpr bool swaps_first(Rank rank, Rank partner) noexcept {
    return rank < partner;
}
/// Reports whether `rank` sends first in an ordered shift, in which all ranks send to rank +
/// distance on a ring: every second block of `distance` ranks does. A cycle of the shift has ranks
/// of both kinds, and a rank that receives first has a source that sends first, so blocking calls
/// do not deadlock. With two ranks it is the rule of the swap.
[[nodiscard]] constexpr bool shifts_first(Rank rank, Rank distance) noexcept {
    return rank / distance % 2 == 0;
}

/// The exchanges of one operation, which all ranks list in the same order. Empty messages are not
/// sent: both ends know the size.
struct MessagePairs {
    std::int64_t count = 0;
    Tag tag = 0;
    /// The largest number of exchanges that are open at once under the protocols that overlap; a
    /// limit is needed if an exchange sends data that an earlier one has brought. 0: all of them.
    std::int64_t most_open = 0;
    /// A function that returns the partners and buffers of exchange i.
    std::function<MessagePair(std::int64_t)> pair;
    /// Work on the data of exchange i before they are sent. It overlaps with other messages as far
    /// as the protocol allows. May be empty.
    std::function<Task(Comm&, std::int64_t)> before_send = {};
    /// Work on the data of exchange i after they are received, with the same overlap. May be empty.
    std::function<Task(Comm&, std::int64_t)> after_receive = {};
    /// Work that needs no received data: under the protocols that overlap it is done while the
    /// first messages travel, under the others at the end. May be empty.
    std::function<Task(Comm&)> meanwhile = {};
};

/// Makes the exchanges one after the other under (0,x) and (1,x). Under (2,x) and (3,x) it opens
/// all first, with receives and go-aheads, then sends, and then completes each in order. The
/// default protocol by puts is (2,1). `pairs` and all buffers must outlive the task.
Task exchange(Comm& comm, const MessagePairs& pairs, Delivery delivery);

/// Makes a single exchange.
Task exchange_one(Comm& comm, MessagePair pair, Delivery delivery, Tag tag);
/// Makes the exchanges pair(0), ..., pair(count - 1) as one list.
Task exchange_list(Comm& comm, std::int64_t count, std::function<MessagePair(std::int64_t)> pair,
                   Delivery delivery, Tag tag);

/// Reports whether an exchange starts its messages when it is called, and has no other calls to
/// make: they are two-sided, by the default protocol.
[[nodiscard]] inline bool starts_at_once(const Delivery& delivery) noexcept {
    return delivery.is_plain();
}

/// The fate of empty messages by the default protocol; by others they are never sent.
enum class EmptyMessages : bool { skipped, sent };

/// Reports whether a message to or from `peer` exists.
[[nodiscard]] constexpr bool exists(Rank peer, Bytes size, EmptyMessages empty) noexcept {
    return size > 0 || (empty == EmptyMessages::sent && peer != nobody);
}

/// Starts an exchange by the default protocol: receive and send at once; `co_await` the result.
[[nodiscard]] inline Transfer start(Comm& comm, const MessagePair& pair, Tag tag,
                                    EmptyMessages empty = EmptyMessages::skipped) {
    if (pair.in.size() > 0 && pair.out.size() > 0) {
        return comm.exchange(pair.to, pair.out, pair.from, pair.in, tag);
    }
    RequestPair requests{};
    if (exists(pair.from, pair.in.size(), empty))
        requests.receive = comm.irecv(pair.from, pair.in, tag);
    if (exists(pair.to, pair.out.size(), empty)) requests.send = comm.isend(pair.to, pair.out, tag);
    return Transfer(comm, requests);
}

/// The message that a rank receives in an exchange.
struct Incoming {
    Rank from;
    Buffer in;
};
/// The message that it sends.
struct Outgoing {
    Rank to;
    ConstBuffer out;
};

/// Returns one half of `pair(i)`; `pair` may have functions for the halves, which find only what is
/// needed.
template <class Pair>
[[nodiscard, gnu::always_inline]] inline Incoming incoming(const Pair& pair, std::int64_t i) {
    if constexpr (requires { pair.incoming(i); }) {
        return pair.incoming(i);
    } else {
        const MessagePair both = pair(i);
        return {both.from, both.in};
    }
}
template <class Pair>
[[nodiscard, gnu::always_inline]] inline Outgoing outgoing(const Pair& pair, std::int64_t i) {
    if constexpr (requires { pair.outgoing(i); }) {
        return pair.outgoing(i);
    } else {
        const MessagePair both = pair(i);
        return {both.to, both.out};
    }
}

/// Posts the receives of pair(0), ..., pair(count - 1), then their sends.
template <class Pair>
void post(Comm& comm, std::int64_t count, const Pair& pair, Tag tag, EmptyMessages empty,
          std::vector<Request>& requests) {
    requests.clear();
    requests.reserve(std::size_t(2 * count));
    for (std::int64_t i = 0; i < count; ++i) {
        const auto [from, in] = incoming(pair, i);
        if (exists(from, in.size(), empty)) requests.push_back(comm.irecv(from, in, tag));
    }
    for (std::int64_t i = 0; i < count; ++i) {
        const auto [to, out] = outgoing(pair, i);
        if (exists(to, out.size(), empty)) requests.push_back(comm.isend(to, out, tag));
    }
}

/// The exchanges of one rank in an operation, stage by stage, by the delivery that was chosen. Each
/// call begins an exchange, which is awaited (`co_await`) before the next call.
///
/// The call itself starts the messages by default, so that no coroutine is made; on a communicator
/// whose calls block they are complete when it returns. An exchange by another protocol or
/// transport is a task. The state of a wait lies in this object, not in the awaiters, because g++
/// 12 gives each of them its own place in the frame of a coroutine.
class StagedExchange {
public:
    /// The awaiter of the exchange that was begun last.
    template <class Exchange>
    struct [[nodiscard]] ExchangeAwaiter {
        explicit ExchangeAwaiter(Exchange& begun) noexcept : exchange(begun) {}
        [[nodiscard]] bool await_ready() { return exchange.is_complete(); }
        void await_suspend(std::coroutine_handle<> caller) noexcept { exchange.suspend(caller); }
        void await_resume() { exchange.end(); }

        Exchange& exchange;
    };
    using Begun = ExchangeAwaiter<StagedExchange>;

    StagedExchange(Comm& comm, Delivery delivery, Tag tag,
                   EmptyMessages empty = EmptyMessages::skipped) noexcept
        : transfer_(comm, {}),
          puts_(delivery.puts),
          tag_(tag),
          protocol_(delivery.protocol),
          empty_(empty) {}

    /// Makes an exchange in which one message or both may be missing.
    Begun operator()(const MessagePair& pair) {
        if (starts_at_once()) [[likely]] {
            wait_for(start(comm(), pair, tag_, empty_));
        } else {
            task_ = exchange_one(comm(), pair, delivery(), tag_);
        }
        return Begun(*this);
    }
    /// Exchanges messages with `partner`, which makes the same call.
    Begun swap(Rank partner, ConstBuffer out, Buffer in) {
        return (*this)({partner, out, partner, in, swaps_first(comm().rank(), partner)});
    }
    /// Sends to one rank and receives from another; all ranks shift by the same distance.
    Begun sendrecv(Rank to, ConstBuffer out, Rank from, Buffer in) {
        return (*this)({to, out, from, in, starts_at_once() || sends_first(to)});
    }
    Begun send(Rank to, ConstBuffer out) { return (*this)({to, out, nobody, Buffer()}); }
    Begun recv(Rank from, Buffer in) { return (*this)({nobody, ConstBuffer(), from, in}); }
    [[nodiscard]] Begun operator co_await() noexcept { return Begun(*this); }

    [[nodiscard]] bool starts_at_once() const noexcept {
        return tradewind::starts_at_once(delivery());
    }

protected:
    [[nodiscard]] Comm& comm() const noexcept { return transfer_.wait.comm; }
    [[nodiscard]] Tag tag() const noexcept { return tag_; }
    [[nodiscard]] EmptyMessages empty() const noexcept { return empty_; }
    [[nodiscard]] Delivery delivery() const noexcept { return {protocol_, puts_}; }
    void wait_for(const Transfer& started) noexcept {
        transfer_.requests[0] = started.requests[0];
        transfer_.requests[1] = started.requests[1];
    }
    void wait_for(Task task) noexcept { task_ = std::move(task); }
    /// Reports whether all of `requests` are complete; otherwise `suspend` follows.
    [[nodiscard]] bool are_complete(std::span<Request> requests) {
        if (requests.empty()) {
            ++comm().coroutines().skipped;
            return true;
        }
        transfer_.wait.waiting = Waiting(Waiting::For::all, requests);
        return transfer_.wait.await_ready();
    }

    [[nodiscard]] bool is_complete() {
        return starts_at_once() ? transfer_.await_ready() : task_.operator co_await().await_ready();
    }
    void suspend(std::coroutine_handle<> caller) noexcept {
        if (starts_at_once()) return transfer_.await_suspend(caller);
        task_.operator co_await().await_suspend(caller);
    }
    void end() {
        if (!starts_at_once()) end_task();
    }

private:
    friend Begun;
    void end_task();
    [[nodiscard]] bool sends_first(Rank to) const noexcept;

    Transfer transfer_;
    Task task_;
    PutChannel* puts_;
    Tag tag_;
    Protocol protocol_;
    EmptyMessages empty_;
};

/// A StagedExchange whose stages may have several exchanges each.
class GroupedExchange : public StagedExchange {
public:
    using BegunGroup = ExchangeAwaiter<GroupedExchange>;

    using StagedExchange::StagedExchange;

    /// Makes the exchanges pair(0), ..., pair(count - 1) at once: all receives are posted before
    /// the first send. `pair` must outlive the exchange; it may be called more than once for each.
    template <class Pair>
    BegunGroup all(std::int64_t count, const Pair& pair) {
        if (starts_at_once()) {
            post(comm(), count, pair, tag(), empty(), requests_);
        } else {
            wait_for(exchange_list(comm(), count, std::cref(pair), delivery(), tag()));
        }
        return BegunGroup(*this);
    }
    /// Makes the same exchanges, but posts receive and send of one after the other. `pair` is
    /// called once for each.
    template <class Pair>
    BegunGroup one_by_one(std::int64_t count, const Pair& pair) {
        if (starts_at_once()) {
            requests_.clear();
            for (std::int64_t i = 0; i < count; ++i) {
                const Transfer started = start(comm(), pair(i), tag());
                requests_.insert(requests_.end(), started.requests, started.requests + 2);
            }
        } else {
            wait_for(exchange_list(comm(), count, std::cref(pair), delivery(), tag()));
        }
        return BegunGroup(*this);
    }

private:
    friend BegunGroup;
    [[nodiscard]] bool is_complete() {
        return starts_at_once() ? are_complete(requests_) : StagedExchange::is_complete();
    }

    std::vector<Request> requests_;
};

/// Exchanges messages with `partner`, which makes the same call (`co_await`).
[[nodiscard]] StagedExchange swap(Comm& comm, Rank partner, ConstBuffer out, Buffer in,
                                  Delivery delivery, Tag tag = 0);

/// The two ends of a shift: sends to rank + distance, receives from rank - distance.
struct Shift {
    Rank to;
    Rank from;
};
/// Sends to one rank and receives from another (`co_await`); all ranks shift by the same distance,
/// or it throws ConfigError.
[[nodiscard]] StagedExchange sendrecv(Comm& comm, Shift shift, ConstBuffer out, Buffer in,
                                      Delivery delivery, Tag tag = 0);

}  // namespace tradewind
