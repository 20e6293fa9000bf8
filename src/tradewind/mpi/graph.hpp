/// GraphComm: a distributed graph communicator of MPI and its neighbourhood collectives.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tradewind/comm/neighbor/graph.hpp"
#include "tradewind/mpi/check.hpp"

namespace tradewind::mpi {

/// By MPI_Dist_graph_create_adjacent; the sizes of the messages are the weights of the edges.
///
/// With `reorder` MPI may give the processes other ranks, so that neighbours come to lie close to
/// each other: `rank()` is the vertex of the graph that this process now is, `neighbors()` are
/// those of that vertex, and whatever the process owns must be what belongs to it. An MpiComm of
/// `communicator()` has the same ranks.
class GraphComm {
public:
    /// Collective over `comm`; `graph` must be the same on all processes.
    GraphComm(MPI_Comm comm, const NeighborGraph& graph, bool reorder);
    /// Collective.
    ~GraphComm();
    GraphComm(const GraphComm&) = delete;
    GraphComm& operator=(const GraphComm&) = delete;

    [[nodiscard]] MPI_Comm communicator() const noexcept { return comm_; }
    [[nodiscard]] Rank rank() const noexcept { return rank_; }
    [[nodiscard]] Rank size() const noexcept { return size_; }
    /// Of vertex `rank()`, in the order in which MPI has them.
    [[nodiscard]] const Neighborhood& neighbors() const noexcept { return neighbors_; }

    /// MPI_Neighbor_alltoallv, or MPI_Ineighbor_alltoallv and a wait. `data` has the neighbours of
    /// `neighbors()` in their order, with any sizes and offsets below 2^31; its buffers are not
    /// null where there is something in them, or it is a ConfigError. Collective.
    void exchange(const NeighborExchange& data, bool nonblocking = false);

private:
    /// Counts and offsets of one direction, as MPI takes them.
    struct Lists {
        std::vector<int> counts;
        std::vector<int> offsets;
    };
    void check_vertex() const;
    void set(Lists& lists, const std::vector<Neighbor>& own, const std::vector<Neighbor>& given);

    MPI_Comm comm_ = MPI_COMM_NULL;
    Rank rank_ = 0;
    Rank size_ = 1;
    Neighborhood neighbors_;
    Lists in_;
    Lists out_;
};

/// As a task, which is done when it is first resumed.
[[nodiscard]] Task exchange(Comm& comm, GraphComm& graph, NeighborExchange data, bool nonblocking);

/// The forms of the library's own neighbourhood exchange, to be measured beside those of this one.
struct NativeNeighbor {
    std::string_view name;
    bool reorder;
    bool nonblocking;
};
[[nodiscard]] std::span<const NativeNeighbor> native_neighbors();

}  // namespace tradewind::mpi
