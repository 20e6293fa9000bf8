#include "roofline.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

#include "tradewind/models/spectral/lanes.hpp"

namespace tradewind::bench {

namespace {

constexpr std::size_t vector_bytes = 32;

template <class Real>
struct WideOf;
template <>
struct WideOf<float> {
    using Vector = float __attribute__((vector_size(vector_bytes)));
};
template <>
struct WideOf<double> {
    using Vector = double __attribute__((vector_size(vector_bytes)));
};
template <class Real>
using Wide = typename WideOf<Real>::Vector;
template <class Real>
constexpr std::int64_t width = std::int64_t(vector_bytes / sizeof(Real));

constexpr std::int64_t sums = 12;

/// Applies an operation to twelve vectors in registers, `count` times.
template <class Real, class Operation>
TRADEWIND_INLINE Real repeat(std::int64_t count, const Operation& apply) {
    Wide<Real> sum[sums];
    for (std::int64_t n = 0; n < sums; ++n) sum[n] = Wide<Real>{} + Real(1) + Real(n);
    for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t n = 0; n < sums; ++n) apply(sum[n]);
    Wide<Real> all{};
    for (std::int64_t n = 0; n < sums; ++n) all += sum[n];
    Real one = 0;
    for (std::int64_t n = 0; n < width<Real>; ++n) one += all[n];
    return one;
}

// As in the kernels, multiplications and additions are not contracted. A function that is compiled
// for several processors cannot be a template, so that each has one version for either type.
TRADEWIND_CLONES
double multiply_and_add(std::int64_t count, double factor) {
    return repeat<double>(count, [&](Wide<double>& sum) { sum = sum * factor + 1e-9; });
}
TRADEWIND_CLONES
float multiply_and_add(std::int64_t count, float factor) {
    return repeat<float>(count, [&](Wide<float>& sum) { sum = sum * factor + 1e-9F; });
}
TRADEWIND_CLONES
double multiply(std::int64_t count, double factor) {
    return repeat<double>(count, [&](Wide<double>& sum) { sum *= factor; });
}
TRADEWIND_CLONES
float multiply(std::int64_t count, float factor) {
    return repeat<float>(count, [&](Wide<float>& sum) { sum *= factor; });
}
TRADEWIND_CLONES
double add(std::int64_t count, double summand) {
    return repeat<double>(count, [&](Wide<double>& sum) { sum += summand; });
}
TRADEWIND_CLONES
float add(std::int64_t count, float summand) {
    return repeat<float>(count, [&](Wide<float>& sum) { sum += summand; });
}
TRADEWIND_CLONES
double divide(std::int64_t count, double divisor) {
    return repeat<double>(count, [&](Wide<double>& sum) { sum /= divisor; });
}
TRADEWIND_CLONES
float divide(std::int64_t count, float divisor) {
    return repeat<float>(count, [&](Wide<float>& sum) { sum /= divisor; });
}

TRADEWIND_CLONES
void triad(std::int64_t count, const Wide<double>* a, const Wide<double>* b, Wide<double>* c) {
    for (std::int64_t n = 0; n < count; ++n) c[n] = a[n] + 3.0 * b[n];
}

/// Returns operations per second of a function that makes `each` of them per number.
template <class Real>
[[nodiscard]] double measured_rate(double budget, Real (*work)(std::int64_t, Real), int each) {
    constexpr std::int64_t count = 1 << 17;
    // Factors that the compiler does not know.
    volatile Real factor = Real(1);
    volatile Real kept = Real(0);
    const double time = fastest(budget, [&] { kept = work(count, factor); });
    return double(count * sums) * each * double(width<Real>) / time;
}

/// Returns bytes per second of three arrays, 32 MiB each.
[[nodiscard]] double measured_bandwidth(double budget) {
    constexpr std::int64_t count = 1 << 20;
    static spectral::LaneVector a(count);
    static spectral::LaneVector b(count);
    static spectral::LaneVector c(count);
    const double time = fastest(budget, [&] { triad(count, a.data(), b.data(), c.data()); });
    return 3.0 * double(count) * double(vector_bytes) / time;
}

/// A limit and the time per number that it allows.
struct Limit {
    const char* name;
    double time;
};

template <class Real>
[[nodiscard]] Limit limit_of(const KernelCounts& counts, const Roofline<Real>& roofline) {
    const double bytes = counts.arrays * double(sizeof(Real));
    return std::max({Limit{"memory", bytes / roofline.bandwidth},
                     Limit{"multiplications", counts.multiplications / roofline.multiplications},
                     Limit{"additions", counts.additions / roofline.additions},
                     Limit{"flops", (counts.multiplications + counts.additions) / roofline.flops},
                     Limit{"divisions", counts.divisions / roofline.divisions}},
                    [](const Limit& one, const Limit& other) { return one.time < other.time; });
}

}  // namespace

double now() {
    return double(std::clock()) / double(CLOCKS_PER_SEC);
}

double fastest(double budget, const std::function<void()>& work) {
    work();
    double best = 1e30;
    for (const double begin = now(); now() - begin < budget;) {
        const double start = now();
        work();
        best = std::min(best, now() - start);
    }
    return best;
}

template <class Real>
Roofline<Real>::Roofline(double budget)
    : flops(measured_rate<Real>(budget, multiply_and_add, 2)),
      multiplications(measured_rate<Real>(budget, multiply, 1)),
      additions(measured_rate<Real>(budget, add, 1)),
      divisions(measured_rate<Real>(budget, divide, 1)),
      bandwidth(measured_bandwidth(budget)) {}

template struct Roofline<float>;
template struct Roofline<double>;

Reporter::Reporter(double budget, const char* unit) : budget_(budget), unit_(unit) {
    std::printf("{\n  \"kernels\": [");
}
Reporter::~Reporter() {
    std::printf("\n  ]\n}\n");
}

template <class Real>
void Reporter::measure(const KernelCounts& counts, double numbers,
                       const std::function<void()>& work) {
    constexpr double rooflines = 5;
    const Roofline<Real> roofline(budget_ / rooflines);
    const double time = fastest(budget_, work) / numbers;
    const Limit limit = limit_of(counts, roofline);
    std::printf(
        "%s\n    {\"kernel\": \"%s\", \"%s_per_s\": %.4g, \"roofline_share\": %.3f, "
        "\"limit\": \"%s\",\n     \"flops\": %.4g, \"peak_flops\": %.4g, \"bytes_per_s\": "
        "%.4g, \"bandwidth\": %.4g, \"peak_divisions\": %.4g}",
        is_first_ ? "" : ",", counts.name, unit_, 1.0 / time, limit.time / time, limit.name,
        (counts.multiplications + counts.additions + counts.divisions) / time, roofline.flops,
        counts.arrays * double(sizeof(Real)) / time, roofline.bandwidth, roofline.divisions);
    std::fflush(stdout);
    is_first_ = false;
}

template void Reporter::measure<float>(const KernelCounts&, double, const std::function<void()>&);
template void Reporter::measure<double>(const KernelCounts&, double, const std::function<void()>&);

}  // namespace tradewind::bench
