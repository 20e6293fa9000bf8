/// Runs of the dynamical core for tests.
#pragma once

#include "support/ranks.hpp"
#include "tradewind/models/homme/run.hpp"

namespace tradewind::homme {

/// An observer that keeps the last snapshot.
class Last final : public CoreObserver {
public:
    void stepped(std::int64_t) override {}
    void observed(std::int64_t, const CoreSnapshot& snapshot) override { snapshot_ = snapshot; }
    [[nodiscard]] const CoreSnapshot& snapshot() const { return snapshot_; }

private:
    CoreSnapshot snapshot_;
};

/// Runs the core on `ranks` ranks and returns the last snapshot, on all processes.
inline CoreSnapshot run(Rank ranks, const Settings& settings) {
    const auto plan = make_run_plan(settings, ranks);
    const Checkpoints none;
    Last last;
    run_ranks(ranks, [&](Comm& comm) { return run_model(comm, *plan, last, none); });
    CoreSnapshot snapshot = last.snapshot();
    snapshot.fields.resize(shown_fields(*plan));
    for (auto& field : snapshot.fields) {
        field.resize(std::size_t(plan->latitudes * plan->longitudes));
        share(ranks, 0, Buffer(std::span(field)));
    }
    share(ranks, 0, Buffer(std::span(&snapshot.diagnostics, 1)));
    return snapshot;
}

inline bool same_bits(const CoreSnapshot& a, const CoreSnapshot& b) {
    return a.fields == b.fields && a.diagnostics.total_energy == b.diagnostics.total_energy &&
           a.diagnostics.lowest == b.diagnostics.lowest;
}

}  // namespace tradewind::homme
