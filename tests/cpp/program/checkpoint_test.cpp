/// Checkpoints: every model that can restart goes on bit by bit, and refuses what is not its own.
#include "tradewind/program/checkpoint.hpp"

#include <fstream>

#include "support/folder.hpp"
#include "support/small_settings.hpp"
#include "testing.hpp"
#include "tradewind/catalogue/programs.hpp"
#include "tradewind/program/model_run.hpp"
#include "tradewind/simcomm/virtual_ranks.hpp"

using namespace tradewind;

namespace {

namespace fs = std::filesystem;

/// Keeps the fields and numbers of the last output.
class Last final : public RunObserver {
public:
    void stepped(std::int64_t /*step*/) override { ++steps; }
    void observed(const ModelOutput& output) override {
        numbers = output.numbers;
        fields.clear();
        for (const auto values : output.fields)
            fields.insert(fields.end(), values.begin(), values.end());
    }

    int steps = 0;
    std::vector<Number> numbers;
    std::vector<double> fields;
};

/// Returns settings of a short run of any model that can restart.
std::vector<Settings> runs_of(const ProgramEntry& model) {
    Settings settings = small_settings(model);
    settings.set("steps", std::int64_t{6});
    if (model.declares("grid")) settings.set("grid", std::vector<std::int64_t>{24, 12, 4});
    if (model.declares("mesh")) {
        settings.set("wind", std::string("uniform"));
        settings.set("wind_speed_m_s", 12.0);
    }
    if (!model.declares("truncation")) return {settings};
    settings.set("truncation", std::int64_t{10});
    settings.set("case", std::int64_t{6});
    settings.set("asselin", 0.05);
    settings.set("diffusion_m4_s", 1e17);
    Settings more = settings;
    more.set("messages", std::string("pstswm_fields"));
    more.set("method", std::string("DTH"));
    return {settings, more};
}

Last run(const ProgramEntry& model, const Settings& settings, Rank ranks,
         const Checkpoints& checkpoints) {
    const auto planned = model.plan(settings, ranks);
    Last last;
    simcomm::run_virtual(ranks, [&](Comm& comm) { return planned->run(comm, last, checkpoints); });
    return last;
}

Checkpoints writing(const ProgramEntry& model, const Settings& settings, const fs::path& file) {
    return {identity_of(model.name, "1", settings), 2, file, ""};
}

Checkpoints restarting(const ProgramEntry& model, const Settings& settings, const fs::path& file,
                       std::string_view version = "1") {
    return {identity_of(model.name, version, settings), 0, "", file};
}

bool equal(const Last& one, const Last& other) {
    if (one.fields != other.fields || one.numbers.size() != other.numbers.size()) return false;
    for (std::size_t i = 0; i < one.numbers.size(); ++i)
        if (one.numbers[i].value != other.numbers[i].value) return false;
    return true;
}

void flip_last_bit(const fs::path& file) {
    std::fstream change(file, std::ios::in | std::ios::out | std::ios::binary);
    change.seekg(-8, std::ios::end);
    const int byte = change.get();
    change.seekp(-8, std::ios::end);
    change.put(char(byte ^ 1));
}

std::string complaint(const ProgramEntry& model, const Settings& settings, Rank ranks,
                      const Checkpoints& checkpoints) {
    try {
        run(model, settings, ranks, checkpoints);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "no error";
}

bool says(const std::string& words, std::string_view part) {
    return words.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("every model that can restart goes on bit by bit from a checkpoint") {
    int models = 0;
    for (const ProgramEntry* const model : programs()) {
        if (!model->can_restart) continue;
        ++models;
        for (const Settings& settings : runs_of(*model)) {
            for (const Rank ranks : {1, 4}) {
                CAPTURE(model->name, ranks);
                const support::Folder folder;
                const fs::path file = folder.path() / "checkpoint";
                const Last whole = run(*model, settings, ranks, {});
                Settings half = settings;
                half.set("steps", std::int64_t{4});
                (void)run(*model, half, ranks, writing(*model, half, file));
                const Last rest = run(*model, settings, ranks, restarting(*model, settings, file));
                CHECK_EQ(rest.steps, 2);
                CHECK(equal(whole, rest));
                CHECK(whole.fields.size() > 50);
            }
        }
    }
    CHECK(models >= 2);
}

TEST_CASE("a checkpoint of another run, version or number of ranks is refused with the reason") {
    for (const ProgramEntry* const model : programs()) {
        if (!model->can_restart) continue;
        CAPTURE(model->name);
        const support::Folder folder;
        const fs::path file = folder.path() / "checkpoint";
        const Settings settings = runs_of(*model).front();
        (void)run(*model, settings, 2, writing(*model, settings, file));
        if (model->declares("time_step")) {
            Settings other = settings;
            other.set("time_step", 900 * picoseconds_per_second);
            CHECK(says(complaint(*model, other, 2, restarting(*model, other, file)),
                       "its time_step is not given, that of this run is 900 s"));
        }
        CHECK(says(complaint(*model, settings, 2, restarting(*model, settings, file, "2")),
                   "its version is 1, that of this run 2"));
        CHECK(says(complaint(*model, settings, 4, restarting(*model, settings, file)),
                   "holds the parts of 2 ranks, not of 4"));
        CHECK(says(
            complaint(*model, settings, 2, restarting(*model, settings, folder.path() / "none")),
            "no such checkpoint"));
        flip_last_bit(file);
        CHECK(
            says(complaint(*model, settings, 2, restarting(*model, settings, file)), "is damaged"));
        fs::resize_file(file, fs::file_size(file) - 8);
        CHECK(says(complaint(*model, settings, 2, restarting(*model, settings, file)),
                   "is not complete"));
        std::ofstream(file) << "something else\n";
        CHECK(says(complaint(*model, settings, 2, restarting(*model, settings, file)),
                   "is not a checkpoint"));
    }
}

TEST_CASE("a checkpoint that cannot be written ends the run on all ranks") {
    const ProgramEntry& model = find_program("semi_lagrangian");
    const Settings settings = runs_of(model).front();
    const support::Folder folder;
    const Checkpoints checkpoints =
        writing(model, settings, folder.path() / "missing" / "checkpoint");
    CHECK_THROWS_AS(run(model, settings, 4, checkpoints), Error);
}

TEST_CASE(
    "a setting of several lines is one line of a checkpoint, also where a file hands it over") {
    const support::Folder folder;
    const std::string lines = "0 128 18 950 60\n6 127 19 950 60\n";
    const fs::path table = folder.path() / "track.table";
    std::ofstream(table) << lines;
    const auto identity = [](const std::string& track) {
        Settings settings;
        settings.set("track", track);
        return identity_of("any", "1", settings);
    };
    CHECK(identity(lines) == identity(table.string()));
    CHECK(identity(lines).back().second.find('\n') == std::string::npos);
    CHECK(identity(lines) != identity("0 128 18 950 60\n"));
    CHECK(identity("/elsewhere/mesh.nc#sha256=12") == identity("/here/mesh.nc#sha256=12"));
    CHECK(identity("/elsewhere/mesh.nc#sha256=12") != identity("/elsewhere/mesh.nc#sha256=13"));
}
