/// Operations: single communication operations, repeated, as programs for measurements of networks.
#pragma once

#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"
#include "tradewind/comm/neighbor/neighbor.hpp"
#include "tradewind/comm/process_grid.hpp"
#include "tradewind/program/estimate.hpp"

namespace tradewind::skeleton {

/// A program of `repeat` allreduces (sum) of `bytes` bytes of doubles.
struct RepeatedAllreduce {
    Bytes bytes = Bytes(sizeof(double));
    std::int64_t repeat = 1;
    const AllreduceAlgorithm* algorithm = nullptr;
    Options options;
};

/// A program of `repeat` alltoallv operations with blocks of equal size among all ranks.
struct RepeatedAlltoallv {
    UniformBlocks blocks{0};
    std::int64_t repeat = 1;
    const AlltoallvAlgorithm* algorithm = nullptr;
    Options options;
};

/// A program of `repeat` exchanges of messages of `bytes` bytes with the neighbours in a periodic
/// grid of ranks, as in grid_graph.
struct RepeatedNeighbor {
    Bytes bytes = 8;
    ProcessGrid processes;
    bool corners = false;
    std::int64_t repeat = 1;
    const NeighborAlgorithm* algorithm = nullptr;
    Options options;
};

/// A program of `repeat` messages from rank 0 to the last rank and as many back; the other ranks do
/// nothing.
struct Pingpong {
    Bytes bytes = 0;
    std::int64_t repeat = 1;
};

/// Runs the allreduces in place on `data`, which may be null.
Task allreduce(Comm& comm, const RepeatedAllreduce& plan, Buffer data = {});
/// Runs the messages in place on `data`, which may be null.
Task pingpong(Comm& comm, const Pingpong& plan, Buffer data = {});
/// Runs the alltoallv operations. Both buffers have one block for each rank, in the order of ranks;
/// they may be null.
Task alltoallv(Comm& comm, const RepeatedAlltoallv& plan, ConstBuffer send = {},
               Buffer receive = {});
/// Runs the exchanges with null buffers.
Task exchange_neighbors(Comm& comm, const RepeatedNeighbor& plan);

[[nodiscard]] Estimate estimate(const RepeatedAllreduce& plan, Rank ranks);
[[nodiscard]] Estimate estimate(const RepeatedAlltoallv& plan, Rank ranks);
[[nodiscard]] Estimate estimate(const RepeatedNeighbor& plan, Rank ranks);
[[nodiscard]] Estimate estimate(const Pingpong& plan);

}  // namespace tradewind::skeleton
