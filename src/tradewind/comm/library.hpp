/// LibraryCollectives: the collectives of the MPI library under a communicator, if there is one;
/// the algorithm called "native" uses them.
#pragma once

#include <memory>

namespace tradewind {

class Comm;
struct Alltoallv;
struct Allreduce;
struct Neighborhood;
struct NeighborExchange;

/// The neighbourhood collective of a library among fixed neighbours. All ranks make the same calls.
class NeighborCollective {
public:
    NeighborCollective() = default;
    NeighborCollective(const NeighborCollective&) = delete;
    NeighborCollective& operator=(const NeighborCollective&) = delete;
    virtual ~NeighborCollective() = default;

    /// Exchanges in one blocking call.
    virtual void exchange(const NeighborExchange& data) = 0;
    /// Starts an exchange, and waits for it.
    virtual void start(const NeighborExchange& data) = 0;
    virtual void finish() = 0;
};

/// The blocking collectives of a library. All ranks of `group`, which is the communicator or one
/// made from it, make the same calls. `Comm::library` is null if there is no library.
class LibraryCollectives {
public:
    LibraryCollectives() = default;
    LibraryCollectives(const LibraryCollectives&) = delete;
    LibraryCollectives& operator=(const LibraryCollectives&) = delete;
    virtual ~LibraryCollectives() = default;

    virtual void alltoallv(const Comm& group, const Alltoallv& data) = 0;
    virtual void allreduce(const Comm& group, const Allreduce& vector) = 0;
    [[nodiscard]] virtual std::unique_ptr<NeighborCollective> neighbors(
        const Comm& group, const Neighborhood& own) = 0;
};

}  // namespace tradewind
