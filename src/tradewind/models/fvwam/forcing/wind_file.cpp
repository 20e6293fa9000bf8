/// Winds from a file.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "tradewind/base/errors.hpp"
#include "tradewind/models/fvwam/forcing/wind.hpp"
#include "tradewind/models/fvwam/mesh/netcdf_classic.hpp"

namespace tradewind::fvwam {

namespace {

constexpr double degrees = 180 / std::numbers::pi;
/// No wind at 10 m blows as hard; fill values that no attribute names are far above.
constexpr double strongest_wind = 150.0;  // m/s

/// A place between two points of an axis.
struct Between {
    std::size_t low;
    std::size_t high;
    double share;
};

/// Reports whether each value is finite and above the one before.
[[nodiscard]] bool ascends(const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double one) { return std::isfinite(one); }) &&
           std::ranges::adjacent_find(values, std::ranges::greater_equal{}) == values.end();
}

/// An ascending axis of degrees, which may go round the Earth.
class DegreeAxis {
public:
    DegreeAxis() = default;
    /// Takes the values of a variable, ascending or descending.
    DegreeAxis(const NetcdfFile& file, const std::string& name, std::vector<double> values,
               bool may_be_closed)
        : values_(std::move(values)), count_(values_.size()) {
        is_reversed_ = values_.size() > 1 && values_.front() > values_.back();
        if (is_reversed_) std::ranges::reverse(values_);
        if (values_.size() < 2 || !ascends(values_))
            throw ConfigError(
                text(file.name(), ": ", name, ": expected two values at least, in order"));
        // Some files repeat the first meridian at the end.
        while (may_be_closed && values_.size() > 2 &&
               values_.back() > first() + full_circle - slack)
            values_.pop_back();
        const double step = values_[1] - values_[0];
        is_closed_ =
            may_be_closed && values_.back() - values_.front() + step > full_circle - 1e-6 * step;
    }

    /// Returns the number of values in the file.
    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    [[nodiscard]] double first() const { return values_.front(); }
    [[nodiscard]] double last() const { return values_.back(); }
    /// Reports whether a value lies on the axis, to a thousandth of a degree.
    [[nodiscard]] bool covers(double value) const {
        return is_closed_ || (value >= first() - slack && value <= last() + slack);
    }
    /// Returns the points around a value, as they are numbered in the file.
    [[nodiscard]] Between around(double value) const {
        const auto above = std::ranges::upper_bound(values_, value);
        auto high = std::size_t(above - values_.begin());
        const bool is_outside = high == 0 || high == values_.size();
        if (is_outside && !is_closed_) high = high == 0 ? 1 : values_.size() - 1;
        if (is_outside && is_closed_) {
            const double gap = first() + full_circle - last();
            const double way = high == 0 ? value + full_circle - last() : value - last();
            return {in_file(values_.size() - 1), in_file(0), std::clamp(way / gap, 0.0, 1.0)};
        }
        const double share = (value - values_[high - 1]) / (values_[high] - values_[high - 1]);
        return {in_file(high - 1), in_file(high), std::clamp(share, 0.0, 1.0)};
    }
    /// Returns an angle in degrees moved by full circles into those of the axis. Rounding at its
    /// beginning does not move it to the end.
    [[nodiscard]] double turned(double angle) const {
        const double turns = std::floor((angle - first() + slack) / full_circle);
        return angle - turns * full_circle;
    }

private:
    static constexpr double full_circle = 360.0;
    static constexpr double slack = 1e-3;
    [[nodiscard]] std::size_t in_file(std::size_t n) const {
        return is_reversed_ ? count_ - 1 - n : n;
    }

    std::vector<double> values_;
    std::size_t count_ = 0;
    bool is_reversed_ = false;
    bool is_closed_ = false;
};

/// Returns the name of the variable with a standard name.
[[nodiscard]] std::string find_component(const NetcdfFile& file,
                                         std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names)
        if (file.has(name)) return std::string(name);
    std::string known;
    for (const std::string_view name : names) known += text(known.empty() ? "" : ", ", name);
    throw ConfigError(text(file.name(), ": has no wind; expected a variable named one of ", known));
}

/// Returns a text among the attributes of a variable, or nothing.
[[nodiscard]] std::string text_of(const NetcdfVariable& variable, const char* name) {
    const auto found = variable.texts.find(name);
    return found == variable.texts.end() ? std::string{} : found->second;
}

[[nodiscard]] bool is_one_of(std::string_view word, std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, word) != names.end();
}

/// Returns the seconds of the unit of a time axis such as "hours since 2024-04-15".
[[nodiscard]] double seconds_of_unit(const NetcdfFile& file, const NetcdfVariable& time) {
    const std::string units = text_of(time, "units");
    const std::string word = units.substr(0, units.find(' '));
    if (is_one_of(word, {"s", "sec", "second", "seconds"})) return 1.0;
    if (is_one_of(word, {"min", "minute", "minutes"})) return 60.0;
    if (is_one_of(word, {"h", "hr", "hour", "hours"})) return 3600.0;
    if (is_one_of(word, {"d", "day", "days"})) return 86400.0;
    throw ConfigError(text(file.name(), ": ", time.name, ": units = \"", units,
                           "\": expected seconds, minutes, hours or days since a date"));
}

/// Returns the date at which the first wind is, if the unit of the time axis names one.
[[nodiscard]] TimeOrigin origin_of(const NetcdfFile& file, const NetcdfVariable& time,
                                   double start_s) {
    constexpr std::string_view before = " since ";
    const std::string units = text_of(time, "units");
    const std::size_t place = units.find(before);
    if (place == std::string::npos) return {};
    const std::string date = units.substr(place + before.size());
    int year = 0;
    int month = 0;
    int day = 0;
    const bool is_date = std::sscanf(date.c_str(), "%d-%d-%d", &year, &month, &day) == 3 &&
                         month >= 1 && month <= 12 && day >= 1 && day <= 31;
    if (!is_date)
        throw ConfigError(text(file.name(), ": ", time.name, ": units = \"", units,
                               "\": expected a date such as 2024-04-15 after \"since\""));
    return {date, text_of(time, "calendar"), start_s};
}

enum class CoordinateKind { unknown, latitude, longitude };

/// Returns the axis that a variable says it is, by its unit, or else by its names.
[[nodiscard]] CoordinateKind axis_of(const NetcdfVariable& variable) {
    const std::string units = text_of(variable, "units");
    for (const std::string_view word : {"degrees_", "degree_", "degrees", "degree"}) {
        if (!units.starts_with(word)) continue;
        const std::string_view pole = std::string_view(units).substr(word.size());
        if (pole == "north" || pole == "N") return CoordinateKind::latitude;
        if (pole == "east" || pole == "E") return CoordinateKind::longitude;
    }
    const std::string standard = text_of(variable, "standard_name");
    for (const std::string_view name :
         {std::string_view(standard), std::string_view(variable.name)}) {
        if (name == "latitude" || name == "lat") return CoordinateKind::latitude;
        if (name == "longitude" || name == "lon") return CoordinateKind::longitude;
    }
    return CoordinateKind::unknown;
}

/// Returns the m/s of the unit of a wind; without a unit it is m/s.
[[nodiscard]] double speed_of_unit(const NetcdfFile& file, const NetcdfVariable& wind) {
    constexpr double knot = 1852.0 / 3600;
    const std::string units = text_of(wind, "units");
    if (is_one_of(units, {"", "m s-1", "m/s", "m s**-1", "m s^-1", "m.s-1", "m*s-1", "m sec-1",
                          "m/sec", "meter second-1", "metre second-1", "meters/second",
                          "meters per second", "ms-1"}))
        return 1.0;
    if (is_one_of(units, {"knot", "knots", "kt", "kts"})) return knot;
    if (is_one_of(units, {"km h-1", "km/h", "km hr-1", "km/hr", "km hour-1", "km h**-1"}))
        return 1 / 3.6;
    throw ConfigError(text(file.name(), ": ", wind.name, ": units = \"", units,
                           "\": expected m s-1, knots or km h-1"));
}

class FileWind final : public WindField {
public:
    explicit FileWind(const std::string& path) : file_(path) {
        east_name_ = find_component(file_, {"u10", "U10", "10u", "uwnd", "UWND", "eastward_wind"});
        north_name_ =
            find_component(file_, {"v10", "V10", "10v", "vwnd", "VWND", "northward_wind"});
        const NetcdfVariable& east = file_.variable(east_name_);
        if (east.shape.size() != 3 || file_.variable(north_name_).shape != east.shape)
            throw ConfigError(text(file_.name(), ": ", east_name_, " and ", north_name_,
                                   ": expected dimensions time, latitude, longitude"));
        const CoordinateKind second = axis_of(file_.variable(east.dimensions[1]));
        const CoordinateKind third = axis_of(file_.variable(east.dimensions[2]));
        is_transposed_ = second == CoordinateKind::longitude || third == CoordinateKind::latitude;
        if (second == third && second != CoordinateKind::unknown)
            throw ConfigError(text(file_.name(), ": ", east_name_, ": its dimensions ",
                                   east.dimensions[1], " and ", east.dimensions[2],
                                   " are both latitudes or both longitudes"));
        latitudes_ = axis(east.dimensions[is_transposed_ ? 2 : 1], false);
        longitudes_ = axis(east.dimensions[is_transposed_ ? 1 : 2], true);
        const NetcdfVariable& time = file_.variable(east.dimensions[0]);
        times_ = coordinates(time.name);
        const double unit = seconds_of_unit(file_, time);
        const double begin = times_.empty() ? 0.0 : times_.front();
        origin_ = origin_of(file_, time, unit * begin);
        for (double& one : times_) one = unit * (one - begin);
        if (times_.empty() || !ascends(times_))
            throw ConfigError(text(file_.name(), ": ", time.name, ": expected ascending times"));
        read_all();
        FileWind::set_time(0.0);
    }

    void set_time(double time) override {
        constexpr double slack = 1e-6;
        if (time > times_.back() + slack) {
            throw ConfigError(text(file_.name(), ": the wind ends ", times_.back() / 3600,
                                   " h after its beginning, before ", time / 3600, " h"));
        }
        const auto above = std::ranges::upper_bound(times_, time);
        auto high = std::size_t(above - times_.begin());
        high = std::clamp<std::size_t>(high, 1, std::max<std::size_t>(times_.size() - 1, 1));
        if (times_.size() == 1) {
            now_ = {0, 0, 0.0};
            return;
        }
        const double share = (time - times_[high - 1]) / (times_[high] - times_[high - 1]);
        now_ = {high - 1, high, std::clamp(share, 0.0, 1.0)};
    }

    [[nodiscard]] TimeOrigin origin() const override { return origin_; }

    [[nodiscard]] WindVector at(const GeographicPoint& place) const override {
        const Between j = latitudes_.around(place.latitude * degrees);
        const Between i = longitudes_.around(longitudes_.turned(place.longitude * degrees));
        return {value(east_, j, i), value(north_, j, i)};
    }

    void check(const GeographicPoint& place) const override {
        const double latitude = place.latitude * degrees;
        const double longitude = longitudes_.turned(place.longitude * degrees);
        if (latitudes_.covers(latitude) && longitudes_.covers(longitude)) return;
        throw ConfigError(text(file_.name(), ": the wind covers longitudes ", longitudes_.first(),
                               "..", longitudes_.last(), " and latitudes ", latitudes_.first(),
                               "..", latitudes_.last(), ", not ", longitude, ", ", latitude));
    }

private:
    [[nodiscard]] DegreeAxis axis(const std::string& name, bool may_be_closed) {
        return {file_, name, coordinates(name), may_be_closed};
    }
    /// Returns the values of a dimension, in the variable with its name.
    [[nodiscard]] std::vector<double> coordinates(const std::string& name) {
        const std::vector<std::string> own{name};
        if (file_.variable(name).dimensions != own)
            throw ConfigError(text(file_.name(), ": ", name, ": expected a value for each ", name));
        return file_.reals(name);
    }
    void read_all() {
        const auto numbers = [&](const std::string& name) {
            const std::vector<double> packed = file_.reals(name);
            const auto& about = file_.variable(name).numbers;
            const auto attribute = [&](const char* key, double otherwise) {
                const auto found = about.find(key);
                return found == about.end() ? otherwise : found->second;
            };
            const double unit = speed_of_unit(file_, file_.variable(name));
            std::vector<float> values;
            values.reserve(packed.size());
            for (const double one : packed) {
                // An attribute may have more digits than the values.
                const bool is_missing = float(one) == float(attribute("_FillValue", NAN)) ||
                                        float(one) == float(attribute("missing_value", NAN));
                if (!std::isfinite(one) || is_missing)
                    throw ConfigError(text(file_.name(), ": ", name, " has missing values"));
                const double speed =
                    unit * (attribute("scale_factor", 1.0) * one + attribute("add_offset", 0.0));
                if (!(std::abs(speed) <= strongest_wind))
                    throw ConfigError(text(file_.name(), ": ", name, " has ", speed,
                                           " m/s; expected at most ", strongest_wind, " m/s"));
                values.push_back(float(speed));
            }
            return values;
        };
        east_ = numbers(east_name_);
        north_ = numbers(north_name_);
    }
    [[nodiscard]] double value(const std::vector<float>& field, const Between& j,
                               const Between& i) const {
        const auto mix = [](double low, double high, double share) {
            return low + share * (high - low);
        };
        const auto level = [&](std::size_t time) {
            const auto one = [&](std::size_t row, std::size_t column) {
                const std::size_t place = is_transposed_ ? column * latitudes_.size() + row
                                                         : row * longitudes_.size() + column;
                return double(field[time * latitudes_.size() * longitudes_.size() + place]);
            };
            return mix(mix(one(j.low, i.low), one(j.low, i.high), i.share),
                       mix(one(j.high, i.low), one(j.high, i.high), i.share), j.share);
        };
        return mix(level(now_.low), level(now_.high), now_.share);
    }

    NetcdfFile file_;
    std::string east_name_;
    std::string north_name_;
    /// True if the longitude is before the latitude in the file.
    bool is_transposed_ = false;
    DegreeAxis latitudes_;
    DegreeAxis longitudes_;
    TimeOrigin origin_;
    std::vector<double> times_;
    std::vector<float> east_;
    std::vector<float> north_;
    Between now_{0, 0, 0.0};
};

}  // namespace

std::unique_ptr<WindField> open_wind_file(const std::string& path) {
    return std::make_unique<FileWind>(path);
}

}  // namespace tradewind::fvwam
