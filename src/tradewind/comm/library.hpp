/// LibraryCollectives: the collectives of the MPI library under a communicator, if there is one;
/// the algorithm called "native" uses them.
#pragma once

namespace tradewind {

class Comm;
struct Alltoallv;
struct Allreduce;

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
};

}  // namespace tradewind
