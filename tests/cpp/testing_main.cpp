/// The main function of tests: runs the registered test cases whose names contain the first
/// argument (all, if there is none), and reports the slowest ones.
#include <algorithm>
#include <chrono>
#include <vector>

#include "testing.hpp"

namespace {

struct Taken {
    double seconds;
    std::string_view name;
};

void print_slowest(std::vector<Taken> taken) {
    constexpr std::size_t shown = 5;
    constexpr double worth_it = 0.1;
    std::ranges::sort(taken, std::ranges::greater{}, &Taken::seconds);
    taken.resize(std::min(taken.size(), shown));
    for (const auto& [seconds, name] : taken) {
        if (seconds >= worth_it) std::cout << seconds << " s: " << name << '\n';
    }
}

bool passes(const testing::Case& test) {
    auto& registry = testing::Registry::instance();
    registry.failed_checks = 0;
    try {
        test.body();
    } catch (const std::exception& error) {
        registry.fail(test.name.data(), 0, std::string("unexpected exception: ") + error.what());
    }
    registry.context.clear();
    if (registry.failed_checks > 0) std::cerr << "FAILED: " << test.name << '\n';
    return registry.failed_checks == 0;
}

}  // namespace

int main(int count, char** arguments) {
    const std::string_view filter = count > 1 ? arguments[1] : "";
    int passed = 0;
    int failed = 0;
    std::vector<Taken> taken;
    for (const auto& test : testing::Registry::instance().cases) {
        if (test.name.find(filter) == std::string_view::npos) continue;
        const auto begin = std::chrono::steady_clock::now();
        (passes(test) ? passed : failed) += 1;
        const std::chrono::duration<double> duration = std::chrono::steady_clock::now() - begin;
        taken.push_back({duration.count(), test.name});
    }
    print_slowest(std::move(taken));
    std::cout << testing::Registry::instance().checks << " checks\n"
              << passed << " passed, " << failed << " failed\n";
    return failed == 0 && passed > 0 ? 0 : 1;
}
