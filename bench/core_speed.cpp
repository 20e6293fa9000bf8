/// Speed of the kernels of the dynamical core on one core, in processor time, as JSON: numbers
/// (points times levels) per second, and the share of a roofline that is measured beside each.
///
/// Usage: core_speed [SECONDS [NE]]     time spent on each measurement (default 1), elements (16)
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>

#include "roofline.hpp"
#include "tradewind/models/homme/constants.hpp"
#include "tradewind/models/homme/dg/dg_kernels.hpp"
#include "tradewind/models/homme/remap.hpp"
#include "tradewind/models/homme/work.hpp"

using namespace tradewind;
using namespace tradewind::homme;
using tradewind::bench::KernelCounts;
using tradewind::bench::Reporter;

namespace {

constexpr KernelCounts se_stage_counts = {"se_stage", 101, 67, 2, stage_arrays};
constexpr KernelCounts se_divide_counts = {"se_divide", 4, 0, 0, 8};
constexpr KernelCounts se_laplacian_counts = {"se_laplacian", 102, 68, 0, laplacian_arrays};
constexpr KernelCounts se_viscosity_counts = {"se_viscosity", 106, 68, 0, laplacian_arrays};
constexpr KernelCounts se_add_counts = {"se_add_viscosity", 6, 6, 1, 12};
constexpr KernelCounts remap_counts = {"remap", 82, 92, 20, remap_arrays};
constexpr KernelCounts dg_prepare_counts = {"dg_prepare", 20, 16, 1, dg_prepare_arrays};
constexpr KernelCounts dg_stage_counts = {"dg_stage", 122, 94, 3.7, dg_stage_arrays};

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
    reporter.measure<double>(
        se_stage_counts, numbers, each(elements, [&](const auto& element, auto e) {
            se_stage(d, element, column, {1.0, 0.0, 1.0}, element_of(state, e),
                     element_of(state, e), element_of(state, e), element_of(result, e), scratch);
        }));
    reporter.measure<double>(se_divide_counts, numbers,
                             each(elements, [&](const auto& element, auto e) {
                                 se_divide(element, column, element_of(result, e));
                             }));
    reporter.measure<double>(
        se_laplacian_counts, numbers, each(elements, [&](const auto& element, auto e) {
            se_laplacian(d, element, column, element_of(state, e), element_of(result, e));
        }));
    reporter.measure<double>(se_viscosity_counts, numbers,
                             each(elements, [&](const auto& element, auto e) {
                                 se_viscosity(d, element, column, {1e12, 1e5}, element_of(state, e),
                                              element_of(result, e));
                             }));
    fill(result, levels);
    std::vector<SeElement> still = elements;
    for (SeElement& element : still) std::fill_n(element.per_mass, se_points, 0.0);
    reporter.measure<double>(se_add_counts, numbers, each(still, [&](const auto& element, auto e) {
                                 se_add_viscosity(element, column,
                                                  element_of(std::as_const(result), e),
                                                  element_of(fields, e));
                             }));
    Remap remap(levels);
    reporter.measure<double>(remap_counts, numbers, [&] { remap.apply(fields); });
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
    reporter.measure<double>(
        dg_prepare_counts, numbers, each(elements, [&](const auto& element, auto e) {
            dg_prepare(d, element, column, element_of(state, e), element_of(auxiliary, e));
        }));
    reporter.measure<double>(
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
    Reporter reporter(budget, "numbers");
    measure_se(reporter, ne);
    measure_dg(reporter, std::max<std::int64_t>(ne / 2, 1));
}
