/// Propagation: conservation, no negative values, coasts, convergence, great circles, and the
/// beach.
#include <cstdint>

#include "models/fvwam_ocean.hpp"
#include "testing.hpp"

using namespace tradewind;
using namespace tradewind::fvwam;

namespace {

/// Returns a number in 0..1 that looks random; one of four is 0.
double noise(std::int64_t n) {
    std::uint64_t bits = std::uint64_t(n) * 0x9e3779b97f4a7c15U;
    bits = (bits ^ bits >> 29) * 0xbf58476d1ce4e5b9U;
    bits ^= bits >> 32;
    return bits % 4 == 0 ? 0.0 : double(bits >> 11) * 0x1p-53;
}

template <class Real>
void make_noise(Ocean<Real>& ocean) {
    std::int64_t n = 0;
    ocean.for_each(
        [&](std::int64_t, std::int64_t, std::int64_t, Real& value) { value = Real(noise(++n)); });
}

constexpr Scheme schemes[] = {Scheme::upwind, Scheme::limited, Scheme::heun};
const char* name_of(Scheme scheme) {
    if (scheme == Scheme::heun) return "heun";
    return scheme == Scheme::upwind ? "upwind" : "limited";
}

/// Returns a globe with land and hills of the sea floor that turn waves.
VoronoiMesh hilly_globe(bool has_land) {
    support::WrittenNetcdf file = support::mesh_file(support::icosahedron(3));
    for (const char* const name : {"bottomDepth", "dHdx", "dHdy", "maskCell"})
        file.variables[name] = {{"nCells"}, support::netcdf_double, {}, {}, {}};
    file.variables["maskCell"].type = support::netcdf_int;
    for (std::int64_t n = 0; n < 642; ++n) {
        file.variables["bottomDepth"].values.push_back(5 + 300 * noise(n));
        file.variables["dHdx"].values.push_back(0.02 * (noise(n + 1000) - 0.5));
        file.variables["dHdy"].values.push_back(0.02 * (noise(n + 2000) - 0.5));
        file.variables["maskCell"].values.push_back(has_land && n % 9 == 0 ? 0 : 1);
    }
    return mesh_of(file);
}

}  // namespace

TEST_CASE("on a globe without land no scheme loses energy, and no value becomes negative") {
    const SpectralGrid spectrum(36, 3, 0.05, 1.5);
    const VoronoiMesh mesh = hilly_globe(false);
    for (const Scheme scheme : schemes) {
        CAPTURE(name_of(scheme));
        Ocean<double> ocean(spectrum, mesh, scheme, step_of(spectrum, mesh, scheme, 1 - 1e-12));
        make_noise(ocean);
        const double before = ocean.total();
        for (int n = 0; n < (is_sanitized ? 3 : 20); ++n) {
            ocean.step();
            CHECK(std::abs(ocean.total() / before - 1) < 1e-13);
            CHECK(ocean.range().first >= 0);
        }
        CHECK(ocean.range().second > 0);
    }
}

TEST_CASE("single precision keeps the energy to its rounding") {
    const SpectralGrid spectrum(24, 2, 0.05, 1.5);
    const VoronoiMesh mesh = hilly_globe(false);
    for (const Scheme scheme : schemes) {
        CAPTURE(name_of(scheme));
        Ocean<float> ocean(spectrum, mesh, scheme, step_of(spectrum, mesh, scheme, 1 - 1e-5));
        make_noise(ocean);
        const double before = ocean.total();
        for (int n = 0; n < 10; ++n) ocean.step();
        CHECK(std::abs(ocean.total() / before - 1) < 5e-6);
        CHECK(ocean.range().first >= 0);
    }
}

TEST_CASE("coasts absorb and send nothing back") {
    const SpectralGrid spectrum(36, 1, 0.05, 1.1);
    const VoronoiMesh globe = hilly_globe(true);
    const VoronoiMesh patch = mesh_of(support::mesh_file(support::hexagons(12, 10, 20e3)));
    for (const Scheme scheme : schemes) {
        for (const VoronoiMesh* const mesh : {&globe, &patch}) {
            CAPTURE(name_of(scheme), mesh->cells());
            const double step = step_of(spectrum, *mesh, scheme, 1 - 1e-12);
            Ocean<double> ocean(spectrum, *mesh, scheme, step);
            make_noise(ocean);
            const double first = ocean.total();
            double before = first;
            for (int n = 0; n < (mesh == &patch ? 60 : 10); ++n) {
                ocean.step();
                const double now = ocean.total();
                CHECK(now < before);
                CHECK(ocean.range().first >= 0);
                before = now;
            }
            CHECK(mesh == &patch ? before < 1e-4 * first : before > 0.01 * first);
        }
    }
}
