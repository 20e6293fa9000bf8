/// A program that its user describes as phases, each of which is another program.
///
/// A phase runs on all ranks, or in each row, column or node by itself:
///
///     [[program.phase]]         "phase[0].kind" = "halo", "phase[0].width" = 2, ...
///     kind = "halo"             runs on all ranks
///     [[program.phase]]
///     kind = "allreduce"
///     over = "rows"             the cx ranks of each row of the process grid

#include "tradewind/base/settings_text.hpp"
#include "tradewind/comm/sub_comm.hpp"
#include "tradewind/program/pattern.hpp"
#include "tradewind/skeleton/read_plan.hpp"

namespace tradewind::skeleton {

extern const ProgramEntry transposition_entry;
extern const ProgramEntry halo_entry;
extern const ProgramEntry gcr_entry;
extern const ProgramEntry allreduce_entry;
extern const ProgramEntry alltoallv_entry;
extern const ProgramEntry neighbor_entry;
extern const ProgramEntry pingpong_entry;
extern const ProgramEntry compute_entry;
extern const ProgramEntry graph_entry;
extern const ProgramEntry semi_lagrangian_halo_entry;
extern const ProgramEntry spectral_step_entry;
extern const ProgramEntry grid_point_step_entry;

namespace {

constexpr const ProgramEntry* kinds[] = {&transposition_entry, &halo_entry,
                                         &gcr_entry,           &allreduce_entry,
                                         &alltoallv_entry,     &neighbor_entry,
                                         &pingpong_entry,      &compute_entry,
                                         &graph_entry,         &semi_lagrangian_halo_entry,
                                         &spectral_step_entry, &grid_point_step_entry};

/// The ranks that a phase runs on together.
enum class Over : std::uint8_t { all, rows, columns, nodes };

constexpr auto repeat =
    declare::whole("repeat", "runs of all phases, one after the other", 1).within(1, large);
constexpr auto ranks_per_node =
    declare::whole("ranks_per_node",
                   "ranks of a node, for over = \"nodes\"; default: that of the machine")
        .within(1, large);
constexpr auto tuning_of_phases = declare::word(
    "tuning",
    "file of `tradewind tune` for the phases that name no algorithm; none: their defaults");
constexpr auto kind = declare::word("kind", "program that is the phase").required();
constexpr auto phase_name = declare::word(
    "name", "name of the phase in results; default: its kind, with a number if taken");
constexpr auto over = declare::one_of<Over>(
    "over", "ranks that the phase runs on: all, or each row, column or node by itself",
    {{"all", Over::all}, {"rows", Over::rows}, {"columns", Over::columns}, {"nodes", Over::nodes}});

constexpr const Declaration* settings_of_phases[] = {&repeat, &shared::processes, &ranks_per_node,
                                                     &tuning_of_phases};
constexpr const Declaration* settings_of_phase[] = {&kind, &phase_name, &over};

/// A phase: the same program in groups of equal size, and in a smaller last one.
struct Phase {
    std::string name;
    const ProgramEntry* entry = nullptr;
    Settings settings;
    Over over = Over::all;
    /// The number of ranks of a group, and of the last one if it has fewer ranks; else 0.
    Rank group = 1;
    Rank rest = 0;
    Program run;
    Program run_rest;
};

struct Phases {
    ProcessGrid processes;
    std::int64_t repeat = 1;
    std::optional<Tuning> tuning;
    std::vector<Phase> all;
};

[[nodiscard]] const ProgramEntry& find_kind(const std::string& name) {
    std::string known;
    for (const ProgramEntry* const entry : kinds) {
        if (entry->name == name) return *entry;
        known += text(known.empty() ? "" : ", ", entry->name);
    }
    throw ConfigError(text("kind = \"", name, "\" is unknown; known are: ", known));
}

[[nodiscard]] std::string prefix(std::size_t index) {
    return text("phase[", index, "].");
}

/// Splits settings into those of the whole and those of each phase.
[[nodiscard]] std::vector<Settings> split_phases(const Settings& settings, Settings& whole) {
    std::vector<Settings> phases;
    for (const auto& [key, value] : settings.values()) {
        const auto end = key.find("].");
        std::size_t index = 0;
        if (!key.starts_with("phase[") || end == std::string::npos) {
            whole.set(key, value);
        } else if (read_number(std::string_view(key).substr(6, end - 6), index) && index < 4096) {
            if (index >= phases.size()) phases.resize(index + 1);
            phases[index].set(key.substr(end + 2), value);
        } else {
            throw ConfigError(text(key, ": a phase has a number below 4096"));
        }
    }
    return phases;
}

[[nodiscard]] Rank group_size(Over which, const ProcessGrid& grid, Rank per_node, Rank ranks) {
    switch (which) {
        case Over::all:
            return ranks;
        case Over::rows:
            return grid.cx;
        case Over::columns:
            return grid.cy;
        case Over::nodes:
            return std::min(per_node, ranks);
    }
    return ranks;
}

/// Reads what a phase and its program have in common, and takes it out of `own`.
[[nodiscard]] Phase read_common(Settings& own, const std::vector<Phase>& earlier) {
    const auto is_taken = [&](const std::string& name) {
        return std::ranges::find(earlier, name, &Phase::name) != earlier.end();
    };
    Phase phase;
    phase.entry = &find_kind(kind.of(own));
    phase.over = over.of(own);
    const std::string standard(phase.entry->name);
    phase.name = phase_name.of(own, standard);
    if (own.has("name") && is_taken(phase.name))
        throw ConfigError(text("name = \"", phase.name, "\" is that of an earlier phase"));
    for (int number = 2; is_taken(phase.name); ++number) phase.name = text(standard, ' ', number);
    own = own.without({"kind", "name", "over"});
    return phase;
}

/// Leaves the algorithm of a phase to the tuning of the program, if it names none and its operation
/// was tuned.
void take_tuning(const Settings& whole, const Phases& plan, const ProgramEntry& entry,
                 Settings& own) {
    const auto is_of_operation = [&](const TunedCase& one) {
        return one.operation == entry.operation;
    };
    if (!plan.tuning || own.has("algorithm")) return;
    if (std::ranges::none_of(plan.tuning->cases(), is_of_operation)) return;
    own.set("algorithm", std::string(tuned));
    own.set("tuning", tuning_of_phases.of(whole));
}

[[nodiscard]] Phase read_phase(Settings own, const Settings& whole, const Phases& plan,
                               Rank ranks) {
    Phase phase = read_common(own, plan.all);
    if (phase.over == Over::nodes && !whole.has("ranks_per_node"))
        throw ConfigError("over = \"nodes\" needs ranks_per_node of the program");
    const Rank per_node = ranks_per_node.of(whole, ranks);
    const bool inherits = phase.over == Over::all && whole.has("processes") &&
                          phase.entry->declares("processes") && !own.has("processes");
    if (inherits) own.set("processes", shared::processes.of(whole));
    take_tuning(whole, plan, *phase.entry, own);
    phase.group = group_size(phase.over, plan.processes, per_node, ranks);
    phase.rest = ranks % phase.group;
    phase.run = phase.entry->make(own, phase.group);
    if (phase.rest > 0) phase.run_rest = phase.entry->make(own, phase.rest);
    phase.settings = std::move(own);
    return phase;
}

/// Returns the process grid of the first phase on all ranks that chooses its own by what is sent.
[[nodiscard]] std::optional<ProcessGrid> grid_of_halos(const std::vector<Settings>& given,
                                                       Rank ranks) {
    for (const Settings& one : given) {
        Settings own = one;
        const Phase phase = read_common(own, {});
        if (phase.over != Over::all || !phase.entry->declares("process_grid")) continue;
        if (!own.has("processes")) return phase.entry->processes(own, ranks);
    }
    return std::nullopt;
}

[[nodiscard]] Phases read_all(const Settings& settings, const Settings& whole,
                              const std::vector<Settings>& given, Rank ranks) {
    Phases plan;
    plan.processes = read_processes(whole, ranks, {{"ranks", ranks}, {"ranks", ranks}});
    plan.repeat = repeat.of(settings);
    if (whole.has("tuning")) plan.tuning = need_tuning(whole);
    for (std::size_t i = 0; i < given.size(); ++i) {
        Settings own = given[i];
        const auto reads = std::make_shared<Settings::Reads>();
        own.record(reads);
        try {
            plan.all.push_back(read_phase(own, whole, plan, ranks));
        } catch (const ConfigError& error) {
            throw ConfigError(text("phase[", i, "]: ", error.what()));
        }
        for (const auto& [key, value] : *reads)
            settings.note(prefix(i) + key, [&] { return value; });
    }
    return plan;
}

/// Reads the phases on the process grid that the halos choose; nothing if there is none, or if it
/// does not suit a phase.
[[nodiscard]] std::optional<Phases> read_by_halos(const Settings& settings, Settings whole,
                                                  const std::vector<Settings>& given, Rank ranks) {
    try {
        const auto grid = grid_of_halos(given, ranks);
        if (!grid) return std::nullopt;
        whole.set("processes", std::vector<std::int64_t>{grid->cx, grid->cy});
        return read_all(settings, whole, given, ranks);
    } catch (const ConfigError&) {
        return std::nullopt;
    }
}

Phases read(const Settings& settings, Rank ranks) {
    Settings whole;
    const std::vector<Settings> given = split_phases(settings, whole);
    refuse_unknown("phases", whole, {settings_of_phases});
    if (!whole.has("processes")) {
        if (auto plan = read_by_halos(settings, whole, given, ranks)) return std::move(*plan);
    }
    return read_all(settings, whole, given, ranks);
}

/// Returns the group of the caller in which a phase runs. Its phases do not show.
[[nodiscard]] std::unique_ptr<SubComm> group_of(Comm& comm, const Phase& phase) {
    const Rank me = comm.rank();
    const bool in_columns = phase.over == Over::columns;
    const Rank stride = in_columns ? comm.size() / phase.group : 1;
    const Rank first = in_columns ? me % stride : me / phase.group * phase.group;
    const Rank count = in_columns ? phase.group : std::min(phase.group, comm.size() - first);
    auto group = std::make_unique<SubComm>(comm, first, stride, count);
    group->keep_phase();
    return group;
}

Task start(Comm& comm, const Phases& plan) {
    std::vector<std::unique_ptr<SubComm>> groups;
    groups.reserve(plan.all.size());
    for (const Phase& phase : plan.all) groups.push_back(group_of(comm, phase));
    for (std::int64_t i = 0; i < plan.repeat; ++i) {
        for (std::size_t n = 0; n < plan.all.size(); ++n) {
            const Phase& phase = plan.all[n];
            const bool is_whole = groups[n]->size() == phase.group;
            const Program& run = is_whole ? phase.run : phase.run_rest;
            comm.begin_phase(phase.name.c_str());
            co_await run(*groups[n]);
        }
    }
}

[[nodiscard]] Estimate estimate(const Phases& plan, Rank ranks) {
    Estimate sum;
    for (const Phase& phase : plan.all) {
        const Rank groups = ranks / phase.group;
        sum += double(groups) * phase.entry->estimate(phase.settings, phase.group);
        if (phase.rest > 0) sum += phase.entry->estimate(phase.settings, phase.rest);
    }
    return double(plan.repeat) * sum;
}

/// Lists the operations of all phases; those of a smaller last group are not listed.
[[nodiscard]] std::vector<OperationUse> uses(const Phases& plan, Rank /*ranks*/) {
    std::vector<OperationUse> all;
    for (std::size_t i = 0; i < plan.all.size(); ++i) {
        const Phase& phase = plan.all[i];
        for (OperationUse use : phase.entry->operations(phase.settings, phase.group)) {
            use.phase = std::int64_t(i);
            all.push_back(std::move(use));
        }
    }
    return all;
}

[[nodiscard]] std::vector<PhaseOutline> outline(const Settings& settings, Rank ranks) {
    check_ranks("phases", ranks);
    std::vector<PhaseOutline> all;
    for (const Phase& phase : read(settings, ranks).all)
        all.push_back({phase.name, phase.entry, phase.settings, phase.group});
    return all;
}

[[nodiscard]] constexpr ProgramEntry make_entry() {
    ProgramEntry entry = pattern_entry<read, start, uses>(
        "phases", "phases that the experiment describes, each a program", settings_of_phases);
    entry.kinds = kinds;
    entry.phase_settings = settings_of_phase;
    entry.phases = outline;
    return entry;
}

}  // namespace

extern const ProgramEntry phases_entry;
constinit const ProgramEntry phases_entry = make_entry();

}  // namespace tradewind::skeleton
