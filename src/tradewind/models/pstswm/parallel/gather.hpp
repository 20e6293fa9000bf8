/// Gather: brings the parts of all ranks to rank 0.
#pragma once

#include "tradewind/models/pstswm/model.hpp"
#include "tradewind/models/pstswm/snapshot.hpp"

namespace tradewind::pstswm {

class Gather {
public:
    explicit Gather(const Layout& layout);

    /// Copies the rank's part of the wind and the depth from `model.inverse.grid`.
    void take_flow(const Model& model);
    /// Copies the rank's part of the divergence from `model.inverse.grid`.
    void take_divergence(const Model& model);
    /// Sends one message from every rank to rank 0, which then has the snapshot.
    Task collect(Comm& comm);
    [[nodiscard]] Snapshot& snapshot() noexcept { return snapshot_; }

private:
    /// Numbers per point and level in a message: h*, u, v, vorticity, divergence.
    static constexpr std::int64_t fields = 5;

    void place(const Layout& from, const std::vector<double>& part);

    const Layout& layout_;
    /// The rank's part, [line][longitude][field][level].
    std::vector<double> part_;
    Snapshot snapshot_;
};

}  // namespace tradewind::pstswm
