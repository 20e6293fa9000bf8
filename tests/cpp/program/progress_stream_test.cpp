/// ProgressStream: the lines and files that report a run to another process.
#include "tradewind/program/progress_stream.hpp"

#include <cmath>
#include <fstream>
#include <sstream>

#include "support/folder.hpp"
#include "testing.hpp"
#include "tradewind/catalogue/programs.hpp"
#include "tradewind/program/checkpoint.hpp"
#include "tradewind/simcomm/virtual_ranks.hpp"

using namespace tradewind;

namespace {

namespace fs = std::filesystem;

/// Keeps the outputs of a run.
class Recorder final : public RunObserver {
public:
    void stepped(std::int64_t step) override { steps.push_back(step); }
    void observed(const ModelOutput& output) override {
        outputs.push_back(output);
        fields.emplace_back();
        for (const auto values : output.fields)
            fields.back().insert(fields.back().end(), values.begin(), values.end());
    }

    std::vector<std::int64_t> steps;
    std::vector<ModelOutput> outputs;
    std::vector<std::vector<double>> fields;
};

Settings short_case() {
    return Settings({{"case", std::int64_t{4}},
                     {"truncation", std::int64_t{21}},
                     {"time_step", 1800 * picoseconds_per_second},
                     {"steps", std::int64_t{2}},
                     {"levels", std::int64_t{2}}});
}

void run(const ModelRun& planned, RunObserver& observer) {
    const Checkpoints none;
    simcomm::run_virtual(1, [&](Comm& comm) { return planned.run(comm, observer, none); });
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
    if (at == std::string::npos) return std::nan("");
    return std::stod(line.substr(at + key.size() + 4));
}

}  // namespace

TEST_CASE("files and lines hold the fields and numbers of a run to the last bit") {
    const support::Folder folder;
    const auto planned = find_program("pstswm").plan(short_case(), 1);
    Recorder expected;
    run(*planned, expected);
    std::ostringstream out;
    ProgressStream stream(planned->outline(), folder.path(), out);
    run(*planned, stream);

    CHECK(numbers_of(folder.path() / "step-2.bin") == expected.fields.back());
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
    for (const Number& number : expected.outputs.back().numbers) {
        if (number.name.find('.') == std::string::npos)
            CHECK_EQ(value_of(end, number.name), std::get<double>(number.value));
    }
    CHECK(end.find(R"("depth_error": {"l1": )") != std::string::npos);
}

TEST_CASE("a folder that cannot be written to is an error that names the step") {
    const support::Folder folder;
    const Outline outline;
    std::ostringstream out;
    ProgressStream stream(outline, folder.path() / "missing", out);
    CHECK_THROWS_AS(stream.observed(ModelOutput{}), Error);
    CHECK(out.str().empty());
}

TEST_CASE("numbers nest at dots, and those that are not finite have names that JSON readers know") {
    const std::vector<Number> numbers = {{"mean", "", "1", std::nan("")},
                                         {"error.l1", "", "1", 0.5},
                                         {"error.l2", "", "1", HUGE_VAL},
                                         {"count", "", "1", std::int64_t{3}},
                                         {"list", "", "1", std::vector<double>{1.5, 2.0}}};
    CHECK_EQ(json(numbers), R"({"mean": NaN, "error": {"l1": 0.5, "l2": Infinity}, "count": 3, )"
                            R"("list": [1.5, 2]})");
    CHECK_EQ(json(std::span(numbers).subspan(1, 2)), R"({"error": {"l1": 0.5, "l2": Infinity}})");
    CHECK_EQ(json_about(std::span(numbers).first(1)),
             R"([{"name": "mean", "meaning": "", "unit": "1", "is_headline": true}])");
}
