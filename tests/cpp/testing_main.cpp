/// Runs the registered test cases whose names contain the first argument (all, if there is none).
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
    for (const auto& test : testing::Registry::instance().cases) {
        if (test.name.find(filter) == std::string_view::npos) continue;
        (passes(test) ? passed : failed) += 1;
    }
    std::cout << testing::Registry::instance().checks << " checks\n"
              << passed << " passed, " << failed << " failed\n";
    return failed == 0 && passed > 0 ? 0 : 1;
}
