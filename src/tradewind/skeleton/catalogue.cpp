/// The programs: how each reads its settings, and the table of all.
#include <algorithm>
#include <memory>
#include <vector>

#include "tradewind/comm/tuning/read_algorithm.hpp"
#include "tradewind/skeleton/gcr.hpp"
#include "tradewind/skeleton/halo.hpp"
#include "tradewind/skeleton/operations.hpp"
#include "tradewind/skeleton/program.hpp"
#include "tradewind/skeleton/read_plan.hpp"
#include "tradewind/skeleton/time_step/read_time_step.hpp"
#include "tradewind/skeleton/transposition.hpp"

namespace tradewind::skeleton {

namespace {

using Keys = std::span<const std::string_view>;

/// An operation that a program does, for those who look for its best algorithm.
[[nodiscard]] std::vector<OperationUse> uses(const Transposition& plan, Rank /*ranks*/) {
    std::vector<OperationUse> result;
    for (std::size_t stage = 0; stage < stage_names.size(); ++stage) {
        if (plan.only_stage >= 0 && std::size_t(plan.only_stage) != stage) continue;
        const StageShape shape = stage_shape(plan, stage);
        result.push_back(
            {"alltoallv", shape.group, shape.block, stage_names[stage], plan.repeat, ""});
    }
    return result;
}
[[nodiscard]] std::vector<OperationUse> uses(const Gcr& plan, Rank ranks) {
    return {{"allreduce", ranks, longest_reduction(plan) * Bytes(sizeof(double)), "",
             (plan.is_pipelined ? 1 : 2) * plan.iterations * plan.repeat, ""}};
}
[[nodiscard]] std::vector<OperationUse> uses(const SpectralStep& plan, Rank ranks) {
    return uses(plan.transforms, ranks);
}
[[nodiscard]] std::vector<OperationUse> uses(const GridPointStep& plan, Rank ranks) {
    return uses(plan.solver, ranks);
}
[[nodiscard]] std::vector<OperationUse> uses(const RepeatedAllreduce& plan, Rank ranks) {
    return {{"allreduce", ranks, plan.bytes, "", plan.repeat, ""}};
}
[[nodiscard]] std::vector<OperationUse> uses(const RepeatedAlltoallv& plan, Rank ranks) {
    return {{"alltoallv", ranks, plan.blocks.send_size(0), "", plan.repeat, ""}};
}
[[nodiscard]] std::vector<OperationUse> uses(const Halo& plan, Rank ranks) {
    return {{"neighbor", ranks, average_message(plan), "", 2 * plan.repeat, ""}};
}
[[nodiscard]] std::vector<OperationUse> uses(const RepeatedNeighbor& plan, Rank ranks) {
    return {{"neighbor", ranks, plan.bytes, "", plan.repeat, ""}};
}

constexpr std::string_view transposition_keys[] = {
    "grid",     "processes", "element_size", "fields", "algorithm", "radix", "window",
    "protocol", "transport", "tuning",       "repeat", "backward",  "stage"};

std::int64_t read_stage(const Settings& settings) {
    const auto name = settings.get<std::string>("stage", "all");
    if (name == "all") return -1;
    const auto found = std::ranges::find(stage_names, name);
    if (found == stage_names.end()) {
        throw ConfigError(
            text("stage = \"", name, "\" is unknown; known are: all, ", listed(stage_names)));
    }
    return found - stage_names.begin();
}

Transposition read_transposition(const Settings& settings, Rank ranks) {
    refuse_unknown("transposition", settings, transposition_keys);
    Transposition plan;
    plan.grid = read_grid(settings);
    plan.processes = read_processes(settings, ranks, transposition_limits(plan.grid));
    plan.elements = read_elements(settings, plan.grid);
    read_stages(settings, plan);
    plan.repeat = read_repeat(settings);
    plan.backward = settings.get("backward", false);
    plan.only_stage = read_stage(settings);
    if (plan.only_stage >= 0 && plan.backward) {
        throw ConfigError("backward = true: needs stage = \"all\"");
    }
    return plan;
}

constexpr std::string_view halo_keys[] = {"grid",     "processes", "element_size", "fields",
                                          "width",    "algorithm", "radix",        "window",
                                          "protocol", "tuning",    "repeat"};

Halo read_halo(const Settings& settings, Rank ranks) {
    refuse_unknown("halo", settings, halo_keys);
    Halo plan;
    plan.grid = read_grid(settings);
    plan.processes = read_processes(settings, ranks, halo_limits(plan.grid));
    plan.elements = read_elements(settings, plan.grid);
    plan.width = settings.need<std::int64_t>("width");
    check_halo_width(plan.width, plan.grid);
    plan.repeat = read_repeat(settings);
    const auto choice = read_neighbor(settings, ranks, average_message(plan));
    plan.algorithm = choice.algorithm;
    plan.options = choice.options;
    return plan;
}

constexpr std::string_view gcr_keys[] = {"iterations", "restart",  "algorithm", "radix",
                                         "window",     "protocol", "transport", "tuning",
                                         "flops",      "memory",   "repeat"};

Gcr read_gcr(const Settings& settings, Rank ranks) {
    refuse_unknown("gcr", settings, gcr_keys);
    Gcr plan;
    read_iterations(settings, ranks, plan);
    plan.work.flops = settings.get("flops", 0.0);
    if (!(plan.work.flops >= 0))
        throw ConfigError(text("flops = ", plan.work.flops, " must be at least 0"));
    plan.work.memory = settings.whole("memory", 0, 0, std::int64_t(most_bytes));
    plan.repeat = read_repeat(settings);
    return plan;
}

constexpr std::string_view allreduce_keys[] = {"bytes",    "algorithm", "radix",  "window",
                                               "protocol", "transport", "tuning", "repeat"};

RepeatedAllreduce read_repeated_allreduce(const Settings& settings, Rank ranks) {
    refuse_unknown("allreduce", settings, allreduce_keys);
    RepeatedAllreduce plan;
    plan.bytes = settings.whole("bytes", plan.bytes, 0, std::int64_t(most_bytes));
    if (plan.bytes % Bytes(sizeof(double)) != 0) {
        throw ConfigError(text("bytes = ", plan.bytes, " is not a multiple of ", sizeof(double),
                               ", the size of the doubles that are added"));
    }
    const auto choice = read_allreduce(settings, ranks, plan.bytes);
    plan.algorithm = choice.algorithm;
    plan.options = choice.options;
    plan.repeat = read_repeat(settings);
    return plan;
}

constexpr std::string_view alltoallv_keys[] = {"bytes",    "algorithm", "radix",  "window",
                                               "protocol", "transport", "tuning", "repeat"};

RepeatedAlltoallv read_repeated_alltoallv(const Settings& settings, Rank ranks) {
    refuse_unknown("alltoallv", settings, alltoallv_keys);
    RepeatedAlltoallv plan;
    const Bytes bytes = settings.whole("bytes", 8, 0, std::int64_t(most_bytes));
    check_bytes(double(ranks) * double(bytes));
    plan.blocks = UniformBlocks(bytes);
    const auto choice = read_alltoallv(settings, ranks, bytes);
    plan.algorithm = choice.algorithm;
    plan.options = choice.options;
    plan.repeat = read_repeat(settings);
    return plan;
}

constexpr std::string_view neighbor_keys[] = {"bytes",     "processes", "neighbors",
                                              "algorithm", "radix",     "window",
                                              "protocol",  "tuning",    "repeat"};

RepeatedNeighbor read_repeated_neighbor(const Settings& settings, Rank ranks) {
    refuse_unknown("neighbor", settings, neighbor_keys);
    RepeatedNeighbor plan;
    plan.bytes = settings.whole("bytes", plan.bytes, 0, std::int64_t(most_bytes));
    check_bytes(8.0 * double(ranks) * double(plan.bytes));
    plan.processes = read_processes(settings, ranks, {{"ranks", ranks}, {"ranks", ranks}});
    const std::int64_t count = settings.whole("neighbors", 4, 4, 8);
    if (count != 4 && count != 8)
        throw ConfigError(text("neighbor: neighbors = ", count, " is neither 4 nor 8"));
    plan.corners = count == 8;
    plan.repeat = read_repeat(settings);
    const auto choice = read_neighbor(settings, ranks, plan.bytes);
    plan.algorithm = choice.algorithm;
    plan.options = choice.options;
    return plan;
}

constexpr std::string_view pingpong_keys[] = {"bytes", "repeat"};

Pingpong read_pingpong(const Settings& settings, Rank ranks) {
    refuse_unknown("pingpong", settings, pingpong_keys);
    if (ranks < 2) throw ConfigError(text("pingpong: ranks = ", ranks, " must be at least 2"));
    return {settings.whole("bytes", 8, 0, std::int64_t(most_bytes)), read_repeat(settings)};
}

Task start(Comm& comm, const Transposition& plan) {
    return transpose(comm, plan);
}
Task start(Comm& comm, const Halo& plan) {
    return exchange_halo(comm, plan);
}
Task start(Comm& comm, const OnDemandHalo& plan) {
    return exchange_on_demand(comm, plan);
}
Task start(Comm& comm, const SpectralStep& plan) {
    return step(comm, plan);
}
Task start(Comm& comm, const GridPointStep& plan) {
    return step(comm, plan);
}
Task start(Comm& comm, const Gcr& plan) {
    return solve_gcr(comm, plan);
}
Task start(Comm& comm, const RepeatedAllreduce& plan) {
    return allreduce(comm, plan);
}
Task start(Comm& comm, const RepeatedAlltoallv& plan) {
    return alltoallv(comm, plan);
}
Task start(Comm& comm, const RepeatedNeighbor& plan) {
    return exchange_neighbors(comm, plan);
}
Task start(Comm& comm, const Pingpong& plan) {
    return pingpong(comm, plan);
}

void check_ranks(Rank ranks) {
    if (ranks < 1 || ranks > large)
        throw ConfigError(text("ranks = ", ranks, " is not in 1..", large));
}

template <auto read>
Program make(const Settings& settings, Rank ranks) {
    check_ranks(ranks);
    using Plan = decltype(read(settings, ranks));
    const auto plan = std::make_shared<const Plan>(read(settings, ranks));
    return [plan, ranks](Comm& comm) {
        if (comm.size() != ranks) {
            throw ConfigError(text("a program for ", ranks, " ranks was started on ", comm.size()));
        }
        return start(comm, *plan);
    };
}

template <auto read>
Estimate expect(const Settings& settings, Rank ranks) {
    check_ranks(ranks);
    const auto plan = read(settings, ranks);
    if constexpr (requires { estimate(plan, ranks); }) {
        return estimate(plan, ranks);
    } else {
        return estimate(plan);
    }
}

template <auto read>
std::vector<OperationUse> list_uses(const Settings& settings, Rank ranks) {
    check_ranks(ranks);
    const auto plan = read(settings, ranks);
    if constexpr (requires { uses(plan, ranks); }) {
        return uses(plan, ranks);
    } else {
        return {};
    }
}

template <auto read>
std::optional<ProcessGrid> find_processes(const Settings& settings, Rank ranks) {
    check_ranks(ranks);
    const auto plan = read(settings, ranks);
    if constexpr (requires { plan.processes; }) {
        return plan.processes;
    } else {
        return {};
    }
}

template <auto read>
[[nodiscard]] constexpr ProgramEntry entry(std::string_view name, std::string_view summary,
                                           Keys keys) {
    return {name, summary, keys, make<read>, expect<read>, list_uses<read>, find_processes<read>};
}

constexpr ProgramEntry table[] = {
    entry<read_transposition>("transposition",
                              "three alltoallv stages from grid space to spectral space",
                              transposition_keys),
    entry<read_halo>("halo", "wide halo exchange in two sweeps, corners included", halo_keys),
    entry<read_gcr>("gcr", "the two allreduces per iteration of the solver GCR(k)", gcr_keys),
    entry<read_repeated_allreduce>("allreduce", "repeated sum of a vector of doubles",
                                   allreduce_keys),
    entry<read_repeated_alltoallv>("alltoallv", "repeated exchange of equal blocks among all ranks",
                                   alltoallv_keys),
    entry<read_repeated_neighbor>(
        "neighbor", "repeated messages to the neighbours in a grid of ranks", neighbor_keys),
    entry<read_pingpong>("pingpong", "messages to and fro between the first and the last rank",
                         pingpong_keys),
    entry<read_semi_lagrangian_halo>(
        "semi_lagrangian_halo", "halo as wide as the largest wind, or only what the wind needs",
        semi_lagrangian_halo_keys),
    entry<read_spectral_step>("spectral_step", "a time step of a spectral model: halo, transforms",
                              spectral_step_keys),
    entry<read_grid_point_step>("grid_point_step",
                                "a time step of a grid-point model: halo, solver GCR(k)",
                                grid_point_step_keys),
};

}  // namespace

std::span<const ProgramEntry> programs() {
    return table;
}

const ProgramEntry& program(std::string_view name) {
    const auto found = std::ranges::find(table, name, &ProgramEntry::name);
    if (found != std::end(table)) return *found;
    std::vector<std::string_view> names;
    for (const ProgramEntry& known : table) names.push_back(known.name);
    throw ConfigError(text("unknown program \"", name, "\"; known are: ", listed(names)));
}

std::vector<std::string> tuning_remarks(std::string_view name, const Settings& settings,
                                        Rank ranks) {
    const auto tuning = read_tuning(settings);
    if (!tuning) return {};
    return tradewind::tuning_remarks(*tuning, program(name).operations(settings, ranks));
}

Program make_program(std::string_view name, const Settings& settings, Rank ranks) {
    return program(name).make(settings, ranks);
}

Estimate estimate(std::string_view name, const Settings& settings, Rank ranks) {
    return program(name).estimate(settings, ranks);
}

}  // namespace tradewind::skeleton
