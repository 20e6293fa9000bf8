/// The replay of a recorded program as a program of the catalogue.
#include "tradewind/base/data_file.hpp"
#include "tradewind/base/settings_text.hpp"
#include "tradewind/program/pattern.hpp"
#include "tradewind/trace/replay_plan.hpp"
#include "tradewind/trace/site_operations.hpp"
#include "tradewind/trace/usage.hpp"

namespace tradewind::trace {

namespace {

constexpr auto trace_file =
    declare::file("trace", "recording of `tradewind record`, or another trace that it can read")
        .required();
constexpr auto computation = declare::one_of<ComputationTime>(
    "computation", "time between calls: by processor time, by wall clock, or none",
    {{"processor", ComputationTime::processor},
     {"wall", ComputationTime::wall},
     {"none", ComputationTime::left_out}});
constexpr auto phases = declare::one_of<ReplayPhases>(
    "phases", "phases of results: as the program marks them, by call, or by call and call site",
    {{"regions", ReplayPhases::regions},
     {"calls", ReplayPhases::calls},
     {"sites", ReplayPhases::sites}});
constexpr auto slowdown =
    declare::real("slowdown", "factor of the times of computation", 1.0).within(0.0, 1e9);

constexpr auto recorded_flops = declare::flop_rate(
    "recorded_flops",
    "rate of the node where it was recorded, for which machine.node.flops of a "
    "machine file stands; none: times of computation are those of the recording");

/// Declares the algorithm of a collective operation.
[[nodiscard]] constexpr auto algorithm_of(const Operation& operation, std::string_view meaning) {
    return declare::word(operation.name, meaning, operation.default_algorithm);
}

constexpr auto barrier =
    algorithm_of(barrier_operation, "algorithm of barriers, as NAME:KEY=VALUE,...");
constexpr auto bcast =
    algorithm_of(bcast_operation, "algorithm of broadcasts, as NAME:KEY=VALUE,...");
constexpr auto reduce =
    algorithm_of(reduce_operation, "algorithm of reduces, as NAME:KEY=VALUE,...");
constexpr auto gather =
    algorithm_of(gather_operation, "algorithm of gathers of equal blocks, as NAME:KEY=VALUE,...");
constexpr auto scatter =
    algorithm_of(scatter_operation, "algorithm of scatters of equal blocks, as NAME:KEY=VALUE,...");
constexpr auto scan =
    algorithm_of(scan_operation, "algorithm of scans and exclusive scans, as NAME:KEY=VALUE,...");
constexpr auto reduce_scatter =
    algorithm_of(reduce_scatter_operation, "algorithm of reduce-scatters, as NAME:KEY=VALUE,...");
constexpr auto allreduce =
    algorithm_of(allreduce_operation, "algorithm of allreduces, as NAME:KEY=VALUE,...");
constexpr auto allgather = algorithm_of(
    allgather_operation, "algorithm of allgathers and allgathervs, as NAME:KEY=VALUE,...");
constexpr auto alltoallv = algorithm_of(
    alltoallv_operation, "algorithm of alltoalls and alltoallvs, as NAME:KEY=VALUE,...");
constexpr auto neighbor = algorithm_of(
    neighbor_operation, "algorithm of neighbourhood collectives, as NAME:KEY=VALUE,...");

constexpr auto sites = declare::word(
    "sites", "algorithms of single call sites, as SITE OPERATION=ALGORITHM; ...; none: as all");

// The trace that the core gets has been changed already.
constexpr auto aggregate = declare::truth(
    "aggregate", "messages to one rank that are started together are sent as one", false);

constexpr auto library = declare::one_of<ChoiceRules>(
    "library", "MPI library whose rules choose the algorithms of collectives that have the default",
    {{"none", ChoiceRules::none},
     {"mpich", ChoiceRules::mpich},
     {"openmpi", ChoiceRules::openmpi}});
constexpr auto processes = declare::whole_list(
    "processes", "process grid of a pattern, two or three extents; none: that of its rule", 2, 3);

// The trace that the core gets is that of this size already.
constexpr auto problem_size = declare::word(
    "problem_size", "sizes of the problem of a pattern, as NAME=NUMBER,...; none: its own");

// The trace that the core gets has the neighbours of this graph already.
constexpr auto graph = declare::file("graph",
                                     "edge list or METIS graph with the neighbours that a pattern "
                                     "calls; none: it has no such calls");
constexpr auto partition_file = declare::word(
    "partition_file", "file with the rank of each vertex of that graph; none: an edge list");

constexpr const Declaration* settings_of_trace[] = {
    &trace_file,   &computation, &slowdown,       &recorded_flops,
    &phases,       &barrier,     &bcast,          &reduce,
    &gather,       &scatter,     &scan,           &reduce_scatter,
    &allreduce,    &allgather,   &alltoallv,      &neighbor,
    &sites,        &aggregate,   &library,        &processes,
    &problem_size, &graph,       &partition_file, &algorithm_settings::tuning};

/// Calls `visit` with the declaration, the table and the choice of each operation.
template <class Visit>
void for_each_operation(ReplayChoices& choices, Visit visit) {
    visit(barrier, barrier_algorithms(), choices.barrier);
    visit(bcast, bcast_algorithms(), choices.bcast);
    visit(reduce, reduce_algorithms(), choices.reduce);
    visit(gather, gather_algorithms(), choices.gather);
    visit(scatter, scatter_algorithms(), choices.scatter);
    visit(scan, scan_algorithms(), choices.scan);
    visit(reduce_scatter, reduce_scatter_algorithms(), choices.reduce_scatter);
    visit(allreduce, allreduce_algorithms(), choices.allreduce);
    visit(allgather, allgather_algorithms(), choices.allgather);
    visit(alltoallv, alltoallv_algorithms(), choices.alltoallv);
    visit(neighbor, neighbor_algorithms(), choices.neighbor);
}

/// Returns the choice that the setting `key` makes for an operation; errors begin with the setting.
template <class Table>
[[nodiscard]] auto choose_by(std::string_view key, const Table& table, std::string_view operation,
                             std::string_view words) {
    try {
        return choose(table, operation, words);
    } catch (const ConfigError& error) {
        const std::string_view said = error.what();
        if (said.starts_with(text(key, ": "))) throw;
        throw ConfigError(text(key, ": ", said));
    }
}

/// Reads the choices of all operations that are not tuned.
void read_choices(const Settings& settings, ReplayChoices& choices) {
    for_each_operation(choices, [&](const auto& declared, auto table, auto& choice) {
        const std::string words = declared.of(settings);
        if (words != tuned) choice = choose_by(declared.key, table, declared.key, words);
    });
}

/// Takes the choices of a tuning for the operations that are tuned: each group of calls gets that
/// for its own ranks and bytes.
void read_tuned(const Settings& settings, ReplayPlan& plan) {
    const auto is_tuned = [&](const auto& declared) { return declared.of(settings) == tuned; };
    if (!is_tuned(allreduce) && !is_tuned(alltoallv) && !is_tuned(neighbor)) return;
    const Tuning tuning = need_tuning(settings);
    for (const GroupUse& use : groups_of(plan.trace)) {
        const CallGroup& group = use.group;
        ReplayChoices choices = plan.choices.all;
        if (group.operation == allreduce.key && is_tuned(allreduce)) {
            choices.allreduce = tuning.allreduce(group.ranks, use.bytes);
        } else if (group.operation == alltoallv.key && is_tuned(alltoallv)) {
            choices.alltoallv = tuning.alltoallv(group.ranks, use.bytes);
        } else if (group.operation == neighbor.key && is_tuned(neighbor)) {
            choices.neighbor = tuning.neighbor(group.ranks, use.bytes);
        } else {
            continue;
        }
        plan.choices.of_group.emplace(group, choices);
    }
}

/// Takes the algorithms of a library for all operations that have the default one.
void read_library(const Settings& settings, ReplayPlan& plan) {
    plan.rules = library.of(settings);
    if (plan.rules == ChoiceRules::none) return;
    std::vector<ReplayChoices>& by_rule = plan.choices.by_rule;
    for_each_operation(plan.choices.all, [&](const auto& declared, auto, auto&) {
        const std::size_t count = algorithms_by(plan.rules, declared.key).size();
        if (by_rule.size() < count) by_rule.resize(count, plan.choices.all);
    });
    for (std::size_t i = 0; i < by_rule.size(); ++i) {
        for_each_operation(by_rule[i], [&](const auto& declared, auto table, auto& choice) {
            const auto known = algorithms_by(plan.rules, declared.key);
            if (i >= known.size() || declared.of(settings) != declared.of(Settings())) return;
            choice = {};
            if (known[i] != via_root) choice = choose(table, declared.key, known[i]);
        });
    }
}

/// Calls `visit` with the choices of all calls, of each rule and of each group.
template <class Visit>
void for_each_table(ChoiceTable& table, Visit visit) {
    visit(table.all);
    for (ReplayChoices& choices : table.by_rule) visit(choices);
    for (auto& [group, choices] : table.of_group) visit(choices);
}

/// Returns the string of a call site that makes an operation; throws ConfigError if none does.
[[nodiscard]] std::int64_t find_site(std::string_view site, std::string_view operation,
                                     const SiteOperations& known, const ReplayPlan& plan) {
    const auto is_site = [&](const auto& one) {
        return plan.strings[std::size_t(one.first)] == site;
    };
    const auto found = std::ranges::find_if(known, is_site);
    if (found == known.end()) {
        const std::string nearest = nearest_sites(site, known, plan.strings);
        throw ConfigError(
            text("sites: no call of the trace is at \"", site, "\" and has an algorithm; ",
                 nearest.empty() ? "none is at any site" : "the nearest are ", nearest));
    }
    if (!found->second.contains(operation)) {
        std::string made;
        for (const std::string_view one : found->second)
            made += text(made.empty() ? "" : ", ", one);
        throw ConfigError(
            text("sites: \"", site, "\" makes no operation \"", operation, "\"; it makes: ", made));
    }
    return found->first;
}

/// Reads one entry of `sites`, such as "solver.f90:212 allreduce=ring".
void read_site(std::string_view entry, const SiteOperations& known, ReplayPlan& plan) {
    const auto space = entry.rfind(' ', entry.find('='));
    const auto equals = entry.find('=');
    if (space == std::string_view::npos || equals == std::string_view::npos)
        throw ConfigError(text("sites: \"", entry, "\" is not SITE OPERATION=ALGORITHM"));
    const std::string_view site = trimmed(entry.substr(0, space));
    const std::string_view operation = entry.substr(space + 1, equals - space - 1);
    const std::string_view words = trimmed(entry.substr(equals + 1));
    const std::int64_t number = find_site(site, operation, known, plan);
    ChoiceTable& own = plan.choices_at.try_emplace(number, plan.choices).first->second;
    // The other operations at the site keep what the tuning or the library chooses.
    for_each_table(own, [&](ReplayChoices& choices) {
        for_each_operation(choices, [&](const auto& declared, auto table, auto& choice) {
            if (declared.key == operation) choice = choose_by(sites.key, table, operation, words);
        });
    });
}

void read_sites(const Settings& settings, ReplayPlan& plan) {
    const std::string words = sites.of(settings, "");
    if (words.empty()) return;
    const SiteOperations known = operations_at_sites(plan.trace, plan.rules);
    for (std::size_t at = 0; at < words.size();) {
        const std::size_t end = std::min(words.find(';', at), words.size());
        const std::string_view entry = trimmed(std::string_view(words).substr(at, end - at));
        if (!entry.empty()) read_site(entry, known, plan);
        at = end + 1;
    }
}

ReplayPlan read(const Settings& settings, Rank ranks) {
    refuse_unknown("trace", settings, {settings_of_trace});
    auto file = std::make_unique<const FlatFile>(path_of_file(trace_file.of(settings)));
    ReplayPlan plan = plan_replay(file->view());
    plan.file = std::move(file);
    plan.name = name_of_file(trace_file.of(settings));
    if (ranks != plan.ranks())
        throw ConfigError(text("trace: ranks = ", ranks, ", but it holds ", plan.ranks()));
    plan.computation = computation.of(settings);
    plan.slowdown = slowdown.of(settings);
    plan.recorded_flops = recorded_flops.find(settings);
    if (const auto grid = processes.find(settings); grid && grid->size() == 2) {
        plan.processes = ProcessGrid{(*grid)[0], (*grid)[1]};
        if (plan.processes->cx * plan.processes->cy != ranks)
            throw ConfigError(text("processes: the product must be ", ranks, " ranks"));
    }
    read_choices(settings, plan.choices.all);
    read_tuned(settings, plan);
    read_library(settings, plan);
    read_sites(settings, plan);
    name_phases(plan, phases.of(settings));
    return plan;
}

[[nodiscard]] std::vector<OperationUse> uses(const ReplayPlan& plan, Rank /*ranks*/) {
    return operations_of(plan.trace);
}

Task start(Comm& comm, const ReplayPlan& plan) {
    return replay(comm, plan);
}

}  // namespace

Estimate estimate(const ReplayPlan& plan, Rank ranks) {
    return count_messages(ranks, [&](Comm& comm) { return replay(comm, plan); });
}

extern const ProgramEntry entry;
constinit const ProgramEntry entry =
    pattern_entry<read, start, uses>("trace", "the calls of a recorded program", settings_of_trace);

}  // namespace tradewind::trace
