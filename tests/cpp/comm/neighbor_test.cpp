/// Every algorithm of the neighbourhood exchange: data, number of messages and bytes, errors.
#include "tradewind/comm/neighbor/neighbor.hpp"

#include <deque>

#include "algorithm_cases.hpp"
#include "eager_machines.hpp"
#include "tradewind/base/random.hpp"
#include "tradewind/comm/neighbor/graph.hpp"
#include "tradewind/comm/neighbor/window.hpp"

using namespace tradewind;

namespace {

using Row = std::vector<std::byte>;
constexpr auto guard = std::byte{0xa5};
constexpr int rounds = 3;

/// A random graph with a fraction `density` / 8 of the possible edges, some of them double; a rank
/// may have edges to itself.
struct Graph {
    std::uint64_t seed;
    std::uint64_t density;

    [[nodiscard]] int copies(Rank from, Rank to) const {
        const std::uint64_t bits = mix(mix(seed, std::uint64_t(from)), std::uint64_t(to));
        if (bits % 8 >= density) return 0;
        return bits / 8 % 4 == 0 ? 2 : 1;
    }
    /// Returns the size of a message: some are empty, some exceed any eager limit.
    [[nodiscard]] Bytes size(Rank from, Rank to, int copy) const {
        constexpr Bytes sizes[] = {0, 1, 40, 600, 5000, 13};
        return sizes[mix(seed + std::uint64_t(copy), std::uint64_t(from * 1000 + to)) % 6];
    }
};

std::byte value(Rank from, Rank to, int copy, int round, Bytes index) {
    const auto key = std::uint64_t(((from * 1000 + to) * 10 + copy) * 10 + round);
    return std::byte(mix(key, std::uint64_t(index)) & 0xff);
}

/// One rank, with its neighbours in descending order, and gaps of one byte between messages.
class Member {
public:
    Member(const Graph& graph, Rank rank, Rank ranks) : rank_(rank) {
        for (Rank other = ranks - 1; other >= 0; --other) {
            for (int copy = 0; copy < graph.copies(rank, other); ++copy)
                add(neighbors.destinations, other, graph.size(rank, other, copy));
            for (int copy = 0; copy < graph.copies(other, rank); ++copy)
                add(neighbors.sources, other, graph.size(other, rank, copy));
        }
        send.assign(std::size_t(extent(neighbors.destinations) + 1), guard);
        receive.assign(std::size_t(extent(neighbors.sources) + 1), guard);
    }
    void begin(int round) {
        fill(send, neighbors.destinations, round, true);
        receive.assign(receive.size(), guard);
    }
    [[nodiscard]] bool arrived(int round) const {
        Row expected(receive.size(), guard);
        fill(expected, neighbors.sources, round, false);
        return receive == expected;
    }

    Neighborhood neighbors;
    Row send;
    Row receive;
    bool right = true;

private:
    static void add(std::vector<Neighbor>& list, Rank rank, Bytes size) {
        list.push_back({rank, size, extent(list) + 1});
    }
    void fill(Row& bytes, const std::vector<Neighbor>& list, int round, bool out) const {
        Rank last = -1;
        int copy = 0;
        for (const Neighbor& one : list) {
            copy = one.rank == last ? copy + 1 : 0;
            last = one.rank;
            const Rank from = out ? rank_ : one.rank;
            const Rank to = out ? one.rank : rank_;
            for (Bytes i = 0; i < one.size; ++i)
                bytes[std::size_t(one.offset + i)] = value(from, to, copy, round, i);
        }
    }

    Rank rank_;
};

/// Returns new members, which are kept for ever, since windows must live as long as the
/// communicators.
std::deque<Member>& members_of(const Graph& graph, Rank ranks) {
    static std::deque<std::deque<Member>> all;
    std::deque<Member>& members = all.emplace_back();
    for (Rank r = 0; r < ranks; ++r) members.emplace_back(graph, r, ranks);
    return members;
}

Task exchange_rounds(Comm& comm, const NeighborAlgorithm& algorithm, Options options,
                     Member& mine) {
    NeighborExchange data{support::view(std::as_const(mine.send)), support::view(mine.receive),
                          &mine.neighbors};
    std::unique_ptr<NeighborConnection> connection;
    if (algorithm.prepare != nullptr) {
        connection = algorithm.prepare(comm, data);
        co_await connection->connect(comm);
    }
    data.connection = connection.get();
    for (int round = 0; round < rounds; ++round) {
        mine.begin(round);
        co_await algorithm.run(comm, data, options);
        mine.right = mine.right && mine.arrived(round);
    }
}

/// Returns one message for every edge that is not empty and joins two different ranks.
Counts edges(const Graph& graph, Rank ranks) {
    Counts counts;
    for (Rank from = 0; from < ranks; ++from) {
        for (Rank to = 0; to < ranks; ++to) {
            for (int copy = 0; copy < graph.copies(from, to); ++copy) {
                const Bytes size = graph.size(from, to, copy);
                if (from != to && size > 0) counts.add(size);
            }
        }
    }
    return counts;
}

Counts run_graph(const NeighborAlgorithm& algorithm, Options options, const Graph& graph,
                 Rank ranks, const Machine& machine = run_ranks) {
    std::deque<Member>& members = members_of(graph, ranks);
    const Counts sent =
        run_counted(
            ranks,
            [&](Comm& comm) {
                return exchange_rounds(comm, algorithm, options, members[std::size_t(comm.rank())]);
            },
            machine)
            .total();
    for (const Rank r : visible(ranks)) {
        CAPTURE(algorithm.name, ranks, graph.seed, graph.density, r);
        CHECK(members[std::size_t(r)].right);
    }
    return sent;
}

/// Graphs without edges, sparse, half full, and complete.
constexpr Graph graphs[] = {{1, 0}, {2, 1}, {3, 4}, {4, 8}};

std::vector<Options> protocol_options(const NeighborAlgorithm& algorithm) {
    std::vector<Options> all{Options{}};
    if (!algorithm.has_protocols) return all;
    for (const ProtocolEntry& entry : protocols()) all.push_back({.protocol = entry.protocol});
    return all;
}

/// Returns the error message of `algorithm` when two ranks run it on these neighbours, with buffers
/// of 100 bytes.
std::string refused(const NeighborAlgorithm& algorithm, const Neighborhood& neighbors,
                    Options options = {}) {
    return config_error([&] {
        run_ranks(some_ranks(2), [&](Comm& comm) {
            return algorithm.run(comm, {ConstBuffer(Bytes{100}), Buffer(Bytes{100}), &neighbors},
                                 options);
        });
    });
}

/// Exchanges with the window of `other` neighbours, connected or not.
Task exchange_by(Comm& comm, const Neighborhood& other, const Neighborhood& own, bool connected) {
    NeighborWindow window(comm, Buffer(Bytes{8}), other);
    if (connected) co_await window.connect(comm);
    co_await neighbor_algorithm("puts").run(
        comm, {ConstBuffer(Bytes{8}), Buffer(Bytes{8}), &own, &window}, {});
}

}  // namespace

TEST_CASE(
    "every neighbourhood exchange delivers all messages of random graphs, and sends no more") {
    for (const NeighborAlgorithm& algorithm : neighbor_algorithms()) {
        for (const Rank ranks : runnable({1, 2, 3, 5, 8, 16, 33})) {
            for (const Graph& graph : graphs) {
                CAPTURE(algorithm.name, ranks, graph.seed);
                const Counts sent = run_graph(algorithm, {}, graph, ranks);
                check_totals(algorithm, sent, edges(graph, ranks), rounds);
            }
        }
    }
}

TEST_CASE("a neighbourhood exchange delivers the same by every protocol (W1)") {
    for (const NeighborAlgorithm& algorithm : neighbor_algorithms()) {
        for (const Options& options : protocol_options(algorithm)) {
            for (const Rank ranks : runnable({2, 5, 8, 13})) {
                (void)run_graph(algorithm, options, {5, 3}, ranks);
            }
        }
    }
}

TEST_CASE("no neighbourhood exchange locks, whether all messages wait for receives or none does") {
    if (!ranks_are_virtual()) return;
    for (const Bytes eager_limit : {no_eager, all_eager}) {
        const Machine machine = machine_with(eager_limit);
        for (const NeighborAlgorithm& algorithm : neighbor_algorithms()) {
            for (const Options& options : protocol_options(algorithm)) {
                for (const Rank ranks : {2, 3, 8, 11}) {
                    for (const Graph& graph : graphs)
                        (void)run_graph(algorithm, options, graph, ranks, machine);
                }
            }
        }
    }
}

TEST_CASE("a burst waits once, others once for each partner") {
    const NeighborGraph graph = grid_graph(5, 4, false, 2000);
    if (!ranks_are_virtual()) return;
    const auto waits = [&](std::string_view name) {
        std::vector<Neighborhood> all;
        for (Rank r = 0; r < 20; ++r) all.push_back(graph(r));
        const Program program = [&](Comm& comm) {
            const NeighborExchange data{ConstBuffer(Bytes{8000}), Buffer(Bytes{8000}),
                                        &all[std::size_t(comm.rank())]};
            return neighbor_algorithm(name).run(comm, data, {});
        };
        return run_counted(20, program).waits[7];
    };
    CHECK_EQ(waits("burst").count, 1);
    // Messages that arrive before their receive is posted need no wait.
    CHECK(waits("burst").most_open > 4);
    CHECK(waits("pairwise").most_open <= 2);
    CHECK_EQ(waits("pairwise").count, 4);
    CHECK(waits("sends_first").count > 1);
    CHECK(waits("sends_first").most_open <= 4);
}

TEST_CASE("in a grid of ranks neighbours are mutual, and a short side gives fewer of them") {
    for (const bool corners : {false, true}) {
        for (const Rank columns : {1, 2, 3, 5}) {
            for (const Rank rows : {1, 2, 4}) {
                const NeighborGraph graph = grid_graph(columns, rows, corners, 8);
                const auto across = std::min<Rank>(columns - 1, 2);
                const auto along = std::min<Rank>(rows - 1, 2);
                const Rank count = corners ? (across + 1) * (along + 1) - 1 : across + along;
                for (Rank r = 0; r < columns * rows; ++r) {
                    CAPTURE(corners, columns, rows, r);
                    const Neighborhood mine = graph(r);
                    CHECK_EQ(Rank(mine.destinations.size()), count);
                    CHECK_EQ(extent(mine.sources), 8 * count);
                    for (const Neighbor& to : mine.destinations) {
                        const auto theirs = graph(to.rank).sources;
                        CHECK_EQ(std::ranges::count(theirs, r, &Neighbor::rank), 1);
                    }
                }
            }
        }
    }
}

TEST_CASE("a graph of edges gives each end its list, one way only") {
    const NeighborGraph graph = edge_graph({{0, 2}, {1, 2}, {0, 1}, {0, 2}}, 10);
    CHECK_EQ(graph(0).destinations.size(), 3U);
    CHECK_EQ(graph(0).destinations[1].rank, 1);
    CHECK_EQ(graph(0).destinations[2].offset, 20);
    CHECK(graph(0).sources.empty() && graph(2).destinations.empty());
    CHECK_EQ(graph(2).sources.size(), 3U);
    CHECK_EQ(extent(graph(2).sources), 30);
}

TEST_CASE("a neighbourhood exchange refuses ranks, messages and protocols that it cannot have") {
    for (const NeighborAlgorithm& algorithm : neighbor_algorithms()) {
        CAPTURE(algorithm.name);
        const Rank wrong = 1000;
        CHECK(says(refused(algorithm, {{{wrong, 8, 0}}, {}}), "receives from rank 1000"));
        CHECK(says(refused(algorithm, {{}, {{-1, 8, 0}}}), "sends to rank -1"));
        CHECK(says(refused(algorithm, {{}, {{0, 8, 93}}}), "8 bytes at 93"));
        CHECK(says(refused(algorithm, {{{0, -1, 0}}, {}}), "-1 bytes"));
        if (algorithm.has_protocols) continue;
        CHECK(says(refused(algorithm, {}, {.protocol = Protocol(0, 3)}), algorithm.name));
    }
}

TEST_CASE("a rank that does not take what it sends to itself is refused") {
    if (!ranks_are_virtual()) return;
    const auto& burst = neighbor_algorithm("burst");
    CHECK(says(refused(burst, {{}, {{0, 8, 0}}}),
               "rank 0 sends 8 bytes to itself but receives none"));
    CHECK(says(refused(burst, {{{0, 4, 0}}, {{0, 8, 0}}}), "receives 4"));
    CHECK(says(refused(burst, {{{0, 4, 0}}, {}}), "does not send them"));
}

TEST_CASE("what needs a connection refuses to go without it, puts also with another one") {
    for (const NeighborAlgorithm& algorithm : neighbor_algorithms()) {
        if (algorithm.prepare == nullptr) continue;
        const std::string message = refused(algorithm, {});
        CHECK(says(message, text("neighbor ", algorithm.name, ": rank ")));
        CHECK(says(message, "was given no connection"));
    }
    if (!ranks_are_virtual()) return;
    const Neighborhood one;
    const Neighborhood other;
    const auto message = [&](const Neighborhood& own, bool connected) {
        return config_error([&] {
            run_ranks(2, [&](Comm& comm) { return exchange_by(comm, one, own, connected); });
        });
    };
    CHECK(says(message(one, false), "has not connected"));
    CHECK(says(message(other, true), "other neighbours"));
    CHECK_EQ(message(one, true), "");
}

TEST_CASE("an unknown neighbourhood exchange is refused with the names of the known ones") {
    check_lookup(neighbor_algorithms(), neighbor_algorithm);
}
