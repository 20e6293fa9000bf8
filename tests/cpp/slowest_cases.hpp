/// The slowest test cases of a run.
#pragma once

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string_view>
#include <vector>

namespace testing {

class SlowestCases {
public:
    /// Runs a test case, keeps its time, and returns what the body returns.
    template <class Body>
    auto timed(std::string_view name, Body body) {
        const auto begin = std::chrono::steady_clock::now();
        auto result = body();
        const std::chrono::duration<double> duration = std::chrono::steady_clock::now() - begin;
        taken_.push_back({duration.count(), name});
        return result;
    }
    void print() {
        constexpr std::size_t shown = 5;
        constexpr double worth_it = 0.1;
        std::ranges::sort(taken_, std::ranges::greater{}, &Taken::seconds);
        taken_.resize(std::min(taken_.size(), shown));
        for (const auto& [seconds, name] : taken_) {
            if (seconds >= worth_it) std::cout << seconds << " s: " << name << '\n';
        }
    }

private:
    struct Taken {
        double seconds;
        std::string_view name;
    };
    std::vector<Taken> taken_;
};

}  // namespace testing
