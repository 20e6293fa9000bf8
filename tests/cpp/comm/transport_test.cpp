/// Transports: the same data by puts as by two-sided messages, for every algorithm and every
/// protocol that puts can carry.
#include "tradewind/comm/protocol/transport.hpp"

#include <algorithm>
#include <cstring>
#include <deque>

#include "allreduce_cases.hpp"
#include "alltoallv_cases.hpp"
#include "support/machine.hpp"
#include "tradewind/comm/protocol/exchange.hpp"
#include "tradewind/comm/protocol/put_channel.hpp"
#include "tradewind/comm/read_options.hpp"
#include "tradewind/comm/sub_comm.hpp"
#include "tradewind/simcomm/virtual_ranks.hpp"

using namespace tradewind;

namespace {

constexpr Bytes largest_block = 600;
using Row = std::vector<std::byte>;

std::vector<Rank> some_counts() {
    if (!ranks_are_virtual() || is_sanitized) return runnable({1, 2, 3, 4, 5, 8});
    return {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 33};
}

/// Returns the default and all protocols that puts can carry, and two defaults more, so that places
/// are reused.
std::vector<Protocol> carried() {
    std::vector<Protocol> result{{}};
    for (const ProtocolEntry& entry : protocols()) {
        if (puts_carry(entry.protocol)) result.push_back(entry.protocol);
    }
    result.resize(result.size() + 2);
    return result;
}

template <class Algorithm>
Options options_of(const Algorithm& algorithm, Protocol protocol, PutChannel* channel) {
    return {.radix = std::max<std::int64_t>(algorithm.smallest_radix, 3),
            .protocol = protocol,
            .transport = channel == nullptr ? Transport::two_sided : Transport::puts,
            .channel = channel};
}

/// The differences that one rank found: names of the results that puts changed.
using Differences = std::string;

Task try_alltoallv(Comm& comm, Differences& found) {
    const Rank p = comm.size();
    const UnevenBlocks blocks(comm.rank(), p, true);
    Row send;
    for (Rank to = 0; to < p; ++to) {
        for (Bytes i = 0; i < block_size(comm.rank(), to); ++i)
            send.push_back(value(comm.rank(), to, i));
    }
    send.push_back(std::byte{});
    Row plain(std::size_t(blocks.received() + 1));
    Row got(plain.size());
    for (const AlltoallvAlgorithm& algorithm : alltoallv_algorithms()) {
        if (!algorithm.has_protocols) continue;
        PutChannel* const channel =
            open_channel(comm, Transport::puts, longest_message(algorithm, largest_block, p), true);
        std::ranges::fill(plain, std::byte{1});
        const Alltoallv data{support::view(std::as_const(send)), support::view(plain), &blocks};
        co_await algorithm.run(comm, data, options_of(algorithm, {}, nullptr));
        for (const Protocol protocol : carried()) {
            std::ranges::fill(got, std::byte{1});
            const Alltoallv same{data.send, support::view(got), &blocks};
            co_await algorithm.run(comm, same, options_of(algorithm, protocol, channel));
            if (got != plain)
                found +=
                    text(algorithm.name, " (", protocol.order(), ",", protocol.variant(), ") ");
        }
    }
}

/// Compares sums of numbers that are not whole, which depend on the order of additions.
Task try_allreduce(Comm& comm, std::size_t length, Differences& found) {
    Vector own(length);
    for (std::size_t i = 0; i < length; ++i) own[i] = whole_number(comm.rank(), i) / 7.0;
    for (const AllreduceAlgorithm& algorithm : allreduce_algorithms()) {
        if (!algorithm.has_protocols) continue;
        Vector plain = own;
        const Allreduce data{Buffer(std::span(plain)), sum<double>()};
        PutChannel* const channel = open_channel(comm, Transport::puts, data.data.size(), true);
        co_await algorithm.run(comm, data, options_of(algorithm, {}, nullptr));
        for (const Protocol protocol : carried()) {
            Vector got = own;
            const Allreduce same{Buffer(std::span(got)), sum<double>()};
            co_await algorithm.run(comm, same, options_of(algorithm, protocol, channel));
            if (std::memcmp(got.data(), plain.data(), length * sizeof(double)) != 0)
                found +=
                    text(algorithm.name, " (", protocol.order(), ",", protocol.variant(), ") ");
        }
    }
}

/// Runs `attempt(comm, differences)` on `ranks` ranks, and checks that nothing differs on the
/// visible ones.
template <class Attempt>
void check_nothing_differs(Rank ranks, const Attempt& attempt) {
    std::deque<Differences> found(static_cast<std::size_t>(ranks));
    run_ranks(ranks, [&](Comm& comm) { return attempt(comm, found[std::size_t(comm.rank())]); });
    for (const Rank r : visible(ranks)) {
        CAPTURE(ranks, r);
        CHECK_EQ(found[std::size_t(r)], "");
    }
}

/// Sends messages 0, 1, ... of growing length from rank 0 to the last rank, which does other work
/// before it takes one.
Task run_ahead(Comm& comm, std::int64_t messages, bool& right) {
    PutChannel& channel = *open_channel(comm, Transport::puts, 8 * messages, true);
    const Rank last = comm.size() - 1;
    right = true;
    for (std::int64_t i = 0; i < messages; ++i) {
        const Row sent = support::pattern(std::size_t(8 * i + 1), std::uint64_t(i));
        Request request;
        if (comm.rank() == 0) {
            co_await channel.place(comm, last);
            request = channel.send(comm, last, support::view(sent));
        } else if (comm.rank() == last) {
            Row got(sent.size());
            co_await channel.arrival(comm, 0);
            for (int turn = 0; turn < 20; ++turn)
                co_await comm.exchange(last, Buffer(), last, Buffer());
            request = channel.take(comm, 0, support::view(got));
            right = right && got == sent;
        }
        co_await comm.wait(request);
    }
}

/// Checks that the sum of the members' ranks in `comm`, computed by puts in `group`, is right.
Task check_sum(Comm& comm, SubComm& group, PutChannel* channel, Differences& found) {
    std::int64_t sum_of_ranks = comm.rank();
    std::int64_t expected = 0;
    for (Rank i = 0; i < group.size(); ++i) expected += group.parent_rank(i);
    const Options options = with_channel({.transport = Transport::puts}, channel);
    const Allreduce data{Buffer(std::span(&sum_of_ranks, 1)), sum<std::int64_t>()};
    co_await allreduce_algorithm("recursive_doubling").run(group, data, options);
    if (sum_of_ranks != expected) found += text("sum ", sum_of_ranks, ", not ", expected, "; ");
}

/// Opens separate channels for rows, columns and all ranks, and finds them again. `longest` is
/// larger than in any other test, since real ranks keep their channels.
Task open_many(Comm& comm, Rank columns, Differences& found) {
    constexpr Bytes longest = 20'000;
    SubComm row = row_of(comm, columns);
    SubComm column = column_of(comm, columns);
    PutChannel* const all = open_channel(comm, Transport::puts, longest, true);
    PutChannel* const in_row = open_channel(row, Transport::puts, longest, true);
    PutChannel* const in_column = open_channel(column, Transport::puts, longest, true);
    if (all == in_row || in_row == in_column || all == in_column) found += "one for two; ";
    SubComm again = row_of(comm, columns);
    if (open_channel(again, Transport::puts, 32, false) != in_row) found += "row lost; ";
    if (open_channel(comm, Transport::puts, longest, true) != all) found += "all lost; ";
    if (open_channel(comm, Transport::puts, longest + 1, true) == all) found += "too short; ";
    if (open_channel(comm, Transport::two_sided, longest, true) != nullptr) found += "needless; ";
    co_await check_sum(comm, again, in_row, found);
    co_await check_sum(comm, column, in_column, found);
}

/// Swaps a number of 8 bytes between two ranks.
Task swap_a_word(Comm& comm, Bytes opened_for, bool has_data) {
    PutChannel* const channel = open_channel(comm, Transport::puts, opened_for, has_data);
    std::int64_t numbers[2] = {comm.rank(), -1};
    co_await swap(comm, 1 - comm.rank(), Buffer(std::span(numbers, 1)),
                  Buffer(std::span(numbers + 1, 1)), Delivery({}, channel));
}

}  // namespace

TEST_CASE("every alltoallv brings the same data by puts, by every protocol that they carry") {
    for (const Rank ranks : some_counts()) check_nothing_differs(ranks, try_alltoallv);
}

TEST_CASE("every allreduce gives the same bits by puts, by every protocol that they carry") {
    for (const std::size_t length : {1, 67}) {
        for (const Rank ranks : some_counts()) {
            check_nothing_differs(ranks, [length](Comm& comm, Differences& found) {
                return try_allreduce(comm, length, found);
            });
        }
    }
}

TEST_CASE("a sender that is ahead waits for a place, and no message is overwritten") {
    for (const Rank ranks : runnable({2, 3})) {
        if (ranks < 2) continue;
        CAPTURE(ranks);
        std::deque<bool> right(static_cast<std::size_t>(ranks));
        run_ranks(ranks,
                  [&](Comm& comm) { return run_ahead(comm, 20, right[std::size_t(comm.rank())]); });
        for (const Rank r : visible(ranks)) CHECK(right[std::size_t(r)]);
    }
}

TEST_CASE("groups of ranks have channels of their own, which are kept") {
    for (const Rank ranks : runnable({4, 8})) {
        check_nothing_differs(ranks, [=](Comm& comm, Differences& found) {
            return open_many(comm, ranks / 2, found);
        });
    }
}

TEST_CASE("by puts there is one message more for each message, without data") {
    if (!ranks_are_virtual()) return;
    const UniformBlocks blocks(40);
    const auto traffic = [&](Transport transport) {
        return simcomm::run_virtual(5, [&, transport](Comm& comm) {
            const Options options =
                with_channel({.transport = transport}, open_channel(comm, transport, 40, false));
            return alltoallv_algorithm("ring").run(
                comm, {ConstBuffer(Bytes{200}), Buffer(Bytes{200}), &blocks}, options);
        });
    };
    const auto two_sided = traffic(Transport::two_sided);
    const auto by_puts = traffic(Transport::puts);
    CHECK_EQ(by_puts.messages, 2 * two_sided.messages);
    CHECK_EQ(by_puts.bytes, two_sided.bytes);
}

TEST_CASE("puts carry neither go-aheads nor ready sends nor sendrecv, and say so") {
    int refused = 0;
    for (const ProtocolEntry& entry : protocols()) {
        const bool is_carried = puts_carry(entry.protocol);
        const auto message =
            config_error([&] { require_carried(Transport::puts, entry.protocol, "ring"); });
        CAPTURE(entry.name);
        CHECK_EQ(message.empty(), is_carried);
        CHECK_EQ(is_carried, entry.protocol.variant() < 4);
        CHECK_EQ(
            config_error([&] { require_carried(Transport::two_sided, entry.protocol, "ring"); }),
            "");
        if (is_carried) continue;
        ++refused;
        CHECK(says(message, text("ring: puts cannot carry the protocol ", entry.name)));
        CHECK(says(message, "(0,1)"));
    }
    CHECK_EQ(refused, 12);
    CHECK(puts_carry({}));
    for (const std::string_view name : put_protocols()) CHECK(puts_carry(find_protocol(name)));
    CHECK_EQ(put_protocols().size(), 9U);
}

TEST_CASE("transports are found by name, and refused where an algorithm or nobody carries them") {
    CHECK(find_transport("puts") == Transport::puts);
    CHECK(find_transport("two_sided") == Transport::two_sided);
    CHECK(says(config_error([] { (void)find_transport("shmem"); }), "known are: two_sided, puts"));
    const auto refused = [](const char* algorithm, const char* protocol) {
        return config_error([&] {
            const Settings settings(
                {{"transport", std::string("puts")}, {"protocol", std::string(protocol)}});
            (void)read_options(settings, alltoallv_algorithm(algorithm));
        });
    };
    CHECK_EQ(refused("ring_k", "(2,1)"), "");
    CHECK(says(refused("ring_k", "(0,6)"), "ring_k: puts cannot carry"));
    CHECK(says(refused("burst", "default"), "burst sends two-sided messages only"));
    const Options without{.transport = Transport::puts};
    CHECK(
        says(config_error([&] { (void)without.delivery("ring"); }), "no channel has been opened"));
}

TEST_CASE("a channel refuses messages that are too long, and data where it was opened without") {
    if (!ranks_are_virtual()) return;
    const auto refused = [](Bytes opened_for, bool has_data) {
        return config_error([&] {
            run_ranks(2, [=](Comm& comm) { return swap_a_word(comm, opened_for, has_data); });
        });
    };
    CHECK(says(refused(7, true), "a message of 8 bytes, the channel was opened for 7"));
    CHECK(says(refused(8, false), "8 bytes of data, the channel was opened without data"));
    CHECK_EQ(refused(8, true), "");
}
