/// Speed of the spectral transforms and of the shallow water model on one core, in processor time,
/// as JSON.
///
/// Usage: transform_speed [SECONDS]     time spent on each measurement (default 1)
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>

#include "tradewind/models/pstswm/run.hpp"
#include "tradewind/models/spectral/fft.hpp"
#include "tradewind/models/spectral/legendre.hpp"
#include "tradewind/simcomm/virtual_ranks.hpp"

using namespace tradewind;
using namespace tradewind::spectral;

namespace {

/// Returns processor time, since wall-clock time on a machine with other work is not meaningful.
double now() {
    return double(std::clock()) / double(CLOCKS_PER_SEC);
}

/// Returns the shortest time of one call within `budget` seconds, after one call that does not
/// count.
double fastest(double budget, const std::function<void()>& work) {
    // The clock ticks in microseconds: small work is repeated until it takes some hundred ticks.
    const double once = now();
    work();
    const auto repeats = 1 + std::int64_t(1e-3 / std::max(now() - once, 1e-6));
    double best = 1e30;
    for (const double begin = now(); now() - begin < budget;) {
        const double start = now();
        for (std::int64_t i = 0; i < repeats; ++i) work();
        best = std::min(best, (now() - start) / double(repeats));
    }
    return best;
}

struct Size {
    std::int64_t truncation;
    std::int64_t latitudes;
    std::int64_t longitudes;
    /// The operations per step and level in worley1998; 0 if it has no count.
    double flops;
};
constexpr Size sizes[] = {{42, 64, 128, 4129859}, {85, 128, 256, 24235477}, {170, 256, 512, 0}};

/// Both transforms of `levels` scalar fields at once.
class Transform {
public:
    Transform(const Size& size, std::int64_t levels)
        : blocks_(blocks_of(levels)),
          shape_{size.latitudes, blocks_, size.truncation},
          fft_(size.longitudes) {
        std::vector<std::int64_t> waves;
        for (std::int64_t m = 0; m <= size.truncation; ++m) waves.push_back(m);
        legendre_ = LegendreTransform(size.truncation, gauss_nodes(size.latitudes),
                                      {0, size.latitudes / 2}, waves);
        spectrum_ = LaneVector(legendre_.first_row(waves.size()) * 2 * blocks_);
        fourier_ = LaneVector((size.truncation + 1) * size.latitudes * 2 * blocks_);
        grid_ = LaneVector(size.latitudes * size.longitudes * blocks_);
        work_ = LaneVector(fft_.work_size());
        for (std::int64_t i = 0; i < spectrum_.size() * lane_width; ++i)
            numbers(spectrum_.data())[i] = 1.0 / double(1 + i % 1000);
    }

    void inverse() {
        legendre_.inverse(spectrum_.data(), fourier_.data(), 2 * blocks_);
        fft_.inverse(fourier_.data(), grid_.data(), shape_, work_.data());
    }

    void forward() {
        fft_.forward(grid_.data(), fourier_.data(), shape_, work_.data());
        legendre_.forward(fourier_.data(), spectrum_.data(), 2 * blocks_);
    }

private:
    std::int64_t blocks_;
    Fft::Lines shape_;
    Fft fft_;
    LegendreTransform legendre_;
    LaneVector spectrum_;
    LaneVector fourier_;
    LaneVector grid_;
    LaneVector work_;
};

/// Returns the shortest time of one step of the model in case 2, except the first steps.
double step_time(const Size& size, std::int64_t levels, double budget) {
    struct Silent final : pstswm::SnapshotObserver {
        void observed(const pstswm::Snapshot&) override {}
        void stepped(std::int64_t step) override {
            const double time = now();
            if (step > 1) best = std::min(best, time - last);
            last = time;
        }
        double last = 0;
        double best = 1e30;
    } observer;
    Settings settings;
    settings.set("truncation", size.truncation);
    settings.set("levels", levels);
    settings.set("time_step", Picoseconds{100} * picoseconds_per_second);
    const std::int64_t steps = 3 + std::int64_t(budget * 2e9 / (size.flops * double(levels)));
    settings.set("steps", steps);
    const pstswm::ShallowWaterPlan plan = pstswm::make_plan(settings, 1);
    simcomm::run_virtual(1, [&](Comm& comm) { return run_model(comm, plan, observer); });
    return observer.best;
}

}  // namespace

int main(int count, char** arguments) {
    const double budget = count > 1 ? std::atof(arguments[1]) : 1.0;
    constexpr std::int64_t levels = 16;
    std::printf("{\"transforms\": [");
    for (const Size& size : sizes) {
        Transform transform(size, levels);
        const double inverse = fastest(budget, [&] { transform.inverse(); }) / levels;
        const double forward = fastest(budget, [&] { transform.forward(); }) / levels;
        std::printf(
            "%s\n  {\"truncation\": %lld, \"levels\": %lld, \"inverse_ms_per_field\": %.5f, "
            "\"forward_ms_per_field\": %.5f}",
            &size == sizes ? "" : ",", (long long)size.truncation, (long long)levels, 1e3 * inverse,
            1e3 * forward);
    }
    std::printf("],\n \"model\": [");
    bool is_first = true;
    for (const Size& size : sizes) {
        if (size.flops == 0) continue;
        for (const std::int64_t depth : {std::int64_t{1}, std::int64_t{3}, levels}) {
            const double time = step_time(size, depth, budget);
            std::printf(
                "%s\n  {\"truncation\": %lld, \"levels\": %lld, \"step_ms\": %.4f, "
                "\"mflop_s\": %.1f}",
                is_first ? "" : ",", (long long)size.truncation, (long long)depth, 1e3 * time,
                1e-6 * size.flops * double(depth) / time);
            is_first = false;
        }
    }
    std::printf("]}\n");
}
