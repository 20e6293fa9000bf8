/// "native": the neighbourhood collective of the underlying library, MPI_Neighbor_alltoallv, and
/// "native_nonblocking", MPI_Ineighbor_alltoallv. They are not in the table, since simulated ranks
/// have no such library.
#include "tradewind/comm/native.hpp"

#include "tradewind/comm/neighbor/algorithms.hpp"
#include "tradewind/comm/neighbor/pieces.hpp"

namespace tradewind {

namespace {

/// A collective of the library, which `begin` starts if it is nonblocking.
class NativeConnection final : public NeighborConnection {
public:
    NativeConnection(Comm& comm, const NeighborExchange& data, bool nonblocking)
        : nonblocking_(nonblocking) {
        check_neighbors(comm, data);
        collective_ =
            library_of(comm, {}, neighbor_operation.name).neighbors(comm, *data.neighbors);
    }

    [[nodiscard]] Task connect(Comm& /*comm*/) override { co_return; }

    void begin(Comm& /*comm*/, const NeighborExchange& data) override {
        if (!nonblocking_ || is_started_) return;
        collective_->start(data);
        is_started_ = true;
    }

    [[nodiscard]] Task exchange(Comm& comm, NeighborExchange data) override {
        begin(comm, data);
        if (is_started_) {
            is_started_ = false;
            collective_->finish();
        } else {
            collective_->exchange(data);
        }
        co_return;
    }

private:
    std::unique_ptr<NeighborCollective> collective_;
    bool nonblocking_;
    bool is_started_ = false;
};

template <bool nonblocking>
std::unique_ptr<NeighborConnection> prepare_native(Comm& comm, const NeighborExchange& data) {
    return std::make_unique<NativeConnection>(comm, data, nonblocking);
}

Task neighbor_native(Comm& comm, NeighborExchange data, Options options) {
    (void)library_of(comm, options, neighbor_operation.name);
    check_neighbors(comm, data);
    NeighborConnection& collective = connection_of(comm, data, native);
    co_await collective.exchange(comm, data);
}

constexpr NeighborAlgorithm natives[] = {
    {.name = native,
     .summary = "MPI_Neighbor_alltoallv of the library below",
     .run = neighbor_native,
     .prepare = prepare_native<false>},
    {.name = "native_nonblocking",
     .summary = "MPI_Ineighbor_alltoallv of the library below",
     .run = neighbor_native,
     .prepare = prepare_native<true>,
     .begins_early = true},
};

}  // namespace

std::span<const NeighborAlgorithm> neighbor_natives() {
    return natives;
}

}  // namespace tradewind
