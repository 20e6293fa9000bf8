/// Stream: the lines and files by which another process follows a run.
#include "tradewind/models/pstswm/stream.hpp"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "models/model_runs.hpp"
#include "testing.hpp"

using namespace tradewind;
using namespace tradewind::pstswm;

namespace {

namespace fs = std::filesystem;

/// A temporary folder, which is removed at the end.
class Folder {
public:
    Folder() : path_(fs::temp_directory_path() / text("tradewind-stream-", ::getpid())) {
        fs::create_directories(path_);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { fs::remove_all(path_); }
    [[nodiscard]] const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

Settings short_case() {
    Settings settings = case_settings(4, 0.0, 1800, 21);
    settings.set("steps", std::int64_t{2});
    settings.set("levels", std::int64_t{2});
    return settings;
}

std::vector<double> numbers_of(const fs::path& file) {
    std::vector<double> numbers(fs::file_size(file) / sizeof(double));
    std::ifstream(file, std::ios::binary)
        .read(reinterpret_cast<char*>(numbers.data()),
              std::streamsize(numbers.size() * sizeof(double)));
    return numbers;
}

/// Returns the number after `"key": ` in a line.
double value_of(const std::string& line, const std::string& key) {
    const auto at = line.find(text('"', key, "\": "));
    if (at == std::string::npos) return std::numeric_limits<double>::quiet_NaN();
    return std::stod(line.substr(at + key.size() + 4));
}

}  // namespace

TEST_CASE("files and lines hold the fields and diagnostics of a run to the last bit") {
    const Folder folder;
    const ModelRun expected = run_on_mesh(short_case());
    std::ostringstream out;
    Stream stream(expected.plan, folder.path(), out);
    simcomm::run_virtual(1, [&](Comm& comm) { return run_model(comm, expected.plan, stream); });

    const Snapshot& last = expected.snapshots.back();
    std::vector<double> all;
    for (const auto& [name, values] : snapshot_fields())
        all.insert(all.end(), (last.*values).begin(), (last.*values).end());
    CHECK(numbers_of(folder.path() / "step-2.bin") == all);
    CHECK(fs::exists(folder.path() / "step-0.bin"));
    CHECK_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 2);

    std::istringstream lines(out.str());
    std::string line;
    std::string end;
    int observed = 0;
    while (std::getline(lines, line)) {
        CHECK(line.front() == '{' && line.back() == '}');
        if (!line.starts_with(R"({"observed")")) continue;
        ++observed;
        end = line;
    }
    CHECK_EQ(observed, 2);
    CHECK(out.str().find(R"({"stepped": 2})") != std::string::npos);
    CHECK(end.find(R"("file": "step-2.bin")") != std::string::npos);
    CHECK_EQ(value_of(end, "time_s"), 3600.0);
    for (const auto& [name, value] : diagnostic_numbers())
        CHECK_EQ(value_of(end, std::string(name)), expected.last().*value);
    CHECK_EQ(value_of(end, "l1"), expected.last().depth.l1);
}

TEST_CASE("a folder that cannot be written to is told with the step") {
    const Folder folder;
    const Plan plan = make_plan(short_case(), 1);
    std::ostringstream out;
    Stream stream(plan, folder.path() / "missing", out);
    CHECK_THROWS_AS(stream.observed(Snapshot{}), Error);
    CHECK(out.str().empty());
}

TEST_CASE("numbers that are not finite have the names that readers of JSON know") {
    const Folder folder;
    const ModelRun run = run_on_mesh(short_case());
    std::ostringstream out;
    Stream stream(run.plan, folder.path(), out);
    Snapshot broken = run.snapshots.back();
    broken.east_wind[0] = std::nan("");
    stream.observed(broken);
    CHECK(out.str().find(R"("energy_m3_s2": NaN)") != std::string::npos);
}
