/// WindField: the wind at 10 m over the sea, as a function of place and time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tradewind/program/time_origin.hpp"

namespace tradewind::fvwam {

/// A wind at 10 m in m/s: its components to the east and to the north.
struct WindVector {
    double east = 0.0;
    double north = 0.0;
};

/// A place in rad.
struct GeographicPoint {
    double longitude = 0.0;
    double latitude = 0.0;
};

class WindField {
public:
    virtual ~WindField() = default;
    /// Prepares the wind of a time in s since the beginning. Throws ConfigError if the field does
    /// not have it.
    virtual void set_time(double /*time*/) {}
    /// Returns the wind at a place.
    [[nodiscard]] virtual WindVector at(const GeographicPoint& place) const = 0;
    /// Returns the date at the beginning, if the field has dates.
    [[nodiscard]] virtual TimeOrigin origin() const { return {}; }
    /// Throws ConfigError if the field does not cover a place.
    virtual void check(const GeographicPoint& /*place*/) const {}
};

/// A wind that is the same everywhere.
class UniformWind final : public WindField {
public:
    explicit UniformWind(WindVector wind) : wind_(wind) {}
    [[nodiscard]] WindVector at(const GeographicPoint& /*place*/) const override { return wind_; }

private:
    WindVector wind_;
};

/// A point of the track of a typhoon.
struct TrackPoint {
    double time;             // s
    GeographicPoint center;  // rad
    double pressure;         // Pa
    double radius_of_max;    // m
};

/// Reads a track: lines of hours, longitude and latitude in degrees, central pressure in hPa and
/// radius of the strongest wind in km. Throws ConfigError naming the line.
[[nodiscard]] std::vector<TrackPoint> read_track(const std::string& text);

/// The profile of Holland at a distance from the centre.
struct HollandVortex {
    double pressure;       // Pa, in the centre
    double radius_of_max;  // m
    double latitude;       // rad

    /// Returns the exponent of the profile.
    [[nodiscard]] double shape() const;
    /// Returns the gradient wind in m/s, 0 beyond 800 km.
    [[nodiscard]] double gradient_wind(double distance) const;
    /// Returns the surface pressure in Pa.
    [[nodiscard]] double surface_pressure(double distance) const;
};

/// The wind of a typhoon on its track over a background: the profile of Holland, reduced and turned
/// towards the centre by friction, and the motion of the centre near it.
/// Sources: holland1980; pang2025 by its code.
class TyphoonWind final : public WindField {
public:
    TyphoonWind(std::vector<TrackPoint> track, WindVector background);
    void set_time(double time) override;
    [[nodiscard]] WindVector at(const GeographicPoint& place) const override;

private:
    std::vector<TrackPoint> track_;
    WindVector background_;
    TrackPoint now_{};
    WindVector motion_;
};

/// Winds in a NetCDF file in classic format that follows the CF conventions: two components over
/// time, latitude and longitude, interpolated linearly.
[[nodiscard]] std::unique_ptr<WindField> open_wind_file(const std::string& path);

}  // namespace tradewind::fvwam
