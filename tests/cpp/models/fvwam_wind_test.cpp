/// Winds: the profile, track and turning of a typhoon, and winds of files.
#include <cmath>
#include <functional>
#include <numbers>

#include "support/folder.hpp"
#include "support/messages.hpp"
#include "support/netcdf_writer.hpp"
#include "testing.hpp"
#include "tradewind/base/errors.hpp"
#include "tradewind/models/fvwam/forcing/wind.hpp"
#include "tradewind/models/fvwam/spectrum.hpp"

using namespace tradewind;
using namespace tradewind::fvwam;
using support::WrittenNetcdf;

namespace {

constexpr double degree = std::numbers::pi / 180;

GeographicPoint place_at(double longitude, double latitude) {
    return {longitude * degree, latitude * degree};
}

/// Returns the place at a distance to the east of a centre, in m.
GeographicPoint east_of(const GeographicPoint& center, double distance) {
    return {center.longitude + distance / (earth_radius * std::cos(center.latitude)),
            center.latitude};
}

std::string complaint(const auto& action) {
    return support::message_of<ConfigError>(action);
}

std::string track_complaint(const std::string& track) {
    return complaint([&] { (void)read_track(track); });
}

bool near(double a, double b, double tolerance) {
    return std::abs(a - b) < tolerance;
}

}  // namespace

TEST_CASE("the vortex has the winds and pressures of the table") {
    const HollandVortex vortex{95000, 40e3, 20 * degree};
    CHECK_EQ(vortex.shape(), 1.75);
    struct Row {
        double distance;
        double wind;
        double pressure;
    };
    for (const Row& row : {Row{10e3, 0.838479, 95000.073}, Row{40e3, 53.668795, 97207.277},
                           Row{100e3, 34.142894, 99906.545}, Row{400e3, 5.560494, 100894.246}}) {
        CAPTURE(row.distance);
        CHECK(near(vortex.gradient_wind(row.distance), row.wind, 5.1e-7));
        CHECK(near(vortex.surface_pressure(row.distance), row.pressure, 5.1e-4));
    }
    CHECK_EQ(vortex.gradient_wind(1), vortex.gradient_wind(10));
    CHECK_EQ(vortex.gradient_wind(801e3), 0.0);
}

TEST_CASE("a typhoon turns counterclockwise in the north, clockwise in the south, and inwards") {
    for (const double latitude : {20.0, -20.0}) {
        CAPTURE(latitude);
        const GeographicPoint center = place_at(140, latitude);
        const TyphoonWind typhoon({{0, center, 95000, 40e3}}, {});
        const double speed = 0.8 * 53.668795;
        const double turn = latitude > 0 ? 1 : -1;
        const WindVector wind = typhoon.at(east_of(center, 40e3));
        CHECK(near(wind.east, -speed * std::sin(20 * degree), 0.05));
        CHECK(near(wind.north, turn * speed * std::cos(20 * degree), 0.05));
        const GeographicPoint to_the_north{center.longitude, center.latitude + 40e3 / earth_radius};
        const WindVector above = typhoon.at(to_the_north);
        CHECK(near(above.east, -turn * speed * std::cos(20 * degree), 0.05));
        CHECK(near(above.north, -speed * std::sin(20 * degree), 0.05));
    }
}

TEST_CASE("far from a typhoon there is its background alone, near it the sum of both") {
    const GeographicPoint center = place_at(140, 20);
    const TyphoonWind calm({{0, center, 95000, 40e3}}, {});
    const TyphoonWind windy({{0, center, 95000, 40e3}}, {3, -4});
    const WindVector far = windy.at(east_of(center, 810e3));
    CHECK_EQ(far.east, 3.0);
    CHECK_EQ(far.north, -4.0);
    const WindVector both = windy.at(east_of(center, 100e3));
    const WindVector own = calm.at(east_of(center, 100e3));
    CHECK(near(both.east, own.east + 3, 1e-12) && near(both.north, own.north - 4, 1e-12));
}

TEST_CASE("the centre moves along the track, and its motion adds to the wind near it") {
    const std::vector<TrackPoint> track{{0, place_at(140, 10), 96000, 30e3},
                                        {6 * 3600.0, place_at(141, 10), 95000, 50e3},
                                        {12 * 3600.0, place_at(141, 12), 95000, 50e3}};
    TyphoonWind moving(track, {});
    moving.set_time(3 * 3600.0);
    const GeographicPoint middle = place_at(140.5, 10);
    const TyphoonWind still({{0, middle, 95500, 40e3}}, {});
    // One degree of longitude at 10 degrees north in six hours.
    const double speed = degree * earth_radius * std::cos(10 * degree) / (6 * 3600);
    const GeographicPoint at_the_ring = east_of(middle, 40e3);
    CHECK(near(moving.at(at_the_ring).east - still.at(at_the_ring).east, speed, 0.02));
    CHECK(near(moving.at(at_the_ring).north - still.at(at_the_ring).north, 0, 0.02));
    const GeographicPoint outside = east_of(middle, 200e3);
    const double weight = std::exp(-0.25 * std::numbers::pi * 4);
    CHECK(near(moving.at(outside).east - still.at(outside).east, speed * weight, 0.002));
    // At a point of the track the motion is that of what follows, and at the ends it rests.
    moving.set_time(6 * 3600.0);
    const TyphoonWind later({{0, track[1].center, 95000, 50e3}}, {});
    const GeographicPoint ring = east_of(track[1].center, 50e3);
    CHECK(near(moving.at(ring).north - later.at(ring).north, 2 * degree * earth_radius / (6 * 3600),
               0.02));
    moving.set_time(12 * 3600.0);
    const TyphoonWind end({{0, track[2].center, 95000, 50e3}}, {});
    const GeographicPoint there = east_of(track[2].center, 50e3);
    CHECK_EQ(moving.at(there).east, end.at(there).east);
    CHECK_EQ(moving.at(there).north, end.at(there).north);
}

TEST_CASE("nobody knows where a typhoon is beyond its track, unless it stays at one point") {
    const std::vector<TrackPoint> track{{0, place_at(140, 10), 96000, 30e3},
                                        {6 * 3600.0, place_at(141, 10), 95000, 50e3}};
    TyphoonWind moving(track, {});
    CHECK(complaint([&] { moving.set_time(6.5 * 3600); }).find("cover the hours 0 to 6, but") !=
          std::string::npos);
    CHECK(complaint([&] {
              const TyphoonWind late({track[1], {8 * 3600.0, track[0].center}}, {});
          }).find("is needed at 0") != std::string::npos);
    TyphoonWind still({track[1]}, {});
    still.set_time(99 * 3600.0);
    CHECK_EQ(still.at(east_of(track[1].center, 50e3)).north,
             TyphoonWind({{0, track[1].center, 95000, 50e3}}, {})
                 .at(east_of(track[1].center, 50e3))
                 .north);
}

TEST_CASE("a track crosses the date line on the shorter way") {
    for (const double second : {-179.0, 181.0}) {
        CAPTURE(second);
        TyphoonWind moving(
            {{0, place_at(179, 10), 95000, 40e3}, {6 * 3600.0, place_at(second, 10), 95000, 40e3}},
            {});
        moving.set_time(3 * 3600.0);
        const TyphoonWind still({{0, place_at(180, 10), 95000, 40e3}}, {});
        const GeographicPoint ring = east_of(place_at(-180, 10), 40e3);
        const double speed = 2 * degree * earth_radius * std::cos(10 * degree) / (6 * 3600);
        CHECK(near(moving.at(ring).east - still.at(ring).east, speed, 0.02));
        CHECK(near(moving.at(ring).north, still.at(ring).north, 0.05));
    }
}

TEST_CASE("a track is read with comments, and errors name the line") {
    const auto track = read_track(
        "# hours, degrees, hPa, km\n0 128.5 18 975 60\n\n  6 127 19.5 950 40 # deeper\r\n");
    CHECK_EQ(track.size(), std::size_t(2));
    CHECK_EQ(track[1].time, 6 * 3600.0);
    CHECK(near(track[1].center.longitude, 127 * degree, 1e-15));
    CHECK(near(track[1].center.latitude, 19.5 * degree, 1e-15));
    CHECK_EQ(track[1].pressure, 95000.0);
    CHECK_EQ(track[1].radius_of_max, 40e3);
    const std::string first = "0 128 18 975 60\n";
    for (const char* const wrong :
         {"6 128 19.5 950", "6 128 19.5 950 40 3", "6 128 95 950 40", "6 400 19.5 950 40",
          "6 128 19.5 700 40", "6 128 19.5 1010 40", "6 128 19.5 950 0", "6 128 19.5 950 501",
          "six 128 19.5 950 40", "6 128 nan 950 40"}) {
        CAPTURE(wrong);
        CHECK(track_complaint(first + wrong)
                  .starts_with(text("fvwam: track, line 2: \"", wrong, "\": expected hours")));
    }
    CHECK_EQ(track_complaint(first + "\n0 128 18 975 60\n"),
             "fvwam: track, line 3: hours must increase");
    CHECK_EQ(track_complaint("# nothing\n"), "fvwam: track: has no point");
}

namespace {

/// A wind that is linear in time (h), latitude and longitude (degrees).
double linear(double time, double latitude, double longitude) {
    return 2 + 0.5 * time - 0.25 * latitude + 0.125 * longitude;
}

/// Returns winds on an axis of times, of latitudes and of longitudes.
WrittenNetcdf wind_on(const std::vector<double>& times, const std::vector<double>& latitudes,
                      const std::vector<double>& longitudes) {
    WrittenNetcdf file;
    file.version = 2;
    file.dimensions = {{"time", std::int64_t(times.size())},
                       {"lat", std::int64_t(latitudes.size())},
                       {"lon", std::int64_t(longitudes.size())}};
    file.variables["time"] = {
        {"time"}, support::netcdf_double, times, {{"units", "hours since 2024-04-15"}}, {}};
    file.variables["lat"] = {{"lat"}, support::netcdf_double, latitudes, {}, {}};
    file.variables["lon"] = {{"lon"}, support::netcdf_double, longitudes, {}, {}};
    for (const char* const name : {"u10", "v10"}) {
        file.variables[name] = {{"time", "lat", "lon"}, support::netcdf_float, {}, {}, {}};
        const double sign = name[0] == 'u' ? 1 : -1;
        for (const double time : times)
            for (const double latitude : latitudes)
                for (const double longitude : longitudes)
                    file.variables[name].values.push_back(sign * linear(time, latitude, longitude));
    }
    return file;
}

WrittenNetcdf usual_wind() {
    return wind_on({0, 6, 24}, {-10, 0, 5, 30}, {100, 110, 140});
}

class WindFolder {
public:
    std::unique_ptr<WindField> open(const WrittenNetcdf& file) {
        file.write(path());
        return open_wind_file(path());
    }
    std::string complaint_about(const std::function<void(WrittenNetcdf&)>& change) {
        WrittenNetcdf file = usual_wind();
        change(file);
        const std::string told = complaint([&] { (void)open(file); });
        return told.starts_with(path() + ": ") ? told.substr(path().size() + 2) : told;
    }
    [[nodiscard]] std::string path() const { return folder_.path() / "wind.nc"; }

private:
    support::Folder folder_;
};

void check_linear(WindField& wind) {
    for (const double hours : {0.0, 1.0, 6.0, 20.0, 24.0}) {
        wind.set_time(hours * 3600);
        for (const double latitude : {-10.0, -3.0, 5.0, 17.0, 30.0}) {
            for (const double longitude : {100.0, 105.0, 133.0, 140.0, -250.0}) {
                const WindVector found = wind.at(place_at(longitude, latitude));
                const double east = longitude < 0 ? longitude + 360 : longitude;
                CHECK(near(found.east, linear(hours, latitude, east), 1e-5));
                CHECK(near(found.north, -linear(hours, latitude, east), 1e-5));
            }
        }
    }
}

}  // namespace

TEST_CASE("winds of a file are interpolated linearly in time and space") {
    WindFolder folder;
    const auto wind = folder.open(usual_wind());
    check_linear(*wind);
    // In the other order of latitudes, with times of another unit and origin, and in records.
    WrittenNetcdf other = wind_on({0, 6, 24}, {30, 5, 0, -10}, {100, 110, 140});
    for (double& time : other.variables["time"].values) time = 1e6 + 60 * time;
    other.variables["time"].texts["units"] = "minutes since 1900-01-01";
    check_linear(*folder.open(other));
    WrittenNetcdf records = usual_wind();
    records.dimensions.erase("time");
    records.dimensions["records"] = 3;
    records.variables["records"] = records.variables["time"];
    records.variables.erase("time");
    for (const char* const name : {"records", "u10", "v10"})
        records.variables[name].dimensions[0] = "records";
    check_linear(*folder.open(records));
}

TEST_CASE("longitudes that go round the Earth are closed") {
    WindFolder folder;
    std::vector<double> longitudes;
    for (int n = 0; n < 36; ++n) longitudes.push_back(10.0 * n);
    const auto wind = folder.open(wind_on({0}, {-90, 90}, longitudes));
    const auto at = [&](double longitude) { return wind->at(place_at(longitude, 0)).east; };
    CHECK(near(at(355), 0.5 * (linear(0, 0, 350) + linear(0, 0, 0)), 1e-5));
    CHECK(near(at(-5), at(355), 1e-9));
    CHECK(near(at(352), 0.8 * linear(0, 0, 350) + 0.2 * linear(0, 0, 0), 1e-5));
    CHECK(near(at(-0.0), linear(0, 0, 0), 1e-5));
    wind->check(place_at(359, 89));
    wind->check(place_at(-1, -90));
}

TEST_CASE("longitudes that repeat the first meridian are closed, too") {
    WindFolder folder;
    std::vector<double> longitudes;
    for (int n = 0; n <= 36; ++n) longitudes.push_back(10.0 * n);
    for (const bool is_reversed : {false, true}) {
        if (is_reversed) std::ranges::reverse(longitudes);
        const auto wind = folder.open(wind_on({0}, {-90, 90}, longitudes));
        const auto at = [&](double longitude) { return wind->at(place_at(longitude, 0)).east; };
        CHECK(near(at(355), 0.5 * (linear(0, 0, 350) + linear(0, 0, 0)), 1e-5));
        CHECK(near(at(15), linear(0, 0, 15), 1e-5));
        for (const double angle : {0.0, -1e-13, 360.0, -1e-6})
            CHECK(near(at(angle), linear(0, 0, 0), 1e-3));
    }
}

TEST_CASE("a place at the western end of a file has the wind of that end") {
    WindFolder folder;
    for (const double first : {0.0, 100.1, 179.7, -75.3, 259.9}) {
        CAPTURE(first);
        const auto wind = folder.open(wind_on({0}, {-10, 30}, {first, first + 7, first + 20}));
        for (const double off : {-1e-4, -1e-13, 0.0, 1e-13}) {
            for (const double turn : {-360.0, 0.0, 360.0}) {
                const GeographicPoint place = place_at(first + off + turn, 3);
                wind->check(place);
                CHECK(near(wind->at(place).east, linear(0, 3, first), 1e-4));
            }
        }
        CHECK(complaint([&] { wind->check(place_at(first - 0.01, 3)); }) != "");
    }
}

TEST_CASE("packed values are unpacked") {
    WindFolder folder;
    WrittenNetcdf file = usual_wind();
    for (const char* const name : {"u10", "v10"}) {
        support::WrittenVariable& variable = file.variables[name];
        variable.type = support::netcdf_short;
        variable.numbers = {{"scale_factor", 0.03125}, {"add_offset", 5.0}, {"_FillValue", -32767}};
        for (double& value : variable.values) value = (value - 5) * 32;
    }
    check_linear(*folder.open(file));
    const std::string told = folder.complaint_about([&](WrittenNetcdf& other) {
        other = file;
        other.variables["v10"].values[7] = -32767;
    });
    CHECK_EQ(told, "v10 has missing values");
}

TEST_CASE("places and times that a file does not have are refused") {
    WindFolder folder;
    const auto wind = folder.open(usual_wind());
    wind->check(place_at(100, -10));
    wind->check(place_at(-220, 30));
    for (const GeographicPoint& outside :
         {place_at(99, 0), place_at(141, 0), place_at(120, -11), place_at(120, 31)}) {
        CHECK(
            complaint([&] { wind->check(outside); })
                .starts_with(folder.path() +
                             ": the wind covers longitudes 100..140 and latitudes -10..30, not "));
    }
    CHECK_EQ(complaint([&] { wind->set_time(25 * 3600.0); }),
             folder.path() + ": the wind ends 24 h after its beginning, before 25 h");
    const auto single = folder.open(wind_on({7}, {-10, 30}, {100, 140}));
    single->set_time(0);
    CHECK(near(single->at(place_at(120, 0)).east, linear(7, 0, 120), 1e-5));
    CHECK(complaint([&] { single->set_time(60); }) != "");
}

TEST_CASE("wind files that are not as expected are refused, naming the variable") {
    WindFolder folder;
    const auto told = [&](const auto& change) { return folder.complaint_about(change); };
    CHECK(told([](WrittenNetcdf& file) {
              file.variables.erase("v10");
          }).starts_with("has no wind; expected a variable named one of v10, V10"));
    CHECK_EQ(told([](WrittenNetcdf& file) { file.variables.erase("lat"); }), "has no variable lat");
    CHECK_EQ(told([](WrittenNetcdf& file) {
                 file.variables["u10"].dimensions = {"lat", "lon"};
                 file.variables["u10"].values.resize(12);
             }),
             "u10 and v10: expected dimensions time, latitude, longitude");
    CHECK_EQ(
        told([](WrittenNetcdf& file) { file.variables["time"].texts["units"] = "fortnights"; }),
        "time: units = \"fortnights\": expected seconds, minutes, hours or days since a date");
    CHECK_EQ(told([](WrittenNetcdf& file) { file.variables["time"].texts.clear(); }),
             "time: units = \"\": expected seconds, minutes, hours or days since a date");
    CHECK_EQ(told([](WrittenNetcdf& file) { file.variables["time"].values = {0, 6, 6}; }),
             "time: expected ascending times");
    CHECK_EQ(told([](WrittenNetcdf& file) { file.variables["time"].values[1] = NAN; }),
             "time: expected ascending times");
    CHECK_EQ(told([](WrittenNetcdf& file) { file.variables["lat"].values = {0, 1, 1, 2}; }),
             "lat: expected two values at least, in order");
    CHECK_EQ(told([](WrittenNetcdf& file) { file.variables["lon"].values[1] = NAN; }),
             "lon: expected two values at least, in order");
    CHECK_EQ(told([](WrittenNetcdf& file) { file.variables["u10"].values[3] = NAN; }),
             "u10 has missing values");
    CHECK_EQ(told([](WrittenNetcdf& file) {
                 file.variables["v10"].numbers["missing_value"] = 1e20;
                 file.variables["v10"].values[5] = 1e20;
             }),
             "v10 has missing values");
    // An axis with more values than the dimension whose name it has.
    CHECK_EQ(told([](WrittenNetcdf& file) {
                 file.variables["lat"].dimensions = {"lat", "lon"};
                 file.variables["lat"].values.assign(12, 0.0);
                 for (int n = 0; n < 12; ++n) file.variables["lat"].values[std::size_t(n)] = n;
             }),
             "lat: expected a value for each lat");
}
