/// The neighbourhood collectives of the MPI library on distributed graphs, and those of this
/// library on the same ranks.
#include "tradewind/mpi/graph.hpp"

#include <algorithm>

#include "real_ranks.hpp"
#include "support/ranks.hpp"
#include "testing.hpp"
#include "tradewind/base/random.hpp"

using namespace tradewind;

namespace {

/// Returns the length of a message, which depends on both ranks and may be 0; -1 if there is none.
/// Every rank sends to about half of the ranks.
Bytes length(Rank from, Rank to) {
    const std::uint64_t bits = mix(std::uint64_t(from), std::uint64_t(to));
    return bits % 2 == 0 ? Bytes(bits / 2 % 4 * 1000) : -1;
}

Neighborhood random_neighbors(Rank rank, Rank ranks) {
    Neighborhood result;
    for (Rank other = 0; other < ranks; ++other) {
        const Bytes out = length(rank, other);
        const Bytes in = length(other, rank);
        if (out >= 0) result.destinations.push_back({other, out, extent(result.destinations)});
        if (in >= 0) result.sources.push_back({other, in, extent(result.sources)});
    }
    return result;
}

std::byte value(Rank from, Rank to) {
    return std::byte(1 + from * 16 + to);
}

std::vector<std::byte> bytes_of(const std::vector<Neighbor>& list, Rank vertex, bool out) {
    std::vector<std::byte> bytes(std::size_t(extent(list)));
    for (const Neighbor& one : list) {
        const auto what = out ? value(vertex, one.rank) : value(one.rank, vertex);
        std::fill_n(bytes.begin() + one.offset, one.size, what);
    }
    return bytes;
}

/// The data that a process of `graph` sends, expects and receives.
struct Exchanged {
    explicit Exchanged(const mpi::GraphComm& graph)
        : send(bytes_of(graph.neighbors().destinations, graph.rank(), true)),
          expected(bytes_of(graph.neighbors().sources, graph.rank(), false)),
          receive(expected.size()) {}
    [[nodiscard]] NeighborExchange data(const mpi::GraphComm& graph) {
        return {Buffer(std::span(send)), Buffer(std::span(receive)), &graph.neighbors()};
    }

    std::vector<std::byte> send;
    std::vector<std::byte> expected;
    std::vector<std::byte> receive;
};

template <class Action>
std::string config_error(Action action) {
    try {
        action();
    } catch (const ConfigError& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("native neighbourhood exchanges deliver what belongs to a vertex, also where reordered") {
    for (const Rank ranks : runnable({1, 2, 3, 4, 8})) {
        const NeighborGraph graph = [ranks](Rank r) { return random_neighbors(r, ranks); };
        for (const mpi::NativeNeighbor& native : mpi::native_neighbors()) {
            CAPTURE(ranks, native.name);
            mpi::GraphComm on(real_comm(ranks).communicator(), graph, native.reorder);
            CHECK_EQ(on.size(), ranks);
            if (!native.reorder) CHECK_EQ(on.rank(), real_comm(ranks).rank());
            Exchanged one(on);
            on.exchange(one.data(on), native.nonblocking);
            CHECK(one.receive == one.expected);
        }
    }
}

TEST_CASE("the ranks of a graph communicator run the algorithms of this library") {
    for (const Rank ranks : runnable({2, 4, 8})) {
        const NeighborGraph graph = grid_graph(2, ranks / 2, true, 500);
        mpi::GraphComm on(real_comm(ranks).communicator(), graph, true);
        mpi::MpiComm comm(on.communicator());
        CHECK_EQ(comm.rank(), on.rank());
        for (const char* name : {"burst", "pairwise"}) {
            CAPTURE(ranks, name);
            Exchanged one(on);
            mpi::run(comm, [&](Comm& own) {
                return neighbor_algorithm(name).run(own, one.data(on), {});
            });
            CHECK(one.receive == one.expected);
        }
    }
}

TEST_CASE("a graph with ranks that do not exist, and other neighbours than its own, are refused") {
    const Rank ranks = some_ranks(2);
    const MPI_Comm world = real_comm(ranks).communicator();
    const auto outside =
        config_error([&] { mpi::GraphComm(world, edge_graph({{0, 99}}, 8), false); });
    CHECK(outside.find("neighbour 99 is not in 0..") != std::string::npos);
    mpi::GraphComm on(world, edge_graph({{0, 0}}, 8), false);
    const Neighborhood other = edge_graph({{0, 0}, {0, 0}, {1, 1}}, 8)(on.rank());
    const auto wrong =
        config_error([&] { on.exchange({ConstBuffer(Bytes{16}), Buffer(Bytes{16}), &other}); });
    if (on.rank() < 2) CHECK(wrong.find("without memory") != std::string::npos);
    std::vector<std::byte> memory(16);
    const auto other_neighbors = config_error(
        [&] { on.exchange({Buffer(std::span(memory)), Buffer(std::span(memory)), &other}); });
    if (on.rank() < 2) CHECK(other_neighbors.find("other neighbours") != std::string::npos);
}
