/// Speed of the kernels of the dynamical core on one core, in processor time, as JSON: numbers
/// (points times levels) per second, and the share of a roofline that is measured beside them.
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

/// Adds and multiplies in registers, as the kernels do: without contraction.
TRADEWIND_CLONES
double multiply_and_add(std::int64_t count) {
    Lanes sum[sums];
    for (std::int64_t n = 0; n < sums; ++n) sum[n] = Lanes{} + 1.0 + double(n);
    const double factor = 1.0 + 1e-12 * double(count % 2);
    for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t n = 0; n < sums; ++n) sum[n] = sum[n] * factor + 1e-9;
    Lanes all{};
    for (std::int64_t n = 0; n < sums; ++n) all += sum[n];
    return all[0] + all[1] + all[2] + all[3];
}

TRADEWIND_CLONES
void triad(std::int64_t count, const Lanes* a, const Lanes* b, Lanes* c) {
    for (std::int64_t n = 0; n < count; ++n) c[n] = a[n] + 3.0 * b[n];
}

double measured_flops(double budget) {
    constexpr std::int64_t count = 1 << 20;
    volatile double kept = 0.0;
    const double time = fastest(budget, [&] { kept = multiply_and_add(count); });
    return double(count * sums) * 2 * spectral::lane_width / time;
}

/// Returns bytes per second of three arrays, 32 MiB each.
double measured_bandwidth(double budget) {
    constexpr std::int64_t count = 1 << 20;
    LaneVector a(count);
    LaneVector b(count);
    LaneVector c(count);
    const double time = fastest(budget, [&] { triad(count, a.data(), b.data(), c.data()); });
    return 3.0 * double(count) * double(sizeof(Lanes)) / time;
}

/// The limits of the machine.
struct Roofline {
    double flops;
    double bandwidth;
};

void print(const char* name, double numbers, double flops, double arrays, double time,
           const Roofline& roofline, bool is_last = false) {
    const double rate = flops * numbers / time;
    const double bytes = arrays * double(sizeof(double));
    const double limit = std::min(roofline.flops, flops / bytes * roofline.bandwidth);
    std::printf(
        "    {\"kernel\": \"%s\", \"numbers_per_s\": %.4g, \"flops\": %.4g, \"bytes_per_s\": %.4g, "
        "\"roofline_share\": %.3f}%s\n",
        name, numbers / time, rate, bytes * numbers / time, rate / limit, is_last ? "" : ",");
}

/// Fields of an isothermal flow with some structure.
void fill(Fields& fields, const HybridLevels& levels) {
    const FieldShape& shape = fields.shape();
    for (std::int64_t e = 0; e < shape.elements; ++e) {
        for (std::int64_t p = 0; p < shape.points; ++p) {
            for (std::int64_t k = 0; k < shape.blocks() * spectral::lane_width; ++k) {
                const std::int64_t layer = std::min(k, shape.levels - 1);
                fields.levels(east, e, p)[k] = 10.0 + double(p % 5);
                fields.levels(north, e, p)[k] = double(p % 3);
                fields.levels(temperature, e, p)[k] = 280.0 + double(p % 7);
                fields.levels(thickness, e, p)[k] = levels.thickness(layer, 1e5);
            }
        }
    }
}

void measure_se(double budget, std::int64_t ne, const Roofline& roofline) {
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
    for (std::size_t e = 0; e < elements.size(); ++e)
        elements[e].metric = SeMetric(geometry, rule, std::int64_t(e), earth_radius);
    SeScratch scratch(column.blocks);
    const Fields& state = fields;
    const auto each = [&](const auto& kernel) {
        return fastest(budget, [&] {
            for (std::int64_t e = 0; e < shape.elements; ++e) kernel(elements[std::size_t(e)], e);
        });
    };
    const double numbers = double(shape.elements * shape.points * shape.levels);
    print("se_stage", numbers, stage_flops, stage_arrays,
          each([&](const SeElement& element, std::int64_t e) {
              se_stage(d, element, column, {1.0, 0.0, 1.0}, element_of(state, e),
                       element_of(state, e), element_of(state, e), element_of(result, e), scratch);
          }),
          roofline);
    print("se_laplacian", numbers, laplacian_flops, laplacian_arrays,
          each([&](const SeElement& element, std::int64_t e) {
              se_laplacian(d, element, column, element_of(state, e), element_of(result, e));
          }),
          roofline);
    Remap remap(levels);
    print("remap", numbers, remap_flops, remap_arrays,
          fastest(budget, [&] { remap.apply(fields); }), roofline);
}

void measure_dg(double budget, std::int64_t ne, const Roofline& roofline) {
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
    Fields traces({mesh.elements(), dg_traces, 26});
    fill(fields, levels);
    fill(traces, levels);
    std::vector<DgElement> elements(std::size_t(mesh.elements()));
    for (std::size_t e = 0; e < elements.size(); ++e) {
        elements[e].metric = DgMetric(geometry, rule, std::int64_t(e), earth_radius);
        elements[e].edges = ElementEdges<dg_np>(elements[e].metric, rule);
    }
    DgScratch scratch(column.blocks);
    const auto each = [&](const auto& kernel) {
        return fastest(budget, [&] {
            for (std::int64_t e = 0; e < shape.elements; ++e) kernel(elements[std::size_t(e)], e);
        });
    };
    const Fields& state = fields;
    const double numbers = double(shape.elements * shape.points * shape.levels);
    print("dg_prepare", numbers, dg_prepare_flops, dg_prepare_arrays,
          each([&](const DgElement& element, std::int64_t e) {
              dg_prepare(d, element, column, element_of(state, e), element_of(auxiliary, e));
          }),
          roofline);
    print("dg_stage", numbers, dg_stage_flops, dg_stage_arrays,
          each([&](const DgElement& element, std::int64_t e) {
              dg_stage(d, element, column, {0.0, 1.0, 1.0, 300.0, 0.0}, element_of(state, e),
                       element_of(state, e), element_of(std::as_const(auxiliary), e),
                       element_of(std::as_const(traces), e), {}, {}, element_of(result, e),
                       scratch);
          }),
          roofline, true);
}

}  // namespace

int main(int count, char** arguments) {
    const double budget = count > 1 ? std::atof(arguments[1]) : 1.0;
    const std::int64_t ne = count > 2 ? std::atol(arguments[2]) : 16;
    const Roofline roofline{measured_flops(budget), measured_bandwidth(budget)};
    std::printf("{\n  \"flops\": %.4g,\n  \"bandwidth\": %.4g,\n  \"kernels\": [\n", roofline.flops,
                roofline.bandwidth);
    measure_se(budget, ne, roofline);
    measure_dg(budget, ne / 2, roofline);
    std::printf("  ]\n}\n");
}
