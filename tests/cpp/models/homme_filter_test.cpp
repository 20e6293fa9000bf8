/// The filter of discontinuous Galerkin: what it damps, and what it must keep.
#include <cmath>

#include "testing.hpp"
#include "tradewind/models/homme/constants.hpp"
#include "tradewind/models/homme/dg/dg_filter.hpp"

using namespace tradewind;
using namespace tradewind::homme;

namespace {

/// Returns x^k less lower powers: the Legendre polynomial of degree k at x.
double polynomial(int k, double x) {
    if (k == 0) return 1.0;
    if (k == 1) return x;
    return ((2 * k - 1) * x * polynomial(k - 1, x) - (k - 1) * polynomial(k - 2, x)) / k;
}

/// One element of a coarse cube with the fields of a single level.
struct OneElement {
    OneElement() {
        element.metric = DgMetric(geometry, rule, 3, earth_radius);
        for (int p = 0; p < dg_points; ++p) {
            const double x = rule.nodes[std::size_t(p % dg_np)];
            const double y = rule.nodes[std::size_t(p / dg_np)];
            fields.value(east, 0, p, 0) = 20.0 * std::sin(3 * x + y);
            fields.value(north, 0, p, 0) = 10.0 * std::cos(x - 4 * y);
            fields.value(temperature, 0, p, 0) = 280.0 + 20.0 * std::sin(5 * x * y);
            fields.value(thickness, 0, p, 0) = 1000.0 + 100.0 * std::cos(4 * x + 2 * y);
        }
    }
    void apply(const DgFilter& filter) {
        dg_filter(filter, element, column,
                  {fields.at(east, 0), fields.at(north, 0), fields.at(temperature, 0),
                   fields.at(thickness, 0)});
    }
    /// Returns the mass of air, times temperature if that is wanted.
    double integral(bool of_heat) {
        double sum = 0.0;
        for (int p = 0; p < dg_points; ++p) {
            const double t = of_heat ? fields.value(temperature, 0, p, 0) : 1.0;
            sum += element.metric.mass[p] * t * fields.value(thickness, 0, p, 0);
        }
        return sum;
    }
    /// Returns the mean square of the differences of temperature along x.
    double roughness() {
        double sum = 0.0;
        for (int p = 0; p + 1 < dg_points; ++p) {
            if (p % dg_np == dg_np - 1) continue;
            const double step =
                fields.value(temperature, 0, p + 1, 0) - fields.value(temperature, 0, p, 0);
            sum += step * step;
        }
        return sum;
    }

    CubedSphere mesh{2};
    GaussLobatto rule{dg_np};
    CubeGeometry geometry{mesh, rule};
    DgElement element;
    VerticalGrid column{1, 1, 0.0};
    Fields fields{{1, dg_points, 1}};
};

}  // namespace

TEST_CASE("the filter damps each Legendre polynomial by its own factor") {
    const GaussLobatto rule(dg_np);
    const DgFilter filter(rule, 0.3, 8.0);
    for (int k = 0; k < dg_np; ++k) {
        CAPTURE(k);
        const double factor = std::exp(-0.3 * std::pow(k / 5.0, 8.0));
        for (int i = 0; i < dg_np; ++i) {
            double sum = 0.0;
            for (int m = 0; m < dg_np; ++m)
                sum += filter.at[i][m] * polynomial(k, rule.nodes[std::size_t(m)]);
            CHECK(std::abs(sum - factor * polynomial(k, rule.nodes[std::size_t(i)])) < 1e-13);
        }
    }
}

TEST_CASE("the filter keeps mass and enthalpy of an element, and smooths") {
    OneElement one;
    const double mass = one.integral(false);
    const double heat = one.integral(true);
    const double rough = one.roughness();
    one.apply(DgFilter(one.rule, 0.5, 8.0));
    CHECK(std::abs(one.integral(false) / mass - 1) < 1e-14);
    CHECK(std::abs(one.integral(true) / heat - 1) < 1e-14);
    CHECK(one.roughness() < 0.99 * rough);
}

TEST_CASE("the filter leaves an even layer as it is") {
    OneElement one;
    for (int p = 0; p < dg_points; ++p) {
        one.fields.value(temperature, 0, p, 0) = 250.0;
        one.fields.value(thickness, 0, p, 0) = 1500.0;
    }
    one.apply(DgFilter(one.rule, 5.0, 4.0));
    for (int p = 0; p < dg_points; ++p) {
        CHECK(std::abs(one.fields.value(temperature, 0, p, 0) - 250.0) < 1e-11);
        CHECK(std::abs(one.fields.value(thickness, 0, p, 0) - 1500.0) < 1e-10);
    }
}
