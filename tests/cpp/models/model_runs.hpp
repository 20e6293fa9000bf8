/// Runs of the model on virtual ranks, for its tests.
#pragma once

#include "tradewind/models/pstswm/run.hpp"
#include "tradewind/simcomm/virtual_ranks.hpp"

namespace tradewind::pstswm {

struct Recorder final : SnapshotObserver {
    void observed(const Snapshot& snapshot) override { snapshots.push_back(snapshot); }
    std::vector<Snapshot> snapshots;
};

struct RecordedRun {
    ShallowWaterPlan plan;
    std::vector<Snapshot> snapshots;
    simcomm::Traffic traffic;

    [[nodiscard]] Diagnostics last(std::int64_t level = 0) const {
        return diagnose(plan, snapshots.back(), level);
    }
    [[nodiscard]] Diagnostics first() const { return diagnose(plan, snapshots.front(), 0); }
};

/// Runs with the given settings on as many virtual ranks as `mesh` has.
[[nodiscard]] inline RecordedRun run_on_mesh(Settings settings, Mesh mesh = {1, 1}) {
    settings.set("processes", std::vector<std::int64_t>{mesh.px, mesh.py});
    RecordedRun result;
    result.plan = make_plan(settings, mesh.px * mesh.py);
    Recorder recorder;
    result.traffic = simcomm::run_virtual(
        mesh.px * mesh.py, [&](Comm& comm) { return run_model(comm, result.plan, recorder); });
    result.snapshots = std::move(recorder.snapshots);
    return result;
}

[[nodiscard]] inline bool same_bits(const Snapshot& a, const Snapshot& b) {
    return a.depth == b.depth && a.east_wind == b.east_wind && a.north_wind == b.north_wind &&
           a.vorticity == b.vorticity && a.divergence == b.divergence;
}

[[nodiscard]] inline Settings case_settings(std::int64_t number, double days, double time_step,
                                            std::int64_t truncation = 42) {
    Settings settings;
    settings.set("case", number);
    settings.set("truncation", truncation);
    settings.set("time_step", Picoseconds(time_step) * picoseconds_per_second);
    settings.set("steps", std::int64_t(days * seconds_per_day / time_step + 0.5));
    return settings;
}

}  // namespace tradewind::pstswm
