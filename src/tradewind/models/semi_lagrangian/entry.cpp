/// Semi-Lagrangian advection as a program: its messages alone, or a run with data.
#include "tradewind/models/semi_lagrangian/memory.hpp"
#include "tradewind/models/semi_lagrangian/run.hpp"
#include "tradewind/models/semi_lagrangian/settings.hpp"
#include "tradewind/program/model_run.hpp"

namespace tradewind::semi_lagrangian {

namespace {

void add_halo(const Result& result, std::vector<Number>& numbers) {
    const ColumnTraffic& traffic = result.traffic;
    const auto add = [&](const char* name, std::string_view meaning, std::string_view unit,
                         std::int64_t value) { numbers.push_back({name, meaning, unit, value}); };
    add("halo.columns", "columns of the halos in all steps", "1", result.halo_columns);
    add("halo.columns_sent", "columns sent", "1", result.sent_columns);
    add("halo.messages", "messages of the halo exchange", "1", traffic.messages);
    add("halo.bytes", "bytes of the halo exchange", "byte", traffic.bytes);
    add("halo.request_messages", "messages of these that are requests", "1",
        traffic.request_messages);
    add("halo.request_bytes", "bytes of these that are requests", "byte", traffic.request_bytes);
}

[[nodiscard]] std::vector<Number> numbers_of(const AdvectionPlan& plan, const Result& result) {
    std::vector<Number> numbers;
    if (result.has_norms) {
        numbers = {{"error.l1", "error l1", "1", result.norms.l1},
                   {"error.l2", "error l2", "1", result.norms.l2},
                   {"error.maximum", "error max", "1", result.norms.maximum}};
    }
    numbers.push_back({"initial_mean", "mean before", "1", result.initial_mean});
    numbers.push_back({"mean", "mean", "1", result.mean});
    numbers.push_back({"lowest", "lowest", "1", result.lowest});
    numbers.push_back({"highest", "highest", "1", result.highest});
    numbers.push_back({"fastest_wind_m_s", "fastest wind", "m s-1", result.fastest_wind});
    numbers.push_back({"courant", "Courant number", "1", result.courant});
    numbers.push_back({"halo_rows", "rows of the halo", "1", plan.halo_rows});
    add_halo(result, numbers);
    return numbers;
}

[[nodiscard]] std::vector<double> range(std::int64_t count, const auto& value) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(value(i));
    return values;
}

[[nodiscard]] Outline outline_of(const AdvectionPlan& plan) {
    constexpr double degrees = 180 / pi;
    Outline outline;
    outline.model = "semi-Lagrangian advection";
    outline.references = "Zheng and Marguinaud 2018";
    outline.processes = plan.reach.grid.processes;
    outline.steps = plan.steps;
    outline.time_step_s = plan.time_step;
    outline.axes = {{"lat", "latitude_deg", "degrees_north", "latitude", "latitude", "Y",
                     range(plan.ny(), [&](std::int64_t j) { return plan.latitude(j) * degrees; })},
                    {"lon", "longitude_deg", "degrees_east", "longitude", "longitude", "X",
                     range(plan.nx(), [&](std::int64_t i) { return plan.longitude(i) * degrees; })},
                    {"height", "height_m", "m", "height", "height", "Z",
                     range(plan.levels, [&](std::int64_t k) { return plan.height(k); })}};
    outline.fields = {{"tracer", "tracer", "1", "", "first tracer", {"lat", "lon", "height"}}};
    return outline;
}

class AdvectionRun final : public ModelRun {
public:
    explicit AdvectionRun(AdvectionPlan plan)
        : plan_(std::move(plan)), outline_(outline_of(plan_)) {}

    [[nodiscard]] const Outline& outline() const noexcept override { return outline_; }
    Task run(Comm& comm, RunObserver& observer, const Checkpoints& checkpoints) const override {
        return follow(comm, plan_, observer, checkpoints);
    }

private:
    static Task follow(Comm& comm, const AdvectionPlan& plan, RunObserver& observer,
                       const Checkpoints& checkpoints) {
        Result result;
        const Progress progress = [&](std::int64_t step) { observer.stepped(step); };
        co_await run_model(comm, plan, result, progress, checkpoints);
        if (comm.rank() != 0) co_return;
        ModelOutput output{plan.steps, double(plan.steps) * plan.time_step, {}, {}};
        output.fields.emplace_back(result.tracer);
        output.numbers = numbers_of(plan, result);
        observer.observed(output);
    }

    AdvectionPlan plan_;
    Outline outline_;
};

Program make(const Settings& settings, Rank ranks) {
    const auto plan = std::make_shared<const AdvectionPlan>(make_plan(settings, ranks));
    return [plan](Comm& comm) { return run_skeleton(comm, *plan); };
}

Estimate expect(const Settings& settings, Rank ranks) {
    return count_messages(ranks, make(settings, ranks), most_ranks_counted);
}

/// Counts the columns that each rank sends to each neighbour by the wide halo. On demand they
/// depend on the wind.
std::vector<HaloEdge> halo_edges(const Settings& settings, Rank ranks) {
    const AdvectionPlan plan = make_plan(settings, ranks);
    if (plan.exchange != ColumnExchange::wide)
        throw ConfigError(
            "semi_lagrangian: what is exchanged on demand depends on the wind; "
            "exchange = \"wide\" has a fixed halo");
    std::vector<HaloEdge> edges;
    for (Rank rank = 0; rank < ranks; ++rank) {
        const ColumnHalo halo(plan.reach, rank);
        for (const ColumnHalo::Piece& piece : halo.outgoing())
            edges.push_back({rank, piece.rank, piece.columns});
    }
    return edges;
}

std::unique_ptr<const ModelRun> plan(const Settings& settings, Rank ranks) {
    return std::make_unique<AdvectionRun>(make_plan(settings, ranks));
}

RunMemory memory(const Settings& settings, Rank ranks) {
    return memory_of(make_draft(settings, ranks));
}

}  // namespace

extern const ProgramEntry entry;
constinit const ProgramEntry entry = {
    .name = "semi_lagrangian",
    .summary = "semi-Lagrangian steps on the sphere, wide halo or exchange on demand",
    .settings = given::always,
    .make = make,
    .estimate = expect,
    .operations = operations,
    .processes = models::processes_of_columns,
    .plan = plan,
    .memory = memory,
    .ways = ways,
    .halo_edges = halo_edges,
    .tuned_setting = "exchange",
    .can_restart = true,
};

}  // namespace tradewind::semi_lagrangian
