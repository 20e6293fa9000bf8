/// SnapshotGather: brings the parts of all ranks to rank 0.
#pragma once

#include "tradewind/models/pstswm/model.hpp"
#include "tradewind/models/pstswm/snapshot.hpp"

namespace tradewind::pstswm {

class SnapshotGather {
public:
    explicit SnapshotGather(const ArrayLayout& layout);

    /// Copies the rank's part of the wind and the depth from `model.inverse.grid`.
    void take_flow(const ShallowWaterModel& model);
    /// Copies the rank's part of the divergence from `model.inverse.grid`.
    void take_divergence(const ShallowWaterModel& model);
    /// Sends one message from every rank to rank 0, which then has the snapshot.
    Task collect(Comm& comm);
    [[nodiscard]] Snapshot& snapshot() noexcept { return snapshot_; }

private:
    /// Numbers per point and level in a message: h*, u, v, vorticity, divergence.
    static constexpr std::int64_t fields = 5;

    void place(const ArrayLayout& from, const std::vector<double>& part);

    const ArrayLayout& layout_;
    /// The rank's part, [line][longitude][field][level].
    std::vector<double> part_;
    Snapshot snapshot_;
};

}  // namespace tradewind::pstswm
