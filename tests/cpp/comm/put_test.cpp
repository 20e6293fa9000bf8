/// Puts: data and signals arrive together, for any order of puts and waits.
#include <deque>

#include "algorithm_cases.hpp"
#include "support/ranks.hpp"
#include "tradewind/comm/sub_comm.hpp"

using namespace tradewind;

namespace {

using Words = std::vector<std::int64_t>;

/// Returns memory of windows, which must live as long as the communicators.
std::vector<Words>& kept_memory(Rank ranks) {
    static std::deque<std::vector<Words>> all;
    return all.emplace_back(static_cast<std::size_t>(ranks));
}

Buffer part(Words& words, std::size_t first, std::size_t count) {
    return Buffer(std::span(words).subspan(first, count));
}

/// Puts one block into the window of every rank, including its own, and waits for all blocks.
Task put_everywhere(Comm& comm, std::size_t words, Words& window_memory) {
    const Rank p = comm.size();
    window_memory.assign(words * std::size_t(p), -1);
    Words block(words, 1000 + comm.rank());
    const Window window = comm.expose(Buffer(std::span(window_memory)), 3);
    std::vector<Request> requests;
    for (Rank to = 0; to < p; ++to) {
        const Bytes offset = comm.rank() * Bytes(words * sizeof(std::int64_t));
        requests.push_back(comm.put(to, window, offset, Buffer(std::span(block)), 2));
    }
    co_await comm.wait_all(requests);
    co_await comm.wait_signal(window, p, 2);
}

/// Passes a token `turns` times round the ring. Each rank adds one, puts the token to the next
/// rank, and waits for the next turn before it waits for its put.
Task pass_token(Comm& comm, std::int64_t turns, Words& memory) {
    const Rank p = comm.size();
    const Rank right = (comm.rank() + 1) % p;
    memory.assign(1, 0);
    Words token(1, 0);
    const Window window = comm.expose(Buffer(std::span(memory)));
    for (std::int64_t turn = 1; turn <= turns; ++turn) {
        if (comm.rank() > 0 || turn > 1) {
            const std::int64_t count = comm.rank() > 0 ? turn : turn - 1;
            co_await comm.wait_signal(window, count);
        }
        token[0] = memory[0] + 1;
        Request put = comm.put(right, window, 0, Buffer(std::span(token)));
        if (comm.rank() == 0 && turn == turns) co_await comm.wait_signal(window, turn);
        co_await comm.wait(put);
    }
}

/// Puts into two windows while messages travel; the second window has a size but no memory.
Task put_beside_messages(Comm& comm, Words& received, Words& memory) {
    const Rank p = comm.size();
    const Rank right = (comm.rank() + 1) % p;
    const Rank left = (comm.rank() + p - 1) % p;
    Words block(5000, comm.rank());
    memory.assign(10'000, -1);
    received.assign(5000, -1);
    const Window window = comm.expose(Buffer(std::span(memory)), 2);
    const Window hollow = comm.expose(Buffer(Bytes{400}), 1);
    std::vector<Request> requests{comm.irecv(left, Buffer(std::span(received)), 4),
                                  comm.put(right, window, 40'000, part(block, 0, 5000), 1),
                                  comm.put(right, hollow, 399, ConstBuffer(Bytes{1})),
                                  comm.isend(right, part(block, 0, 5000), 4)};
    for (std::int64_t index = 0; index >= 0;) {
        const auto complete = co_await comm.wait_any(requests);
        index = complete;
    }
    co_await comm.wait_signal(window, 1, 1);
    co_await comm.wait_signal(hollow, 1);
}

/// Starts many puts to the right before it waits for any of them.
Task put_many(Comm& comm, std::int64_t count, Words& memory) {
    memory.assign(std::size_t(count), -1);
    Words words(std::size_t(count), comm.rank());
    const Window window = comm.expose(Buffer(std::span(memory)), 2);
    std::vector<Request> puts;
    for (std::int64_t i = 0; i < count; ++i) {
        puts.push_back(comm.put((comm.rank() + 1) % comm.size(), window, 8 * i,
                                part(words, std::size_t(i), 1), std::int32_t(i % 2)));
    }
    co_await comm.wait_signal(window, count / 2, 1);
    co_await comm.wait_all(puts);
    co_await comm.wait_signal(window, count - count / 2, 0);
}

Task put_in_row(Comm& comm, Rank columns, Words& memory) {
    SubComm row = row_of(comm, columns);
    memory.assign(std::size_t(columns), -1);
    Words mine{comm.rank()};
    const Window window = row.expose(Buffer(std::span(memory)), 1);
    std::vector<Request> puts;
    for (Rank to = 0; to < columns; ++to) {
        puts.push_back(row.put(to, window, 8 * row.rank(), Buffer(std::span(mine))));
    }
    co_await row.wait_all(puts);
    co_await row.wait_signal(window, columns);
}

}  // namespace

TEST_CASE("puts of all ranks arrive in all windows before their signals") {
    for (const Rank ranks : runnable({1, 2, 3, 8})) {
        for (const std::size_t words : {0, 1, 100, 5000}) {
            CAPTURE(ranks, words);
            std::vector<Words>& memory = kept_memory(ranks);
            run_ranks(ranks, [&](Comm& comm) {
                return put_everywhere(comm, words, memory[std::size_t(comm.rank())]);
            });
            for (const Rank r : visible(ranks)) {
                Words expected;
                for (Rank from = 0; from < ranks; ++from) {
                    expected.insert(expected.end(), words, 1000 + from);
                }
                CHECK(memory[std::size_t(r)] == expected);
            }
        }
    }
}

TEST_CASE("a rank may wait for a signal before it waits for its own put") {
    for (const Rank ranks : runnable({1, 2, 3, 4})) {
        CAPTURE(ranks);
        constexpr std::int64_t turns = 20;
        std::vector<Words>& memory = kept_memory(ranks);
        run_ranks(ranks, [&](Comm& comm) {
            return pass_token(comm, turns, memory[std::size_t(comm.rank())]);
        });
        for (const Rank r : visible(ranks)) {
            const Rank hops = r == 0 ? turns * ranks : (turns - 1) * ranks + r;
            CHECK_EQ(memory[std::size_t(r)][0], hops);
        }
    }
}

TEST_CASE("puts and messages travel side by side") {
    for (const Rank ranks : runnable({1, 2, 3, 8})) {
        CAPTURE(ranks);
        std::vector<Words> received(static_cast<std::size_t>(ranks));
        std::vector<Words>& memory = kept_memory(ranks);
        run_ranks(ranks, [&](Comm& comm) {
            const auto r = std::size_t(comm.rank());
            return put_beside_messages(comm, received[r], memory[r]);
        });
        for (const Rank r : visible(ranks)) {
            const std::int64_t left = (r + ranks - 1) % ranks;
            Words expected(5000, -1);
            expected.insert(expected.end(), 5000, left);
            CHECK(memory[std::size_t(r)] == expected);
            CHECK(received[std::size_t(r)] == Words(5000, left));
        }
    }
}

TEST_CASE("a rank may start many puts before it waits for any") {
    for (const Rank ranks : runnable({1, 2, 3, 4})) {
        CAPTURE(ranks);
        std::vector<Words>& memory = kept_memory(ranks);
        run_ranks(ranks, [&](Comm& comm) {
            return put_many(comm, 301, memory[std::size_t(comm.rank())]);
        });
        for (const Rank r : visible(ranks)) {
            CHECK(memory[std::size_t(r)] == Words(301, (r + ranks - 1) % ranks));
        }
    }
}

TEST_CASE("ranks of a row put into each other's windows") {
    for (const Rank ranks : runnable({2, 4, 8})) {
        CAPTURE(ranks);
        std::vector<Words>& memory = kept_memory(ranks);
        run_ranks(ranks, [&](Comm& comm) {
            return put_in_row(comm, 2, memory[std::size_t(comm.rank())]);
        });
        for (const Rank r : visible(ranks)) {
            CHECK(memory[std::size_t(r)] == Words{r / 2 * 2, r / 2 * 2 + 1});
        }
    }
}
