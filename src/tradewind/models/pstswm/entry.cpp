/// The shallow water model as a program: its messages alone, or a run with data.
#include <numbers>

#include "tradewind/models/pstswm/choices.hpp"
#include "tradewind/models/pstswm/memory.hpp"
#include "tradewind/models/pstswm/run.hpp"
#include "tradewind/models/pstswm/settings.hpp"
#include "tradewind/program/entry.hpp"
#include "tradewind/program/model_run.hpp"

namespace tradewind::pstswm {

namespace {

struct ShownField {
    FieldInfo info;
    std::vector<double> Snapshot::* values;
};

[[nodiscard]] const std::vector<ShownField>& shown_fields() {
    using Names = std::vector<std::string_view>;
    const Names all{"level", "lat", "lon"};
    static const std::vector<ShownField> fields = {
        {{"depth_m", "h", "m", "", "depth of the fluid", all}, &Snapshot::depth},
        {{"east_wind_m_s", "u", "m s-1", "eastward_wind", "eastward wind", all},
         &Snapshot::east_wind},
        {{"north_wind_m_s", "v", "m s-1", "northward_wind", "northward wind", all},
         &Snapshot::north_wind},
        {{"vorticity_1_s", "vorticity", "s-1", "atmosphere_relative_vorticity",
          "relative vorticity", all},
         &Snapshot::vorticity},
        {{"divergence_1_s", "divergence", "s-1", "divergence_of_wind", "divergence", all},
         &Snapshot::divergence}};
    return fields;
}

[[nodiscard]] std::vector<Number> numbers_of(const Diagnostics& found) {
    std::vector<Number> numbers = {
        {"mass_m", "mean depth", "m", found.mass},
        {"energy_m3_s2", "mean total energy", "m3 s-2", found.energy},
        {"potential_enstrophy_1_m_s2", "mean potential enstrophy", "m-1 s-2",
         found.potential_enstrophy},
        {"vorticity_1_s", "mean vorticity", "s-1", found.vorticity, false},
        {"divergence_1_s", "mean divergence", "s-1", found.divergence, false},
        {"surface_mean_m", "mean height of the surface", "m", found.surface_mean, false},
        {"surface_variance_m2", "variance of the height of the surface", "m2",
         found.surface_variance, false},
        {"lowest_depth_m", "least depth", "m", found.lowest_depth, false},
        {"highest_depth_m", "greatest depth", "m", found.highest_depth, false},
        {"fastest_wind_m_s", "fastest wind", "m s-1", found.fastest_wind}};
    if (found.errors) williamson::append(*found.errors, numbers);
    return numbers;
}

[[nodiscard]] std::vector<double> range(std::int64_t count, const auto& value) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(value(i));
    return values;
}

[[nodiscard]] std::vector<double> ground_of(const ShallowWaterPlan& plan) {
    std::vector<double> ground;
    for (std::int64_t j = 0; j < plan.latitudes; ++j)
        for (std::int64_t i = 0; i < plan.longitudes; ++i)
            ground.push_back(plan.test_case->ground({plan.longitude(i), plan.latitude(j)}) /
                             gravity);
    return ground;
}

[[nodiscard]] Outline outline_of(const ShallowWaterPlan& plan) {
    constexpr double degrees = 180 / std::numbers::pi;
    Outline outline;
    outline.model = "spectral transform shallow water model";
    outline.references = "Williamson et al. 1992; Worley 1998";
    outline.processes = {plan.mesh.px, plan.mesh.py};
    outline.steps = plan.steps;
    outline.time_step_s = plan.time_step;
    outline.axes = {
        {"level", "level", "1", "", "independent copy", "",
         range(plan.levels, [](std::int64_t k) { return double(k); })},
        {"lat", "latitude_deg", "degrees_north", "latitude", "latitude", "Y",
         range(plan.latitudes, [&](std::int64_t j) { return plan.latitude(j) * degrees; })},
        {"lon", "longitude_deg", "degrees_east", "longitude", "longitude", "X",
         range(plan.longitudes, [&](std::int64_t i) { return plan.longitude(i) * degrees; })}};
    for (const ShownField& field : shown_fields()) outline.fields.push_back(field.info);
    outline.fixed_fields = {{{"ground_m",
                              "surface_altitude",
                              "m",
                              "surface_altitude",
                              "height of the ground",
                              {"lat", "lon"}},
                             ground_of(plan)}};
    outline.numbers = {
        {"courant_number", "Courant number (stable below 1)", "1", plan.courant_number},
        {"fastest_wave_m_s", "fastest wave", "m s-1", plan.fastest_wave}};
    return outline;
}

/// An observer that turns snapshots into outputs.
class Translator final : public SnapshotObserver {
public:
    Translator(const ShallowWaterPlan& plan, RunObserver& observer)
        : plan_(plan), observer_(observer) {}

    void stepped(std::int64_t step) override { observer_.stepped(step); }
    void observed(const Snapshot& snapshot) override {
        ModelOutput output{
            snapshot.step, snapshot.time, {}, numbers_of(diagnose(plan_, snapshot, 0))};
        for (const auto& [info, values] : shown_fields())
            output.fields.emplace_back(snapshot.*values);
        observer_.observed(output);
    }

private:
    const ShallowWaterPlan& plan_;
    RunObserver& observer_;
};

class ShallowWaterRun final : public ModelRun {
public:
    explicit ShallowWaterRun(ShallowWaterPlan plan)
        : plan_(std::move(plan)), outline_(outline_of(plan_)) {}

    [[nodiscard]] const Outline& outline() const noexcept override { return outline_; }
    Task run(Comm& comm, RunObserver& observer, const Checkpoints& checkpoints) const override {
        return follow(comm, plan_, observer, checkpoints);
    }

private:
    static Task follow(Comm& comm, const ShallowWaterPlan& plan, RunObserver& observer,
                       const Checkpoints& checkpoints) {
        Translator translator(plan, observer);
        co_await run_model(comm, plan, translator, checkpoints);
    }

    ShallowWaterPlan plan_;
    Outline outline_;
};

Program make(const Settings& settings, Rank ranks) {
    const auto plan = std::make_shared<const ShallowWaterPlan>(make_plan(settings, ranks));
    return [plan](Comm& comm) { return run_skeleton(comm, *plan); };
}

Estimate expect(const Settings& settings, Rank ranks) {
    return count_messages(ranks, make(settings, ranks), most_ranks_counted);
}

std::unique_ptr<const ModelRun> plan(const Settings& settings, Rank ranks) {
    return std::make_unique<ShallowWaterRun>(make_run_plan(settings, ranks));
}

std::optional<ProcessGrid> processes(const Settings& settings, Rank ranks) {
    const Mesh mesh = make_draft(settings, ranks).mesh;
    return ProcessGrid{mesh.px, mesh.py};
}

RunMemory memory(const Settings& settings, Rank ranks) {
    return memory_of(make_run_draft(settings, ranks));
}

}  // namespace

extern const ProgramEntry entry;
constinit const ProgramEntry entry = {
    .name = "pstswm",
    .summary = "spectral transform shallow water model (worley1998)",
    .settings = given::always,
    .message_settings = given::without_data,
    .run_settings = given::with_data,
    .make = make,
    .estimate = expect,
    .operations = operations,
    .processes = processes,
    .plan = plan,
    .memory = memory,
    .ways = ways,
    .tuned_setting = "method",
    .can_restart = true,
};

}  // namespace tradewind::pstswm
