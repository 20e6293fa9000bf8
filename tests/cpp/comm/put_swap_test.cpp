/// Swaps by puts: the same data by every protocol that has its own calls with puts.
#include "tradewind/comm/protocol/put_swap.hpp"

#include <deque>

#include "algorithm_cases.hpp"
#include "support/machine.hpp"

using namespace tradewind;

namespace {

using Row = std::vector<std::byte>;

/// Returns memory of windows, which must live as long as the communicators.
std::vector<Row>& kept_memory(Rank ranks, std::size_t bytes) {
    static std::deque<std::vector<Row>> all;
    return all.emplace_back(static_cast<std::size_t>(ranks), Row(bytes));
}

std::vector<Protocol> protocols_of_puts() {
    std::vector<Protocol> result;
    for (const ProtocolEntry& entry : protocols()) {
        if (PutSwap::has(entry.protocol)) result.push_back(entry.protocol);
    }
    return result;
}

std::uint64_t key_of(Rank rank, std::size_t turn) {
    return std::uint64_t(rank) * 100 + turn;
}

/// Swaps by every protocol, one after the other; `right` is true if all messages were right.
Task swap_by_all(Comm& comm, std::size_t size, Row& memory, bool& right) {
    const Rank partner = comm.rank() ^ 1;
    PutSwap swaps(comm, partner, support::view(memory));
    right = true;
    std::size_t turn = 0;
    for (const Protocol protocol : protocols_of_puts()) {
        for (int i = 0; i < 3; ++i, ++turn) {
            const Row out = support::pattern(size, key_of(comm.rank(), turn));
            co_await swaps.swap(comm, support::view(out), protocol);
            const Buffer in = swaps.received();
            const Row expected = support::pattern(size, key_of(partner, turn));
            const Row got(in.data(), in.data() + in.size());
            if (got != expected) right = false;
        }
    }
}

}  // namespace

TEST_CASE("partners swap by puts under every protocol that differs there") {
    CHECK_EQ(protocols_of_puts().size(), 10U);
    for (const Rank ranks : runnable({2, 4, 8})) {
        for (const std::size_t size : {1, 100, 20'000}) {
            CAPTURE(ranks, size);
            std::vector<Row>& memory = kept_memory(ranks, 2 * size);
            std::deque<bool> right(static_cast<std::size_t>(ranks));
            run_ranks(ranks, [&](Comm& comm) {
                const auto r = std::size_t(comm.rank());
                return swap_by_all(comm, size, memory[r], right[r]);
            });
            for (const Rank r : visible(ranks)) CHECK(right[std::size_t(r)]);
        }
    }
}

TEST_CASE("a swap by puts refuses protocols without calls of their own, and messages too long") {
    if (!ranks_are_virtual()) return;
    const auto refused = [](Bytes bytes, Protocol protocol) {
        return config_error([&] {
            const Program program = [=](Comm& comm) -> Task {
                PutSwap swaps(comm, 1 - comm.rank(), Buffer(Bytes{100}));
                co_await swaps.swap(comm, ConstBuffer(bytes), protocol);
            };
            run_ranks(2, program);
        });
    };
    CHECK(says(refused(50, {0, 6}), "(0,6)"));
    CHECK(says(refused(50, {2, 1}), "(2,1)"));
    CHECK(says(refused(51, {0, 1}), "51 bytes"));
    CHECK_EQ(refused(50, {0, 1}), "");
}
