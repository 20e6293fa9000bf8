/// The main function of tests: runs the registered test cases whose names contain the first
/// argument (all, if there is none), and reports the slowest ones.
#include "slowest_cases.hpp"
#include "testing.hpp"

namespace {

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
    testing::SlowestCases slowest;
    for (const auto& test : testing::Registry::instance().cases) {
        if (test.name.find(filter) == std::string_view::npos) continue;
        (slowest.timed(test.name, [&] { return passes(test); }) ? passed : failed) += 1;
    }
    slowest.print();
    std::cout << testing::Registry::instance().checks << " checks\n"
              << passed << " passed, " << failed << " failed\n";
    return failed == 0 && passed > 0 ? 0 : 1;
}
