/// Speed of the kernels of the dynamical core on one core, in processor time, as JSON: numbers
/// (points times levels) per second, and the share of a roofline that is measured beside each.
///
/// The roofline is the longest of the times that memory, multiplications, additions, both together
/// and divisions need at the rates of this processor.
///
/// Usage: core_speed [SECONDS [NE]]     time spent on each measurement (default 1), elements (16)
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>

#include "tradewind/models/homme/constants.hpp"
#include "tradewind/models/homme/dg/dg_kernels.hpp"
#include "tradewind/models/homme/remap.hpp"
#include "tradewind/models/homme/work.hpp"

using namespace tradewind;
using namespace tradewind::homme;

namespace {

/// Returns processor time, since wall-clock time on a machine with other work is not meaningful.
double now() {
    return double(std::clock()) / double(CLOCKS_PER_SEC);
}

/// Returns the shortest time of one call within `budget` seconds, after one call that does not
/// count.
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

constexpr std::int64_t sums = 12;

/// Applies an operation to twelve vectors in registers, `count` times.
template <typename Operation>
TRADEWIND_INLINE double repeat(std::int64_t count, const Operation& apply) {
    Lanes sum[sums];
    for (std::int64_t n = 0; n < sums; ++n) sum[n] = Lanes{} + 1.0 + double(n);
    for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t n = 0; n < sums; ++n) apply(sum[n]);
    Lanes all{};
    for (std::int64_t n = 0; n < sums; ++n) all += sum[n];
    return all[0] + all[1] + all[2] + all[3];
}

/// Factors that the compiler does not know.
double factor_of(std::int64_t count) {
    return 1.0 + 1e-12 * double(count % 2);
}

// As in the kernels, multiplications and additions are not contracted.
TRADEWIND_CLONES
double multiply_and_add(std::int64_t count) {
    const double factor = factor_of(count);
    return repeat(count, [&](Lanes& sum) { sum = sum * factor + 1e-9; });
}
TRADEWIND_CLONES
double multiply(std::int64_t count) {
    const double factor = factor_of(count);
    return repeat(count, [&](Lanes& sum) { sum *= factor; });
}
TRADEWIND_CLONES
double add(std::int64_t count) {
    const double summand = factor_of(count);
    return repeat(count, [&](Lanes& sum) { sum += summand; });
}
TRADEWIND_CLONES
double divide(std::int64_t count) {
    const double divisor = factor_of(count);
    return repeat(count, [&](Lanes& sum) { sum /= divisor; });
}

TRADEWIND_CLONES
void triad(std::int64_t count, const Lanes* a, const Lanes* b, Lanes* c) {
    for (std::int64_t n = 0; n < count; ++n) c[n] = a[n] + 3.0 * b[n];
}

/// Returns operations per second of a function that makes `each` of them per number.
double measured_rate(double budget, double (*work)(std::int64_t), int each) {
    constexpr std::int64_t count = 1 << 17;
    volatile double kept = 0.0;
    const double time = fastest(budget, [&] { kept = work(count); });
    return double(count * sums) * each * spectral::lane_width / time;
}

/// Returns bytes per second of three arrays, 32 MiB each.
double measured_bandwidth(double budget) {
    constexpr std::int64_t count = 1 << 20;
    static LaneVector a(count);
    static LaneVector b(count);
    static LaneVector c(count);
    const double time = fastest(budget, [&] { triad(count, a.data(), b.data(), c.data()); });
    return 3.0 * double(count) * double(sizeof(Lanes)) / time;
}

/// The limits of the machine: operations and bytes per second.
struct Roofline {
    explicit Roofline(double budget)
        : flops(measured_rate(budget, multiply_and_add, 2)),
          multiplications(measured_rate(budget, multiply, 1)),
          additions(measured_rate(budget, add, 1)),
          divisions(measured_rate(budget, divide, 1)),
          bandwidth(measured_bandwidth(budget)) {}

    double flops;
    double multiplications;
    double additions;
    double divisions;
    double bandwidth;
};

/// The operations of a kernel per point and level, as in its source. Comparisons, selections and
/// changes of sign do not count.
struct KernelCounts {
    const char* name;
    double multiplications;
    double additions;
    double divisions;
    /// Fields that are read or written.
    double arrays;
};
constexpr KernelCounts se_stage_counts = {"se_stage", 101, 67, 2, stage_arrays};
constexpr KernelCounts se_divide_counts = {"se_divide", 4, 0, 0, 8};
constexpr KernelCounts se_laplacian_counts = {"se_laplacian", 102, 68, 0, laplacian_arrays};
constexpr KernelCounts se_viscosity_counts = {"se_viscosity", 106, 68, 0, laplacian_arrays};
constexpr KernelCounts se_add_counts = {"se_add_viscosity", 6, 6, 1, 12};
constexpr KernelCounts remap_counts = {"remap", 82, 92, 20, remap_arrays};
constexpr KernelCounts dg_prepare_counts = {"dg_prepare", 20, 16, 1, dg_prepare_arrays};
constexpr KernelCounts dg_stage_counts = {"dg_stage", 122, 94, 3.7, dg_stage_arrays};

/// A limit and the time per number that it allows.
struct Limit {
    const char* name;
    double time;
};

Limit limit_of(const KernelCounts& counts, const Roofline& roofline) {
    const double bytes = counts.arrays * double(sizeof(double));
    return std::max({Limit{"memory", bytes / roofline.bandwidth},
                     Limit{"multiplications", counts.multiplications / roofline.multiplications},
                     Limit{"additions", counts.additions / roofline.additions},
                     Limit{"flops", (counts.multiplications + counts.additions) / roofline.flops},
                     Limit{"divisions", counts.divisions / roofline.divisions}},
                    [](const Limit& one, const Limit& other) { return one.time < other.time; });
}

/// Measures kernels and the roofline beside each, and prints them.
class Reporter {
public:
    explicit Reporter(double budget) : budget_(budget) { std::printf("{\n  \"kernels\": ["); }
    ~Reporter() { std::printf("\n  ]\n}\n"); }

    void measure(const KernelCounts& counts, double numbers, const std::function<void()>& work) {
        constexpr double rooflines = 5;
        const Roofline roofline(budget_ / rooflines);
        const double time = fastest(budget_, work) / numbers;
        const Limit limit = limit_of(counts, roofline);
        std::printf(
            "%s\n    {\"kernel\": \"%s\", \"numbers_per_s\": %.4g, \"roofline_share\": %.3f, "
            "\"limit\": \"%s\",\n     \"flops\": %.4g, \"peak_flops\": %.4g, \"bytes_per_s\": "
            "%.4g, \"bandwidth\": %.4g, \"peak_divisions\": %.4g}",
            is_first_ ? "" : ",", counts.name, 1.0 / time, limit.time / time, limit.name,
            (counts.multiplications + counts.additions + counts.divisions) / time, roofline.flops,
            counts.arrays * double(sizeof(double)) / time, roofline.bandwidth, roofline.divisions);
        std::fflush(stdout);
        is_first_ = false;
    }

private:
    double budget_;
    bool is_first_ = true;
};

/// Fields of an isothermal flow with some structure.
void fill(Fields& fields, const HybridLevels& levels) {
    const FieldShape& shape = fields.shape();
    for (std::int64_t e = 0; e < shape.elements; ++e) {
        for (std::int64_t p = 0; p < shape.points; ++p) {
            for (std::int64_t k = 0; k < shape.blocks() * spectral::lane_width; ++k) {
                const std::int64_t layer = std::min(k, shape.levels - 1);
                fields.value(east, e, p, k) = 10.0 + double(p % 5);
                fields.value(north, e, p, k) = double(p % 3);
                fields.value(temperature, e, p, k) = 280.0 + double(p % 7);
                fields.value(thickness, e, p, k) = levels.thickness(layer, 1e5);
            }
        }
    }
}

/// Returns a call of `kernel` with each element and its number.
template <typename Element, typename Kernel>
std::function<void()> each(const std::vector<Element>& elements, const Kernel& kernel) {
    return [&elements, kernel] {
        for (std::size_t e = 0; e < elements.size(); ++e) kernel(elements[e], std::int64_t(e));
    };
}

void measure_se(Reporter& reporter, std::int64_t ne) {
    const CubedSphere mesh(ne);
    const GaussLobatto rule(se_np);
    const CubeGeometry geometry(mesh, rule);
    const SeDerivatives d(rule);
    const HybridLevels levels = hybrid_levels(26);
    const VerticalGrid column{26, spectral::blocks_of(26), levels.top()};
    const FieldShape shape{mesh.elements(), se_points, 26};
    Fields fields(shape);
    Fields result(shape);
    fill(fields, levels);
    std::vector<SeElement> elements(std::size_t(mesh.elements()));
    for (std::size_t e = 0; e < elements.size(); ++e) {
        elements[e].metric = SeMetric(geometry, rule, std::int64_t(e), earth_radius);
        std::fill_n(elements[e].per_mass, se_points, 1.0);
    }
    SeScratch scratch(column.blocks);
    const Fields& state = fields;
    const double numbers = double(shape.elements * shape.points * shape.levels);
    reporter.measure(se_stage_counts, numbers, each(elements, [&](const auto& element, auto e) {
                         se_stage(d, element, column, {1.0, 0.0, 1.0}, element_of(state, e),
                                  element_of(state, e), element_of(state, e), element_of(result, e),
                                  scratch);
                     }));
    reporter.measure(se_divide_counts, numbers, each(elements, [&](const auto& element, auto e) {
                         se_divide(element, column, element_of(result, e));
                     }));
    reporter.measure(se_laplacian_counts, numbers, each(elements, [&](const auto& element, auto e) {
                         se_laplacian(d, element, column, element_of(state, e),
                                      element_of(result, e));
                     }));
    reporter.measure(se_viscosity_counts, numbers, each(elements, [&](const auto& element, auto e) {
                         se_viscosity(d, element, column, {1e12, 1e5}, element_of(state, e),
                                      element_of(result, e));
                     }));
    fill(result, levels);
    std::vector<SeElement> still = elements;
    for (SeElement& element : still) std::fill_n(element.per_mass, se_points, 0.0);
    reporter.measure(se_add_counts, numbers, each(still, [&](const auto& element, auto e) {
                         se_add_viscosity(element, column, element_of(std::as_const(result), e),
                                          element_of(fields, e));
                     }));
    Remap remap(levels);
    reporter.measure(remap_counts, numbers, [&] { remap.apply(fields); });
}

void measure_dg(Reporter& reporter, std::int64_t ne) {
    const CubedSphere mesh(ne);
    const GaussLobatto rule(dg_np);
    const CubeGeometry geometry(mesh, rule);
    const DgDerivatives d(rule);
    const HybridLevels levels = hybrid_levels(26);
    const VerticalGrid column{26, spectral::blocks_of(26), levels.top()};
    const FieldShape shape{mesh.elements(), dg_points, 26};
    Fields fields(shape);
    Fields result(shape);
    Fields auxiliary(shape);
    Fields traces({mesh.elements(), dg_trace_slots, 26});
    fill(fields, levels);
    fill(traces, levels);
    std::vector<DgElement> elements(std::size_t(mesh.elements()));
    for (std::size_t e = 0; e < elements.size(); ++e) {
        elements[e].metric = DgMetric(geometry, rule, std::int64_t(e), earth_radius);
        elements[e].edges = ElementEdges<dg_np>(elements[e].metric, rule);
    }
    DgScratch scratch(column.blocks);
    const Fields& state = fields;
    const double numbers = double(shape.elements * shape.points * shape.levels);
    reporter.measure(dg_prepare_counts, numbers, each(elements, [&](const auto& element, auto e) {
                         dg_prepare(d, element, column, element_of(state, e),
                                    element_of(auxiliary, e));
                     }));
    reporter.measure(
        dg_stage_counts, numbers, each(elements, [&](const auto& element, auto e) {
            dg_stage(d, element, column, {0.0, 1.0, 1.0, 300.0, 0.0}, element_of(state, e),
                     element_of(state, e), element_of(std::as_const(auxiliary), e),
                     element_of(std::as_const(traces), e), {}, {}, element_of(result, e), scratch);
        }));
}

}  // namespace

int main(int count, char** arguments) {
    const double budget = count > 1 ? std::atof(arguments[1]) : 1.0;
    const std::int64_t ne = count > 2 ? std::atol(arguments[2]) : 16;
    Reporter reporter(budget);
    measure_se(reporter, ne);
    measure_dg(reporter, std::max<std::int64_t>(ne / 2, 1));
}
