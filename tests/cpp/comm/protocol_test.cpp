/// The protocols of worley1998: names, and the same data by every protocol in every algorithm.
#include "tradewind/comm/protocol/protocol.hpp"

#include "allreduce_cases.hpp"
#include "alltoallv_cases.hpp"
#include "eager_machines.hpp"
#include "tradewind/comm/protocol/exchange.hpp"
#include "tradewind/comm/read_options.hpp"

using namespace tradewind;

namespace {

/// Returns 1..9, 16 and 33 ranks; fewer on real ranks, where runs take longer, and under
/// sanitizers.
std::vector<Rank> few_and_many() {
    if (!ranks_are_virtual() || is_sanitized) return runnable({1, 2, 3, 5, 8});
    return {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 33};
}

/// Returns options with a small radix, so that few ranks have several stages.
Options options_of(const auto& algorithm, Protocol protocol) {
    Options options = default_options(algorithm, protocol);
    options.radix = std::max<std::int64_t>(algorithm.smallest_radix, 3);
    return options;
}

/// Checks that bytes are the same by every protocol. Go-aheads are additional messages: one for
/// each message, except in an ordered swap with ready sends, where the data of one side replace
/// one.
void check_traffic(const ProtocolEntry& protocol, Counts sent, Counts by_default) {
    CHECK_EQ(sent.bytes, by_default.bytes);
    const Calls calls = protocol.protocol.calls();
    const std::int64_t go_aheads = sent.messages - by_default.messages;
    if (!calls.go_ahead) CHECK_EQ(go_aheads, 0);
    if (!calls.go_ahead) return;
    CHECK(go_aheads <= by_default.messages);
    CHECK(go_aheads >= by_default.messages / 2);
    const bool data_may_tell = protocol.protocol.is_ordered() && calls.posted;
    if (!data_may_tell) CHECK_EQ(go_aheads, by_default.messages);
}

void check_alltoallv(const AlltoallvAlgorithm& algorithm, Rank ranks, const Machine& machine) {
    Exchange plain(ranks, true);
    const Counts by_default =
        plain.run(algorithm, options_of(algorithm, {}), Payload::real, machine);
    for (const ProtocolEntry& protocol : protocols()) {
        CAPTURE(algorithm.name, ranks, protocol.name);
        Exchange exchange(ranks, true);
        const Options options = options_of(algorithm, protocol.protocol);
        check_traffic(protocol, exchange.run(algorithm, options, Payload::real, machine),
                      by_default);
        CHECK(exchange.arrived());
    }
}

void check_allreduce(const AllreduceAlgorithm& algorithm, Rank ranks, std::size_t length,
                     const Machine& machine) {
    Vectors plain(ranks, length, whole_number);
    const Counts by_default =
        plain.run(algorithm, options_of(algorithm, {}), sum<double>(), machine).total();
    for (const ProtocolEntry& protocol : protocols()) {
        CAPTURE(algorithm.name, ranks, length, protocol.name);
        Vectors vectors(ranks, length, whole_number);
        const Options options = options_of(algorithm, protocol.protocol);
        check_traffic(protocol, vectors.run(algorithm, options, sum<double>(), machine).total(),
                      by_default);
        CHECK(vectors[0] == combined(ranks, length, Plus{}));
        CHECK(vectors.agree());
    }
}

/// Returns every rank's bytes after each has exchanged blocks of `size` bytes with the ranks at
/// `distance`.
std::vector<std::vector<std::byte>> shifted(Rank ranks, Rank distance, std::size_t size,
                                            Protocol protocol, const Machine& machine) {
    std::vector<std::vector<std::byte>> in(static_cast<std::size_t>(ranks),
                                           std::vector<std::byte>(size));
    std::vector<std::vector<std::byte>> out;
    for (Rank r = 0; r < ranks; ++r) out.push_back(support::pattern(size, std::uint64_t(r)));
    machine(ranks, [&](Comm& comm) -> Task {
        const Shift shift{(comm.rank() + distance) % ranks,
                          (comm.rank() + ranks - distance) % ranks};
        const auto r = std::size_t(comm.rank());
        co_await sendrecv(comm, shift, support::view(std::as_const(out[r])), support::view(in[r]),
                          protocol, 7);
    });
    return in;
}

}  // namespace

TEST_CASE("table 2 of worley1998 has seven unordered and seven ordered protocols, and overlaps") {
    int by_order[4] = {0, 0, 0, 0};
    for (const ProtocolEntry& entry : protocols()) {
        ++by_order[entry.protocol.order()];
        CHECK_EQ(entry.name, text("(", entry.protocol.order(), ",", entry.protocol.variant(), ")"));
        CHECK(!entry.summary.empty());
    }
    CHECK_EQ(by_order[0], 7);
    CHECK_EQ(by_order[1], 7);
    CHECK_EQ(by_order[2], 6);
    CHECK_EQ(by_order[3], 6);
}

TEST_CASE(
    "a protocol is found by its numbers and by its words; a wrong name tells the known ones") {
    for (const ProtocolEntry& entry : protocols()) {
        CHECK(find_protocol(entry.name) == entry.protocol);
        CHECK(find_protocol(entry.words) == entry.protocol);
    }
    CHECK(find_protocol("( 1, 6 )") == Protocol(1, 6));
    CHECK(find_protocol("default").is_default());
    for (const std::string_view wrong : {"(2,0)", "(4,1)", "(1,7)", "", "eager"}) {
        const auto message = config_error([&] { (void)find_protocol(wrong); });
        CAPTURE(wrong);
        CHECK(says(message, text("'", wrong, "'")));
        for (const ProtocolEntry& entry : protocols()) {
            CHECK(says(message, entry.name) && says(message, entry.words));
        }
    }
}

TEST_CASE("every alltoallv exchanges the same data by every protocol (W1)") {
    for (const AlltoallvAlgorithm& algorithm : alltoallv_algorithms()) {
        if (!algorithm.has_protocols) continue;
        for (const Rank ranks : few_and_many()) {
            check_alltoallv(algorithm, ranks, run_ranks);
        }
    }
}

TEST_CASE("every allreduce gives the same sum by every protocol (W1)") {
    for (const AllreduceAlgorithm& algorithm : allreduce_algorithms()) {
        if (!algorithm.has_protocols) continue;
        for (const Rank ranks : few_and_many()) {
            check_allreduce(algorithm, ranks, 67, run_ranks);
        }
    }
}

TEST_CASE("no protocol locks, whether all messages wait for their receives or none does") {
    if (!ranks_are_virtual()) return;
    for (const Bytes eager_limit : {no_eager, all_eager}) {
        const Machine machine = machine_with(eager_limit);
        for (const Rank ranks : {2, 3, 5, 8, 12}) {
            if (is_sanitized && ranks != 5) continue;
            CAPTURE(eager_limit, ranks);
            for (const AlltoallvAlgorithm& algorithm : alltoallv_algorithms()) {
                if (algorithm.has_protocols) check_alltoallv(algorithm, ranks, machine);
            }
            for (const AllreduceAlgorithm& algorithm : allreduce_algorithms()) {
                if (!algorithm.has_protocols) continue;
                check_allreduce(algorithm, ranks, 3, machine);
                check_allreduce(algorithm, ranks, 40, machine);
            }
        }
    }
}

TEST_CASE("algorithms that know only their own order refuse a protocol") {
    if (!ranks_are_virtual()) return;
    const UniformBlocks blocks(8);
    int refusing = 0;
    for (const AlltoallvAlgorithm& algorithm : alltoallv_algorithms()) {
        if (algorithm.has_protocols) continue;
        ++refusing;
        const auto message = config_error([&] {
            run_ranks(3, [&](Comm& comm) {
                return algorithm.run(comm, {{}, {}, &blocks}, {.protocol = Protocol(0, 6)});
            });
        });
        CHECK(says(message, algorithm.name));
        CHECK(says(message, "(0,6)"));
    }
    CHECK(refusing > 0);
}

TEST_CASE("without data the protocols send the same messages") {
    if (!ranks_are_virtual()) return;
    for (const AlltoallvAlgorithm& algorithm : alltoallv_algorithms()) {
        if (!algorithm.has_protocols) continue;
        for (const ProtocolEntry& protocol : protocols()) {
            CAPTURE(algorithm.name, protocol.name);
            Exchange exchange(9, true);
            const Options options = options_of(algorithm, protocol.protocol);
            const Counts none = exchange.run(algorithm, options, Payload::none);
            CHECK_EQ(none, exchange.run(algorithm, options, Payload::real));
        }
    }
}

TEST_CASE("SENDRECV shifts data round the ring at any distance by every protocol") {
    if (!ranks_are_virtual()) return;
    for (const Bytes eager_limit : {no_eager, all_eager}) {
        for (const ProtocolEntry& protocol : protocols()) {
            for (Rank ranks = 1; ranks <= (is_sanitized ? 5 : 9); ++ranks) {
                for (Rank distance = 1; distance < ranks; ++distance) {
                    CAPTURE(protocol.name, eager_limit, ranks, distance);
                    const auto in =
                        shifted(ranks, distance, 100, protocol.protocol, machine_with(eager_limit));
                    for (Rank r = 0; r < ranks; ++r) {
                        const Rank from = (r + ranks - distance) % ranks;
                        CHECK(in[std::size_t(r)] == support::pattern(100, std::uint64_t(from)));
                    }
                }
            }
        }
    }
}

TEST_CASE("SENDRECV refuses partners at different distances") {
    if (!ranks_are_virtual()) return;
    const auto message = config_error([&] {
        run_ranks(5, [&](Comm& comm) -> Task {
            const Shift shift{(comm.rank() + 1) % 5, (comm.rank() + 1) % 5};
            co_await sendrecv(comm, shift, ConstBuffer(8), Buffer(8), Protocol(1, 0));
        });
    });
    CHECK(says(message, "sendrecv: rank 0 sends to 1 and receives from 1"));
}
