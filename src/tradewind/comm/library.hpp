/// LibraryCollectives: the collectives of the message-passing library below a communicator, where
/// there is one (MPI). The algorithm called "native" is made of them.
#pragma once

namespace tradewind {

class Comm;
struct Alltoallv;
struct Allreduce;

/// All ranks of `group`, which is the communicator or one made from it, make the same calls, which
/// return when the operation is over. `Comm::library` is null where there is none.
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
