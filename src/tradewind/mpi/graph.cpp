/// The calls of the MPI library's distributed graphs.
#include "tradewind/mpi/graph.hpp"

#include <algorithm>
#include <climits>
#include <exception>

namespace tradewind::mpi {

namespace {

constexpr NativeNeighbor table[] = {
    {"native", false, false}, {"native_reorder", true, false}, {"native_nonblocking", false, true}};

/// The ranks and weights of one list, in the form of MPI.
struct Ends {
    explicit Ends(const std::vector<Neighbor>& list) {
        for (const Neighbor& one : list) {
            ranks.push_back(int(one.rank));
            weights.push_back(int(std::min<Bytes>(one.size, INT_MAX)));
        }
    }
    [[nodiscard]] int count() const noexcept { return int(ranks.size()); }
    /// Returns the weights; an empty list must not be mistaken for a graph without weights.
    [[nodiscard]] int* weight_list() noexcept {
        return weights.empty() ? MPI_WEIGHTS_EMPTY : weights.data();
    }

    std::vector<int> ranks;
    std::vector<int> weights;
};

int checked_int(Bytes bytes) {
    if (bytes > INT_MAX) {
        throw ConfigError(
            text("native neighbourhood collectives take sizes and offsets of at most ",
                 "2^31 - 1 bytes, not ", bytes));
    }
    return int(bytes);
}

void check_ranks(const std::vector<Neighbor>& list, Rank size) {
    for (const Neighbor& one : list) {
        if (one.rank >= 0 && one.rank < size) continue;
        throw ConfigError(text("graph of ranks: neighbour ", one.rank, " is not in 0..", size - 1));
    }
}

}  // namespace

std::span<const NativeNeighbor> native_neighbors() {
    return table;
}

GraphComm::GraphComm(MPI_Comm comm, const NeighborGraph& graph, bool reorder) {
    int rank = 0;
    int size = 0;
    check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    size_ = size;
    // All processes check all vertices, so that an error occurs on every process; otherwise some
    // processes would wait forever.
    for (Rank r = 0; r < size_; ++r) {
        const Neighborhood of = graph(r);
        check_ranks(of.sources, size_);
        check_ranks(of.destinations, size_);
    }
    create(comm, graph(rank), reorder);
    neighbors_ = graph(rank_);
    check_vertex();
}

GraphComm::GraphComm(MPI_Comm comm, const Neighborhood& own) : neighbors_(own) {
    int size = 0;
    check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    size_ = size;
    check_ranks(own.sources, size_);
    check_ranks(own.destinations, size_);
    create(comm, own, false);
    check_vertex();
}

void GraphComm::create(MPI_Comm comm, const Neighborhood& own, bool reorder) {
    Ends in(own.sources);
    Ends out(own.destinations);
    const BlockingCall call("MPI_Dist_graph_create_adjacent");
    check(MPI_Dist_graph_create_adjacent(comm, in.count(), in.ranks.data(), in.weight_list(),
                                         out.count(), out.ranks.data(), out.weight_list(),
                                         MPI_INFO_NULL, reorder ? 1 : 0, &comm_),
          "MPI_Dist_graph_create_adjacent");
    check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    int rank = 0;
    check(MPI_Comm_rank(comm_, &rank), "MPI_Comm_rank");
    rank_ = rank;
}

/// Checks that MPI, if it has reordered the ranks, has moved the lists of each vertex with it.
void GraphComm::check_vertex() const {
    std::vector<int> sources(neighbors_.sources.size());
    std::vector<int> destinations(neighbors_.destinations.size());
    std::vector<int> weights(std::max(sources.size(), destinations.size()));
    int in = 0;
    int out = 0;
    int weighted = 0;
    check(MPI_Dist_graph_neighbors_count(comm_, &in, &out, &weighted),
          "MPI_Dist_graph_neighbors_count");
    bool same = in == int(sources.size()) && out == int(destinations.size());
    if (same) {
        std::vector<int> more(weights.size());
        check(MPI_Dist_graph_neighbors(comm_, in, sources.data(), weights.data(), out,
                                       destinations.data(), more.data()),
              "MPI_Dist_graph_neighbors");
        same = std::ranges::equal(sources, neighbors_.sources, {}, {}, &Neighbor::rank) &&
               std::ranges::equal(destinations, neighbors_.destinations, {}, {}, &Neighbor::rank);
    }
    if (!same) {
        throw MpiError(text("MPI_Dist_graph_create_adjacent has made the process rank ", rank_,
                            ", but with the neighbours of another one"));
    }
}

GraphComm::~GraphComm() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized != 0 || std::uncaught_exceptions() > 0) return;
    const BlockingCall call("MPI_Comm_free");
    MPI_Comm_free(&comm_);
}

void GraphComm::set(Lists& lists, const std::vector<Neighbor>& own,
                    const std::vector<Neighbor>& given) {
    if (!std::ranges::equal(own, given, {}, &Neighbor::rank, &Neighbor::rank)) {
        throw ConfigError(text("graph communicator: vertex ", rank_,
                               " was given other neighbours than those of its graph"));
    }
    lists.counts.clear();
    lists.offsets.clear();
    for (const Neighbor& one : given) {
        lists.counts.push_back(checked_int(one.size));
        lists.offsets.push_back(checked_int(one.offset));
    }
}

/// Sets counts and offsets.
void GraphComm::set(const NeighborExchange& data) {
    const bool has_send = !data.send.is_null() || extent(data.neighbors->destinations) == 0;
    const bool has_receive = !data.receive.is_null() || extent(data.neighbors->sources) == 0;
    if (!has_send || !has_receive)
        throw ConfigError(
            text("graph communicator: vertex ", rank_, " has buffers without memory"));
    set(in_, neighbors_.sources, data.neighbors->sources);
    set(out_, neighbors_.destinations, data.neighbors->destinations);
}

void GraphComm::exchange(const NeighborExchange& data, bool nonblocking) {
    if (!nonblocking) {
        set(data);
        const BlockingCall call("MPI_Neighbor_alltoallv", data.receive.size());
        check(MPI_Neighbor_alltoallv(data.send.data(), out_.counts.data(), out_.offsets.data(),
                                     MPI_BYTE, data.receive.data(), in_.counts.data(),
                                     in_.offsets.data(), MPI_BYTE, comm_),
              "MPI_Neighbor_alltoallv");
        return;
    }
    MPI_Request request = start(data);
    const BlockingCall call("MPI_Wait for MPI_Ineighbor_alltoallv", data.receive.size());
    check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
}

MPI_Request GraphComm::start(const NeighborExchange& data) {
    set(data);
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ineighbor_alltoallv(data.send.data(), out_.counts.data(), out_.offsets.data(),
                                  MPI_BYTE, data.receive.data(), in_.counts.data(),
                                  in_.offsets.data(), MPI_BYTE, comm_, &request),
          "MPI_Ineighbor_alltoallv");
    return request;
}

NeighborExchange GraphCollective::with_memory(NeighborExchange data) {
    if (data.send.is_null() && data.send.size() > 0) {
        sent_.resize(std::size_t(data.send.size()));
        data.send = ConstBuffer(sent_.data(), data.send.size());
    }
    if (data.receive.is_null() && data.receive.size() > 0) {
        received_.resize(std::size_t(data.receive.size()));
        data.receive = Buffer(received_.data(), data.receive.size());
    }
    return data;
}

Task exchange(Comm& /*comm*/, GraphComm& graph, NeighborExchange data, bool nonblocking) {
    graph.exchange(data, nonblocking);
    co_return;
}

}  // namespace tradewind::mpi
