/// Runs of the wave model for tests.
#pragma once

#include <cmath>
#include <map>
#include <string>

#include "support/ranks.hpp"
#include "support/wave_mesh.hpp"
#include "tradewind/models/fvwam/run.hpp"

namespace tradewind::fvwam {

/// An observer that keeps the last snapshot.
class LastSnapshot final : public WaveObserver {
public:
    void stepped(std::int64_t) override {}
    void observed(std::int64_t, const WaveSnapshot& snapshot) override { snapshot_ = snapshot; }
    [[nodiscard]] const WaveSnapshot& snapshot() const { return snapshot_; }

private:
    WaveSnapshot snapshot_;
};

/// Returns settings of some steps on the small sphere, with 12 directions and 8 frequencies.
inline Settings wave_settings(const std::map<std::string, std::string>& words = {},
                              std::int64_t steps = 3) {
    Settings settings;
    settings.set("mesh", support::path_of_small_mesh());
    settings.set("steps", steps);
    settings.set("directions", std::int64_t{12});
    settings.set("frequencies", std::int64_t{8});
    settings.set("first_frequency_hz", 0.05);
    settings.set("frequency_ratio", 1.2);
    settings.set("time_step", 3600 * picoseconds_per_second);
    for (const auto& [key, word] : words) settings.set(key, word);
    return settings;
}

/// Adds a wind of 12 m/s, so that there are waves everywhere, and a typhoon beside the first cell.
inline void add_weather(Settings& settings) {
    settings.set("wind", std::string("typhoon"));
    settings.set("wind_speed_m_s", 12.0);
    settings.set("wind_direction_deg", 250.0);
    settings.set("track", std::string("0 119.5 1 950 250\n6 118 2 950 250\n999 118 2 950 250"));
}

/// Runs the model on `ranks` ranks and returns the last snapshot, on all processes.
inline WaveSnapshot run_waves(Rank ranks, Settings settings) {
    add_weather(settings);
    const auto plan = make_run_plan(settings, ranks);
    const Checkpoints none;
    LastSnapshot last;
    run_ranks(ranks, [&](Comm& comm) { return run_model(comm, *plan, last, none); });
    WaveSnapshot snapshot = last.snapshot();
    snapshot.fields.resize(wave_field_count);
    for (auto& field : snapshot.fields) {
        field.resize(std::size_t(plan->graph.cells()));
        share(ranks, 0, Buffer(std::span(field)));
    }
    share(ranks, 0, Buffer(std::span(&snapshot.diagnostics, 1)));
    return snapshot;
}

inline bool same_bits(const WaveSnapshot& a, const WaveSnapshot& b) {
    return a.fields == b.fields && a.diagnostics.energy == b.diagnostics.energy &&
           a.diagnostics.mean_height == b.diagnostics.mean_height &&
           a.diagnostics.energy_direction == b.diagnostics.energy_direction;
}

}  // namespace tradewind::fvwam
