/// Named points: their cells and spectra, and what is refused.
#include <cmath>
#include <numbers>

#include "models/fvwam_ocean.hpp"
#include "models/fvwam_runs.hpp"
#include "support/messages.hpp"
#include "testing.hpp"

using namespace tradewind;
using namespace tradewind::fvwam;

namespace {

constexpr double degrees = 180 / std::numbers::pi;

std::string complaint(const std::string& points) {
    Settings settings = wave_settings();
    settings.set("points", points);
    return support::message_of<ConfigError>([&] { (void)make_run_plan(settings, 1); });
}

}  // namespace

TEST_CASE("points are lines of a name, longitude and latitude") {
    const auto points = points_of("# buoys\n one 130.5 -20\n\ntwo\t-10 5e0 # a comment\r\n");
    CHECK_EQ(points.size(), std::size_t{2});
    CHECK_EQ(points[0].name, "one");
    CHECK(std::abs(points[0].place.longitude * degrees - 130.5) < 1e-12);
    CHECK(std::abs(points[0].place.latitude * degrees + 20) < 1e-12);
    CHECK_EQ(points[1].name, "two");
    CHECK(std::abs(points[1].place.latitude * degrees - 5) < 1e-12);
}

TEST_CASE("bad lines of points are refused with their number") {
    for (const char* const line : {"one", "one 130", "one 130 north", "one 130 20 5", "one 361 20",
                                   "one 130 90.5", "one nan 20", "two words 130 20", "130 20"}) {
        CAPTURE(line);
        const std::string told = complaint(text("fine 10 20\n", line));
        CHECK(told.starts_with(text("fvwam: points, line 2: \"", line, "\": expected a name")));
    }
    CHECK(complaint("a 1 2\n\na 3 4").starts_with("fvwam: points, line 3: the name a is given"));
    CHECK_EQ(complaint("# nothing\n"), "fvwam: points: has no point");
    std::string many;
    for (int n = 0; n <= 1000; ++n) many += text("p", n, " 0 0\n");
    CHECK(complaint(many).starts_with("fvwam: points, line 1001: at most 1000 points"));
}

TEST_CASE("the cell of a point has the nearest centre, across the date line, too") {
    const VoronoiMesh mesh = mesh_of(support::mesh_file(support::icosahedron(3)));
    for (std::int64_t cell = 0; cell < mesh.cells(); cell += 7) {
        const double longitude = mesh.longitude[std::size_t(cell)] * degrees;
        const double latitude = mesh.latitude[std::size_t(cell)] * degrees;
        const std::string turned = longitude > 0 ? text(longitude - 360) : text(longitude);
        const auto points =
            read_points(text("a ", longitude, " ", latitude, "\nb ", turned, " ", latitude), mesh);
        CHECK_EQ(points[0].cell, cell);
        CHECK_EQ(points[1].cell, cell);
    }
}

TEST_CASE("a point outside the sea is refused by its name, with its distance") {
    const VoronoiMesh patch = mesh_of(support::mesh_file(support::hexagons(12, 10, 20e3)));
    const double longitude = patch.longitude.front() * degrees;
    const double latitude = patch.latitude.front() * degrees;
    CHECK_EQ(read_points(text("in ", longitude, " ", latitude), patch).front().cell, 0);
    const auto told = support::message_of<ConfigError>([&] {
        (void)read_points(
            text("in ", longitude, " ", latitude, "\nfar ", longitude, " ", latitude - 0.5), patch);
    });
    // Half a degree is 55.6 km.
    CAPTURE(told);
    CHECK(told.starts_with("fvwam: points: far is 55.59"));
    CHECK(told.ends_with("the point is on land or outside"));
}

TEST_CASE("spectra of points integrate to the heights of their cells, and have the same bits") {
    Settings settings = wave_settings();
    settings.set("points", std::string("west 120 3\nnorth 40 60\nsouth -20 -50"));
    const auto plan = make_run_plan(settings, 1);
    const WaveSnapshot one = run_waves(1, settings);
    const SpectralGrid& spectrum = plan->spectrum;
    const auto values = std::size_t(spectrum.size());
    CHECK_EQ(one.spectra.size(), 3 * values);
    for (std::size_t n = 0; n < 3; ++n) {
        const double height =
            sea_state(spectrum, one.spectra.data() + n * values).significant_height;
        const auto cell = std::size_t(plan->points[n].cell);
        CHECK(height > 0.1);
        CHECK(std::abs(height / one.fields[significant_height][cell] - 1) < 1e-12);
    }
    for (const Rank ranks : {2, 5, 33}) CHECK(run_waves(ranks, settings).spectra == one.spectra);
}

TEST_CASE("points change no field, and there are no spectra without them") {
    Settings settings = wave_settings();
    const WaveSnapshot without = run_waves(4, settings);
    CHECK(without.spectra.empty());
    settings.set("points", std::string("west 120 3"));
    CHECK(same_bits(run_waves(4, settings), without));
}
