/// A small test harness with the spelling of Catch2: cases register themselves, and tests continue
/// after a failed check.
#pragma once

#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

/// True under sanitizers, which make tests ten times slower, so that these cover fewer cases.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

namespace testing {

struct Case {
    std::string_view name;
    void (*body)();
};

struct Registry {
    std::vector<Case> cases;
    std::vector<std::string> context;
    int failed_checks = 0;
    long checks = 0;

    static Registry& instance() {
        static Registry registry;
        return registry;
    }
    void fail(const char* file, int line, const std::string& what) {
        ++failed_checks;
        if (failed_checks > 20) return;
        std::cerr << file << ':' << line << ": " << what << '\n';
        for (const auto& entry : context) std::cerr << "    with " << entry << '\n';
    }
};

struct Register {
    Register(std::string_view name, void (*body)()) {
        Registry::instance().cases.push_back({name, body});
    }
};

/// Values that a failure in the enclosing scope prints.
class Capture {
public:
    template <class... Values>
    explicit Capture(const char* names, const Values&... values) {
        std::ostringstream out;
        out << names << " =";
        ((out << ' ' << values), ...);
        Registry::instance().context.push_back(out.str());
    }
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;
    ~Capture() { Registry::instance().context.pop_back(); }
};

inline void check(bool holds, const char* expression, const char* file, int line) {
    ++Registry::instance().checks;
    if (!holds)
        Registry::instance().fail(file, line, std::string("CHECK(") + expression + ") failed");
}

template <class A, class B>
void check_equal(const A& a, const B& b, const char* expression, const char* file, int line) {
    ++Registry::instance().checks;
    if (a == b) return;
    std::ostringstream out;
    out << "CHECK_EQ(" << expression << ") failed: " << a << " != " << b;
    Registry::instance().fail(file, line, out.str());
}

}  // namespace testing

#define TESTING_JOIN2(a, b) a##b
#define TESTING_JOIN(a, b) TESTING_JOIN2(a, b)
#define TEST_CASE(name) TESTING_CASE(name, __COUNTER__)
#define TESTING_CASE(name, number)                                      \
    static void TESTING_JOIN(test_body_, number)();                     \
    static const ::testing::Register TESTING_JOIN(test_entry_, number)( \
        name, TESTING_JOIN(test_body_, number));                        \
    static void TESTING_JOIN(test_body_, number)()
#define CAPTURE(...) \
    const ::testing::Capture TESTING_JOIN(test_capture_, __LINE__)(#__VA_ARGS__, __VA_ARGS__)
#define CHECK(...) \
    ::testing::check(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
#define CHECK_EQ(a, b) ::testing::check_equal(a, b, #a ", " #b, __FILE__, __LINE__)
#define CHECK_THROWS_AS(expression, Type)                                                   \
    do {                                                                                    \
        bool testing_thrown = false;                                                        \
        try {                                                                               \
            (void)(expression);                                                             \
        } catch (const Type&) {                                                             \
            testing_thrown = true;                                                          \
        }                                                                                   \
        ::testing::check(testing_thrown, #expression " throws " #Type, __FILE__, __LINE__); \
    } while (false)
