/// GraphComm: a distributed graph communicator of MPI and its neighbourhood collectives.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tradewind/comm/neighbor/graph.hpp"
#include "tradewind/mpi/check.hpp"
#include "tradewind/mpi/watchdog/watchdog.hpp"

namespace tradewind::mpi {

/// A communicator made by MPI_Dist_graph_create_adjacent; the sizes of the messages are the weights
/// of the edges.
///
/// If `reorder` is true, MPI may renumber the processes, to place neighbours close together.
/// `rank()` is the vertex of the graph that this process has become, `neighbors()` are the
/// neighbours of that vertex, and the process must own the data of that vertex. An MpiComm of
/// `communicator()` has the same ranks.
class GraphComm {
public:
    /// Creates the communicator; collective over `comm`. `graph` must be the same on all processes.
    GraphComm(MPI_Comm comm, const NeighborGraph& graph, bool reorder);
    /// Creates the communicator without renumbering from the neighbours of each process;
    /// collective.
    GraphComm(MPI_Comm comm, const Neighborhood& own);
    /// Frees the communicator; collective.
    ~GraphComm();
    GraphComm(const GraphComm&) = delete;
    GraphComm& operator=(const GraphComm&) = delete;

    [[nodiscard]] MPI_Comm communicator() const noexcept { return comm_; }
    [[nodiscard]] Rank rank() const noexcept { return rank_; }
    [[nodiscard]] Rank size() const noexcept { return size_; }
    /// Returns the neighbours of vertex `rank()`, in the order in which MPI has them.
    [[nodiscard]] const Neighborhood& neighbors() const noexcept { return neighbors_; }

    /// Calls MPI_Neighbor_alltoallv, or MPI_Ineighbor_alltoallv and MPI_Wait; collective. `data`
    /// has the neighbours of `neighbors()` in the same order, with any sizes and offsets below
    /// 2^31. Throws ConfigError for other neighbours, larger numbers, or null buffers that are not
    /// empty.
    void exchange(const NeighborExchange& data, bool nonblocking = false);
    /// Calls MPI_Ineighbor_alltoallv; returns the request, which the caller waits for.
    [[nodiscard]] MPI_Request start(const NeighborExchange& data);

private:
    /// The counts and offsets of one direction, in the form of MPI.
    struct Lists {
        std::vector<int> counts;
        std::vector<int> offsets;
    };
    void create(MPI_Comm comm, const Neighborhood& own, bool reorder);
    void check_vertex() const;
    void set(const NeighborExchange& data);
    void set(Lists& lists, const std::vector<Neighbor>& own, const std::vector<Neighbor>& given);

    MPI_Comm comm_ = MPI_COMM_NULL;
    Rank rank_ = 0;
    Rank size_ = 1;
    Neighborhood neighbors_;
    Lists in_;
    Lists out_;
};

/// A neighbourhood collective of this library for one list of neighbours. Null buffers stand for
/// scratch memory: the same number of bytes is sent.
class GraphCollective final : public NeighborCollective {
public:
    GraphCollective(MPI_Comm comm, const Neighborhood& own) : graph_(comm, own) {}

    void exchange(const NeighborExchange& data) override { graph_.exchange(with_memory(data)); }
    void start(const NeighborExchange& data) override {
        request_ = graph_.start(with_memory(data));
    }
    void finish() override {
        const BlockingCall call("MPI_Wait for MPI_Ineighbor_alltoallv");
        check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
    }

private:
    [[nodiscard]] NeighborExchange with_memory(NeighborExchange data);

    GraphComm graph_;
    MPI_Request request_ = MPI_REQUEST_NULL;
    std::vector<std::byte> sent_;
    std::vector<std::byte> received_;
};

/// Makes the exchange in a task, which finishes when it is first resumed.
[[nodiscard]] Task exchange(Comm& comm, GraphComm& graph, NeighborExchange data, bool nonblocking);

/// A form of the MPI library's neighbourhood exchange, to be measured beside the algorithms of this
/// library.
struct NativeNeighbor {
    std::string_view name;
    bool reorder;
    bool nonblocking;
};
[[nodiscard]] std::span<const NativeNeighbor> native_neighbors();

}  // namespace tradewind::mpi
