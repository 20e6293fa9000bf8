/// The parametric wind of a typhoon.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include "tradewind/base/errors.hpp"
#include "tradewind/models/fvwam/forcing/great_circle.hpp"
#include "tradewind/models/fvwam/forcing/wind.hpp"
#include "tradewind/models/fvwam/spectrum.hpp"
#include "tradewind/models/fvwam/text_lines.hpp"

namespace tradewind::fvwam {

namespace {

constexpr double radians = std::numbers::pi / 180;
constexpr double earth_rotation = 7.292e-5;        // 1/s
constexpr double environment_pressure = 101000.0;  // Pa
constexpr double farthest = 800e3;                 // m
constexpr double nearest = 10.0;                   // m
/// The surface wind over the gradient wind, and the angle by which friction turns it inwards.
constexpr double reduction = 0.8;
constexpr double inflow_angle = 20 * radians;
constexpr double seconds_per_hour = 3600.0;

/// The way from one place to another along a great circle.
struct GreatCircleArc {
    double distance;  // m
    double bearing;   // rad, clockwise from north
};

[[nodiscard]] GreatCircleArc way_between(const GeographicPoint& from, const GeographicPoint& to) {
    const double east = to.longitude - from.longitude;
    const double y = std::sin(east) * std::cos(to.latitude);
    const double x = std::cos(from.latitude) * std::sin(to.latitude) -
                     std::sin(from.latitude) * std::cos(to.latitude) * std::cos(east);
    return {distance_between(from, to), std::atan2(y, x)};
}

/// Returns the point of a line of a track.
[[nodiscard]] TrackPoint read_point(const TextLine& line) {
    std::istringstream words(line.content);
    double hours = 0;
    double longitude = 0;
    double latitude = 0;
    double pressure = 0;
    double radius = 0;
    std::string more;
    words >> hours >> longitude >> latitude >> pressure >> radius;
    const bool is_read = bool(words) && !(words >> more);
    const bool is_inside = std::abs(latitude) <= 90 && std::abs(longitude) <= 360 &&
                           pressure >= 800 && pressure < 0.01 * environment_pressure &&
                           radius > 0 && radius <= 500;
    if (!is_read || !is_inside) {
        throw ConfigError(text("fvwam: track, line ", line.number, ": \"", line.given,
                               "\": expected hours, longitude and latitude in degrees, pressure "
                               "of 800 to 1010 hPa, and radius of the strongest wind in km"));
    }
    return {hours * seconds_per_hour,
            {longitude * radians, latitude * radians},
            100 * pressure,
            1000 * radius};
}

}  // namespace

std::vector<TrackPoint> read_track(const std::string& given) {
    std::vector<TrackPoint> track;
    for (const TextLine& line : lines_of(given)) {
        track.push_back(read_point(line));
        if (track.size() > 1 && track.back().time <= track[track.size() - 2].time)
            throw ConfigError(text("fvwam: track, line ", line.number, ": hours must increase"));
    }
    if (track.empty()) throw ConfigError("fvwam: track: has no point");
    return track;
}

double HollandVortex::shape() const {
    return 1.5 + (98000 - pressure) / 100 / 120;
}

double HollandVortex::gradient_wind(double distance) const {
    if (distance > farthest) return 0.0;
    const double r = std::max(distance, nearest);
    const double power = std::pow(radius_of_max / r, shape());
    const double deficit = environment_pressure - pressure;
    const double turn = 0.5 * r * std::abs(2 * earth_rotation * std::sin(latitude));
    return std::sqrt(deficit * shape() / air_density * power * std::exp(-power) + turn * turn) -
           turn;
}

double HollandVortex::surface_pressure(double distance) const {
    const double power = std::pow(radius_of_max / std::max(distance, nearest), shape());
    return pressure + (environment_pressure - pressure) * std::exp(-power);
}

TyphoonWind::TyphoonWind(std::vector<TrackPoint> track, WindVector background)
    : track_(std::move(track)), background_(background) {
    TyphoonWind::set_time(0.0);
}

void TyphoonWind::set_time(double time) {
    // A single point is a typhoon that stays where it is.
    const double slack = 1e-9 * std::abs(time);
    if (track_.size() > 1 &&
        (time < track_.front().time - slack || time > track_.back().time + slack))
        throw ConfigError(text("fvwam: track: its points cover the hours ",
                               track_.front().time / 3600, " to ", track_.back().time / 3600,
                               ", but the wind is needed at ", time / 3600));
    const auto next = std::ranges::upper_bound(track_, time, {}, &TrackPoint::time);
    motion_ = {};
    if (next == track_.begin() || next == track_.end()) {
        now_ = next == track_.begin() ? track_.front() : track_.back();
        return;
    }
    const TrackPoint& from = *(next - 1);
    const double share = (time - from.time) / (next->time - from.time);
    const auto between = [share](double a, double b) { return a + share * (b - a); };
    // Across the date line, too, the shorter way.
    const double east =
        std::remainder(next->center.longitude - from.center.longitude, 2 * std::numbers::pi);
    now_ = {time,
            {from.center.longitude + share * east,
             between(from.center.latitude, next->center.latitude)},
            between(from.pressure, next->pressure),
            between(from.radius_of_max, next->radius_of_max)};
    const GreatCircleArc way = way_between(from.center, next->center);
    const double speed = way.distance / (next->time - from.time);
    motion_ = {speed * std::sin(way.bearing), speed * std::cos(way.bearing)};
}

WindVector TyphoonWind::at(const GeographicPoint& place) const {
    const GreatCircleArc way = way_between(place, now_.center);
    if (way.distance > farthest) return background_;
    const HollandVortex vortex{now_.pressure, now_.radius_of_max, now_.center.latitude};
    const double speed = reduction * vortex.gradient_wind(way.distance);
    // Counterclockwise around the centre in the north, and inwards from the circle.
    const double turn = now_.center.latitude < 0 ? -1.0 : 1.0;
    const double direction = way.bearing + turn * (0.5 * std::numbers::pi - inflow_angle);
    const double near = std::exp(-0.25 * std::numbers::pi *
                                 std::abs(way.distance - now_.radius_of_max) / now_.radius_of_max);
    return {background_.east + speed * std::sin(direction) + near * motion_.east,
            background_.north + speed * std::cos(direction) + near * motion_.north};
}

}  // namespace tradewind::fvwam
