/// The table of programs.
#include "tradewind/catalogue/programs.hpp"

#include <algorithm>
#include <iterator>

#include "tradewind/comm/tuning/read_algorithm.hpp"
#include "tradewind/program/checkpoint.hpp"
#include "tradewind/program/model_run.hpp"

#define PROGRAM(space, entry)        \
    namespace tradewind::space {     \
    extern const ProgramEntry entry; \
    }
#include "tradewind/catalogue/programs.def"
#undef PROGRAM

namespace tradewind {

namespace {

#define PROGRAM(space, entry) &space::entry,
constexpr const ProgramEntry* table[] = {
#include "tradewind/catalogue/programs.def"
};
#undef PROGRAM

[[nodiscard]] bool asks_for_tuning(const Settings& settings) {
    return std::ranges::any_of(settings.values(), [](const auto& entry) {
        const auto* const word = std::get_if<std::string>(&entry.second);
        return word != nullptr && *word == tuned;
    });
}

/// Ignores what a run shows.
class NoObserver final : public RunObserver {
public:
    void stepped(std::int64_t /*step*/) override {}
    void observed(const ModelOutput& /*output*/) override {}
};

Task run_unobserved(Comm& comm, const ModelRun& planned) {
    const Checkpoints none;
    NoObserver observer;
    co_await planned.run(comm, observer, none);
}

}  // namespace

std::span<const ProgramEntry* const> programs() {
    return table;
}

const ProgramEntry& find_program(std::string_view name) {
    std::string known;
    for (const ProgramEntry* const program : table) {
        if (program->name == name) return *program;
        known += text(known.empty() ? "" : ", ", program->name);
    }
    throw ConfigError(text("unknown program \"", name, "\"; known are: ", known));
}

std::vector<Way> model_ways() {
    std::vector<Way> all;
    for (const ProgramEntry* const program : table)
        if (program->ways != nullptr) std::ranges::copy(program->ways(), std::back_inserter(all));
    return all;
}

std::vector<std::string> tuning_remarks(const ProgramEntry& program, const Settings& settings,
                                        Rank ranks) {
    if (program.phases != nullptr) {
        std::vector<std::string> all;
        for (const PhaseOutline& phase : program.phases(settings, ranks))
            for (std::string& remark : tuning_remarks(*phase.entry, phase.settings, phase.ranks))
                if (std::ranges::find(all, remark) == all.end()) all.push_back(std::move(remark));
        return all;
    }
    if (!asks_for_tuning(settings)) return {};
    return tuning_remarks(need_tuning(settings), program.operations(settings, ranks));
}

bool times_data(const ProgramEntry& program) noexcept {
    return program.plan != nullptr && program.is_timed_with_data;
}

Program make_timed(const ProgramEntry& program, const Settings& settings, Rank ranks) {
    if (!times_data(program)) return program.make(settings, ranks);
    Settings timed = settings;
    if (!timed.has("days") && !timed.has("steps") && program.declares("steps"))
        timed.set("steps", std::int64_t{1});
    const std::shared_ptr<const ModelRun> planned = program.plan(timed, ranks);
    return [planned](Comm& comm) { return run_unobserved(comm, *planned); };
}

}  // namespace tradewind
