/// Runs every program of the table on MPI and checks that it ends, fails, and says why.
///
///     mismatched LAUNCHER [CASE...]     starts itself by the launcher, once for each case
///     mismatched --run CASE             one rank of a case
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "mismatched_cases.hpp"
#include "tradewind/base/errors.hpp"
#include "tradewind/mpi/runtime.hpp"

using namespace tradewind;

namespace {

const MismatchedProgram& find(const std::string& name) {
    for (const MismatchedProgram& one : mismatched_programs())
        if (one.name == name) return one;
    throw ConfigError(text("there is no case ", name));
}

struct Ended {
    int status;
    std::string printed;
    double seconds;
};

/// Runs a command; `timeout` ends one that hangs with the status 124.
Ended run(const std::string& command) {
    const auto start = std::chrono::steady_clock::now();
    std::FILE* const pipe = popen(("timeout -k 5 25 " + command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) throw Error("popen failed");
    std::string printed;
    std::array<char, 4096> some{};
    while (const std::size_t count = std::fread(some.data(), 1, some.size(), pipe))
        printed.append(some.data(), count);
    const int status = pclose(pipe);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    return {status < 0 ? status : (status >> 8) & 255, printed, wall.count()};
}

/// Returns what is wrong with a run of the case; nothing if it has failed as it should.
std::string complaint(const MismatchedProgram& one, const Ended& ended) {
    if (ended.status == 124 || ended.status == 137) return "hangs";
    if (ended.status == 0) return "ends with status 0";
    constexpr const char* last = "the watchdog ends the job: the limit";
    if (ended.printed.find(last) != ended.printed.rfind(last)) return "is reported twice";
    std::istringstream lines(one.expected);
    for (std::string line; std::getline(lines, line);) {
        if (!std::regex_search(ended.printed, std::regex(line)))
            return text("does not print ", line);
    }
    return {};
}

std::vector<const MismatchedProgram*> chosen(const std::vector<std::string>& names) {
    std::vector<const MismatchedProgram*> result;
    for (const MismatchedProgram& one : mismatched_programs()) {
        if (names.empty() || std::ranges::find(names, one.name) != names.end())
            result.push_back(&one);
    }
    return result;
}

/// Runs the cases, some at a time as they mostly wait, and prints how each ends.
int run_all(const std::string& self, const std::string& launcher,
            const std::vector<std::string>& names) {
    setenv("TRADEWIND_WATCHDOG", "1", 0);
    constexpr std::size_t at_a_time = 4;
    const std::vector<const MismatchedProgram*> cases = chosen(names);
    std::atomic<std::size_t> next = 0;
    std::atomic<int> wrong = 0;
    std::mutex printing;
    const auto run_some = [&] {
        for (std::size_t n = next++; n < cases.size(); n = next++) {
            const MismatchedProgram& one = *cases[n];
            const Ended ended =
                run(text(launcher, " -n ", one.ranks, ' ', self, " --run ", one.name));
            const std::string what = complaint(one, ended);
            const std::scoped_lock lock(printing);
            std::cout << text(one.name, " (", ended.seconds, " s): ", what.empty() ? "right" : what)
                      << std::endl;
            if (!what.empty() || !names.empty())
                std::cout << text("status ", ended.status, ", prints:\n", ended.printed)
                          << std::endl;
            wrong += what.empty() ? 0 : 1;
        }
    };
    std::vector<std::jthread> runners;
    for (std::size_t n = 0; n < at_a_time; ++n) runners.emplace_back(run_some);
    runners.clear();
    return wrong > 0 || cases.empty() ? 1 : 0;
}

mpi::Body prepare(std::span<const std::string> words, Rank /*ranks*/) {
    const MismatchedProgram& one = find(words[1]);
    return [&one](Comm& world) {
        one.run(world);
        return 0;
    };
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) return 2;
    const std::vector<std::string> words(arguments + 1, arguments + count);
    if (words[0] == "--run") return mpi::run_main(count, arguments, prepare);
    return run_all(arguments[0], words[0], {words.begin() + 1, words.end()});
}
