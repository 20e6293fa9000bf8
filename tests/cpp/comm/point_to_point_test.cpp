/// Messages between two ranks: send modes, order, tags, waits; the same on all kinds of ranks.
#include <algorithm>
#include <numeric>

#include "algorithm_cases.hpp"
#include "support/ranks.hpp"
#include "tradewind/comm/sub_comm.hpp"

using namespace tradewind;

namespace {

using Words = std::vector<std::int64_t>;

Buffer buffer(std::int64_t& word) {
    return Buffer(std::span<std::int64_t>(&word, 1));
}

Words pattern(Rank from, Rank to, std::size_t words) {
    Words result(words);
    std::iota(result.begin(), result.end(), 1'000'000 * from + 1000 * to);
    return result;
}

constexpr Tag go_tag = 77;

/// Sends to the right neighbour, which has posted the receive and has told the sender.
Task send_to_the_right(Comm& comm, std::size_t words, SendMode mode, bool& right) {
    const Rank p = comm.size();
    const Rank to = (comm.rank() + 1) % p;
    const Rank from = (comm.rank() + p - 1) % p;
    Words out = pattern(comm.rank(), to, words);
    Words in(words, -1);
    Request receive = comm.irecv(from, Buffer(std::span(in)), 3);
    co_await comm.exchange(from, ConstBuffer(Bytes{0}), to, Buffer(Bytes{0}), go_tag);
    Request send = comm.isend(to, Buffer(std::span(out)), 3, mode);
    co_await comm.wait(send);
    co_await comm.wait(receive);
    right = in == pattern(from, comm.rank(), words) && send.is_null() && receive.is_null();
}

/// Checks that the synchronous send of rank 0 is incomplete until rank 1 is allowed to receive.
Task send_synchronously(Comm& comm, bool& early, bool& arrived) {
    std::int64_t word = comm.rank() == 0 ? 42 : 0;
    if (comm.rank() == 0) {
        Request send = comm.isend(1, buffer(word), 3, SendMode::synchronous);
        for (int i = 0; i < 100 && !early; ++i) {
            const bool complete = co_await comm.test(send);
            early = complete;
        }
        co_await comm.send(1, ConstBuffer(Bytes{0}), go_tag);
        co_await comm.wait(send);
    } else {
        co_await comm.recv(0, Buffer(Bytes{0}), go_tag);
        co_await comm.recv(0, buffer(word), 3);
        arrived = word == 42;
    }
}

Task send_many(Comm& comm, Words& received) {
    Words words(received.size());
    std::iota(words.begin(), words.end(), 0);
    std::vector<Request> requests;
    for (std::size_t i = 0; i < received.size(); ++i) {
        requests.push_back(comm.rank() == 0 ? comm.isend(1, buffer(words[i]), 5)
                                            : comm.irecv(0, buffer(received[i]), 5));
        requests.emplace_back();
    }
    co_await comm.wait_all(requests);
    for (const Request request : requests) CHECK(request.is_null());
}

/// Sends messages in one order and receives them in another.
Task send_apart(Comm& comm, Words& got) {
    SubComm even = comm.strided(0, 1, comm.size());
    SubComm odd = comm.strided(0, 1, comm.size());
    Words words{1, 2, 3, 4, 5};
    if (comm.rank() == 0) {
        std::vector<Request> sends{
            comm.isend(1, buffer(words[0]), 1), even.isend(1, buffer(words[1]), 1),
            odd.isend(1, buffer(words[2]), 1), comm.isend(1, buffer(words[3]), 2),
            comm.isend(1, buffer(words[4]), -2)};
        co_await comm.wait_all(sends);
        co_return;
    }
    co_await comm.recv(0, buffer(got[4]), -2);
    co_await comm.recv(0, buffer(got[3]), 2);
    co_await odd.recv(0, buffer(got[2]), 1);
    co_await even.recv(0, buffer(got[1]), 1);
    co_await comm.recv(0, buffer(got[0]), 1);
}

/// Waits on rank 0 for messages that the other ranks send one after the other on request.
Task wait_for_any(Comm& comm, Words& order, std::int64_t& tested, std::int64_t& left) {
    const Rank p = comm.size();
    std::int64_t word = 100 + comm.rank();
    if (comm.rank() > 0) {
        co_await comm.recv(0, Buffer(Bytes{0}), go_tag);
        co_await comm.send(0, buffer(word));
        co_return;
    }
    Words words(static_cast<std::size_t>(p));
    std::vector<Request> requests(1);
    for (Rank r = 1; r < p; ++r) requests.push_back(comm.irecv(r, buffer(words[std::size_t(r)])));
    const auto early = co_await comm.test_any(requests);
    tested = early;
    for (Rank r = p - 1; r > 0; --r) {
        co_await comm.send(r, ConstBuffer(Bytes{0}), go_tag);
        const auto index = co_await comm.wait_any(requests);
        order.push_back(index);
        CHECK_EQ(words[std::size_t(index)], 100 + index);
    }
    const auto late = co_await comm.wait_any(requests);
    left = late;
}

/// Sends messages without data, one of them empty, to the rank itself and to the next rank.
Task send_nothing(Comm& comm) {
    const Rank p = comm.size();
    for (const Bytes bytes : {Bytes{0}, Bytes{10}, Bytes{300'000}}) {
        co_await comm.exchange(comm.rank(), ConstBuffer(bytes), comm.rank(), Buffer(bytes));
        co_await comm.exchange((comm.rank() + 1) % p, ConstBuffer(bytes), (comm.rank() + p - 1) % p,
                               Buffer(bytes + 5));
    }
}

/// Exchanges a word for a null buffer: even ranks have data to send, odd ranks have room to
/// receive, and the other direction has only a size. The last of an odd number of ranks has no
/// partner.
Task exchange_half(Comm& comm, bool exposes, std::int64_t& word) {
    const Rank partner = comm.rank() ^ 1;
    if (exposes) (void)comm.expose(Buffer(Bytes{8}));
    if (partner >= comm.size()) co_return;
    const Bytes size = Bytes(sizeof word);
    if (comm.rank() < partner) {
        co_await comm.exchange(partner, buffer(word), partner, Buffer(size), 6);
    } else {
        co_await comm.exchange(partner, ConstBuffer(size), partner, buffer(word), 6);
    }
}

Task exchange_with(Comm& comm, Rank to, Rank from) {
    co_await comm.exchange(to, ConstBuffer(Bytes{8}), from, Buffer(Bytes{8}));
}

/// Calls itself twice on each level, and exchanges a message with itself.
Task descend(Comm& comm, int levels, std::int64_t& visits) {
    ++visits;
    if (levels == 0) co_return;
    for (int i = 0; i < 2; ++i) co_await descend(comm, levels - 1, visits);
    co_await comm.exchange(comm.rank(), ConstBuffer(Bytes{1}), comm.rank(), Buffer(Bytes{1}));
}

/// Counts the visits of a child before and after it is awaited.
Task await_late(Comm& comm, std::int64_t& before, std::int64_t& after) {
    std::int64_t visits = 0;
    Task child = descend(comm, 3, visits);
    before = visits;
    co_await child;
    after = visits;
}

Task send_to(Comm& comm, Rank to, Bytes bytes) {
    co_await comm.send(to, ConstBuffer(bytes));
}

/// Starts prepared messages of a ring in several rounds, together and one by one, with other words
/// in each; the last ones have no data.
Task repeat_around(Comm& comm, bool& right) {
    const Rank p = comm.size();
    const Rank to = (comm.rank() + 1) % p;
    const Rank from = (comm.rank() + p - 1) % p;
    Words out(3000);
    Words in(3000);
    const auto messages = comm.prepare({FixedMessage::receive(from, Buffer(std::span(in))),
                                        FixedMessage::send(to, Buffer(std::span(out))),
                                        FixedMessage::receive(to, Buffer(Bytes{400})),
                                        FixedMessage::send(from, ConstBuffer(Bytes{400}))},
                                       9);
    right = true;
    for (Rank round = 0; round < 4; ++round) {
        std::ranges::copy(pattern(comm.rank() + round, to, out.size()), out.begin());
        std::ranges::fill(in, -1);
        std::vector<Request> open(4);
        if (round % 2 == 0) {
            messages->start(0, open);
        } else {
            for (std::size_t n = 0; n < open.size(); ++n)
                messages->start(n, std::span(open).subspan(n, 1));
        }
        // A request is null if its message needs no wait.
        const std::int64_t first = co_await comm.wait_any(open);
        right = right && (first < 0 || open[std::size_t(first)].is_null());
        co_await comm.wait_all(open);
        right = right && in == pattern(from + round, comm.rank(), in.size());
        right = right && std::ranges::all_of(open, &Request::is_null);
    }
}

/// Does so on all ranks and on every second one.
Task repeat_on_both(Comm& comm, bool& right) {
    co_await repeat_around(comm, right);
    const Rank parity = comm.rank() % 2;
    SubComm half = comm.strided(parity, 2, (comm.size() + 1 - parity) / 2);
    bool right_on_half = false;
    co_await repeat_around(half, right_on_half);
    right = right && right_on_half;
}

Task prepare_for(Comm& comm, Rank peer, Bytes bytes) {
    (void)comm.prepare({FixedMessage::send(peer, ConstBuffer(bytes))});
    co_return;
}

}  // namespace

TEST_CASE("prepared messages are started again and again, and carry what their memory holds") {
    for (const Rank ranks : runnable({1, 2, 3, 5, 8})) {
        CAPTURE(ranks);
        std::vector<char> right(std::size_t(ranks), 0);
        run_ranks(ranks, [&](Comm& comm) {
            return [](Comm& each, char& result) -> Task {
                bool its_own = false;
                co_await repeat_on_both(each, its_own);
                result = its_own ? 1 : 0;
            }(comm, right[std::size_t(comm.rank())]);
        });
        for (const Rank rank : visible(ranks)) CHECK_EQ(int(right[std::size_t(rank)]), 1);
    }
}

TEST_CASE("a prepared message to a peer that does not exist is refused, and a negative size") {
    const Rank ranks = some_ranks(3);
    const auto refusal = [&](Rank to, Bytes bytes) {
        return config_error(
            [&] { run_ranks(ranks, [&](Comm& comm) { return prepare_for(comm, to, bytes); }); });
    };
    CHECK(says(refusal(ranks, 8), "peer " + std::to_string(ranks)));
    CHECK(says(refusal(0, -8), "message size -8 is negative"));
}

TEST_CASE("every mode of sending delivers short and long messages") {
    for (const Rank ranks : runnable({1, 2, 3, 8})) {
        for (const std::size_t words : {0, 1, 30, 700, 100'000}) {
            for (const SendMode mode :
                 {SendMode::standard, SendMode::synchronous, SendMode::ready}) {
                CAPTURE(ranks, words, int(mode));
                std::vector<char> right(static_cast<std::size_t>(ranks));
                run_ranks(ranks, [&](Comm& comm) -> Task {
                    bool all = false;
                    co_await send_to_the_right(comm, words, mode, all);
                    right[std::size_t(comm.rank())] = all ? 1 : 0;
                });
                for (const Rank r : visible(ranks)) CHECK(right[std::size_t(r)] == 1);
            }
        }
    }
}

TEST_CASE("a synchronous send is not over before its receive is posted") {
    for (const Rank ranks : runnable({2})) {
        bool early = false;
        bool arrived = false;
        run_ranks(ranks, [&](Comm& comm) { return send_synchronously(comm, early, arrived); });
        CHECK(!early);
        for (const Rank r : visible(ranks)) CHECK(r == 0 || arrived);
    }
}

TEST_CASE("messages of one envelope arrive in order, and null requests count as complete") {
    for (const Rank ranks : runnable({2})) {
        Words received(200, -1);
        run_ranks(ranks, [&](Comm& comm) { return send_many(comm, received); });
        share(ranks, 1, Buffer(std::span(received)));
        for (std::size_t i = 0; i < received.size(); ++i) {
            CHECK_EQ(received[i], std::int64_t(i));
        }
    }
}

TEST_CASE("tags, also negative ones, and communicators keep messages apart") {
    for (const Rank ranks : runnable({2})) {
        Words got(5, -1);
        run_ranks(ranks, [&](Comm& comm) { return send_apart(comm, got); });
        share(ranks, 1, Buffer(std::span(got)));
        CHECK(got == Words{1, 2, 3, 4, 5});
    }
}

TEST_CASE("wait_any and test_any give each request once, when it is complete") {
    for (const Rank ranks : runnable({2, 3, 8})) {
        CAPTURE(ranks);
        Words order;
        std::int64_t tested = -2;
        std::int64_t left = -2;
        run_ranks(ranks, [&](Comm& comm) { return wait_for_any(comm, order, tested, left); });
        if (visible(ranks)[0] != 0) continue;
        CHECK_EQ(tested, -1);
        CHECK_EQ(left, -1);
        CHECK_EQ(order.size(), std::size_t(ranks - 1));
        for (std::size_t i = 0; i < order.size(); ++i) CHECK_EQ(order[i], ranks - 1 - Rank(i));
    }
}

TEST_CASE("buffers without data travel as their sizes, also to the rank itself") {
    for (const Rank ranks : runnable({1, 2, 5})) {
        CAPTURE(ranks);
        run_ranks(ranks, send_nothing);
    }
}

TEST_CASE("an exchange may have data on one side only, also beside a window") {
    for (const Rank ranks : runnable({2, 3, 8})) {
        for (const bool exposes : {false, true}) {
            CAPTURE(ranks, exposes);
            Words words(static_cast<std::size_t>(ranks));
            run_ranks(ranks, [&](Comm& comm) {
                std::int64_t& word = words[std::size_t(comm.rank())];
                word = 100 + comm.rank();
                return exchange_half(comm, exposes, word);
            });
            share_all(words);
            for (Rank r = 0; r < ranks; ++r) CHECK_EQ(words[std::size_t(r)], 100 + (r & ~Rank{1}));
        }
    }
}

TEST_CASE("a task runs when it is awaited, with all that it calls") {
    for (const Rank ranks : runnable({1, 2})) {
        CAPTURE(ranks);
        std::vector<std::int64_t> before(static_cast<std::size_t>(ranks), -1);
        std::vector<std::int64_t> after(before);
        run_ranks(ranks, [&](Comm& comm) {
            const auto r = std::size_t(comm.rank());
            return await_late(comm, before[r], after[r]);
        });
        share_all(before);
        share_all(after);
        CHECK(std::ranges::count(before, 0) == ranks);
        CHECK(std::ranges::count(after, 15) == ranks);
    }
}

TEST_CASE("an exchange refuses a peer that does not exist on either side") {
    const Rank ranks = some_ranks(3);
    const auto refusal = [&](Rank to, Rank from) {
        return config_error(
            [&] { run_ranks(ranks, [&](Comm& comm) { return exchange_with(comm, to, from); }); });
    };
    CHECK(says(refusal(ranks, 0), "peer " + std::to_string(ranks)));
    CHECK(says(refusal(0, -1), "peer -1"));
}

TEST_CASE("a peer that does not exist and a negative size are refused") {
    const Rank ranks = some_ranks(3);
    const auto refusal = [&](Rank to, Bytes bytes) {
        return config_error(
            [&] { run_ranks(ranks, [&](Comm& comm) { return send_to(comm, to, bytes); }); });
    };
    CHECK(says(refusal(ranks, 8), "peer " + std::to_string(ranks)));
    CHECK(says(refusal(-1, 8), "peer -1"));
    CHECK(says(refusal(0, -8), "message size -8 is negative"));
}
