#include "tradewind/models/fvwam/sources/wind_input.hpp"

#include <algorithm>
#include <cmath>

namespace tradewind::fvwam {

namespace {

constexpr double density_ratio = air_density / water_density;
/// Waves at a larger angle to the wind, with a smaller cosine, do not grow.
constexpr double least_cosine = 0.01;

/// The arguments of the kernels.
template <class Real>
struct Arguments {
    const RowShape& shape;
    const Rows<Real>& waves;
    const Real* cosine;
    const Real* east;
    const Real* north;
    /// u*/c and so on, one for each frequency.
    const Real* age;
    const Real* log;
    const Real* factor;
    Rows<Real>& rates;
    InputSums& sums;
};

/// Computes the rates of Janssen in one vector of directions.
template <class Real>
TRADEWIND_INLINE void janssen_rate(const Arguments<Real>& a, std::int64_t m,
                                   const Vector<Real>& cosine, Vector<Real>& rate) {
    const auto is_ahead = cosine > Real(least_cosine);
    const Vector<Real> one = Vector<Real>{} + Real(1);
    const Vector<Real> x = is_ahead ? cosine * a.age[m] : one;
    const Vector<Real> log = a.log[m] + Real(von_karman) / x;
    const Vector<Real> log_mu = log < Real(0) ? log : Vector<Real>{};
    Vector<Real> mu;
    exponential<Real>(log_mu, mu);
    const Vector<Real> root = log_mu * log_mu * x;
    const Vector<Real> grown = (a.factor[m] * mu) * (root * root);
    rate = is_ahead ? grown : Vector<Real>{};
}

template <class Real>
TRADEWIND_INLINE void snyder_rate(const Arguments<Real>& a, std::int64_t m,
                                  const Vector<Real>& cosine, Vector<Real>& rate) {
    const Vector<Real> grown = a.factor[m] * (cosine * a.age[m] - Real(1));
    rate = grown > Real(0) ? grown : Vector<Real>{};
}

/// Sums of one frequency over directions, in the lanes of vectors.
template <class Real>
struct Partial {
    Vector<Real> wind_sea{};
    Vector<Real> east{};
    Vector<Real> north{};
};

template <class Real>
TRADEWIND_INLINE void add(const Arguments<Real>& a, std::int64_t m, std::int64_t k,
                          const Vector<Real>& rate, Partial<Real>& sum) {
    const Vector<Real> waves = at(a.waves[m] + k);
    const Vector<Real> growth = rate * waves;
    sum.wind_sea += rate > Real(0) ? waves : Vector<Real>{};
    sum.east += growth * at(a.east + k);
    sum.north += growth * at(a.north + k);
}

template <class Real>
TRADEWIND_INLINE void finish(const Arguments<Real>& a, std::int64_t m, const Partial<Real>& sum) {
    a.sums.wind_sea[std::size_t(m)] = double(total<Real>(sum.wind_sea));
    a.sums.east[std::size_t(m)] = double(total<Real>(sum.east));
    a.sums.north[std::size_t(m)] = double(total<Real>(sum.north));
}

template <class Real>
TRADEWIND_INLINE void janssen_rows(const Arguments<Real>& a) {
    for (std::int64_t m = 0; m < a.shape.frequencies; ++m) {
        Partial<Real> sum;
        for (std::int64_t k = 0; k < a.shape.vectors * lanes<Real>; k += lanes<Real>) {
            Vector<Real> rate;
            janssen_rate<Real>(a, m, at(a.cosine + k), rate);
            at(a.rates[m] + k) = rate;
            add<Real>(a, m, k, rate, sum);
        }
        finish<Real>(a, m, sum);
    }
}

template <class Real>
TRADEWIND_INLINE void snyder_rows(const Arguments<Real>& a) {
    for (std::int64_t m = 0; m < a.shape.frequencies; ++m) {
        Partial<Real> sum;
        for (std::int64_t k = 0; k < a.shape.vectors * lanes<Real>; k += lanes<Real>) {
            Vector<Real> rate;
            snyder_rate<Real>(a, m, at(a.cosine + k), rate);
            at(a.rates[m] + k) = rate;
            add<Real>(a, m, k, rate, sum);
        }
        finish<Real>(a, m, sum);
    }
}

TRADEWIND_CLONES
void janssen(const Arguments<float>& a) {
    janssen_rows(a);
}
TRADEWIND_CLONES
void janssen(const Arguments<double>& a) {
    janssen_rows(a);
}
TRADEWIND_CLONES
void snyder(const Arguments<float>& a) {
    snyder_rows(a);
}
TRADEWIND_CLONES
void snyder(const Arguments<double>& a) {
    snyder_rows(a);
}

/// Computes ln(k z0) of all frequencies.
template <class Real>
TRADEWIND_INLINE void log_rows(std::int64_t frequencies, const Real* wave_number, double roughness,
                               Real* log) {
    for (std::int64_t m = 0; m < frequencies; m += lanes<double>) {
        Vector<double> scaled = Vector<double>{} + 1.0;
        const std::int64_t rest = std::min(lanes<double>, frequencies - m);
        for (std::int64_t n = 0; n < rest; ++n) scaled[n] = double(wave_number[m + n]) * roughness;
        Vector<double> result;
        logarithm(scaled, result);
        for (std::int64_t n = 0; n < rest; ++n) log[m + n] = Real(result[n]);
    }
}
TRADEWIND_CLONES
void logs(std::int64_t frequencies, const float* wave_number, double roughness, float* log) {
    log_rows(frequencies, wave_number, roughness, log);
}
TRADEWIND_CLONES
void logs(std::int64_t frequencies, const double* wave_number, double roughness, double* log) {
    log_rows(frequencies, wave_number, roughness, log);
}

}  // namespace

WaveGrowth wave_growth(double inverse_age, double roughness, double cosine) {
    const double x = (inverse_age + growth_shift) * cosine;
    if (x <= 0) return {0.0, 0.0, 0.0};
    const double log_mu = std::log(roughness) + von_karman / x;
    if (log_mu > 0) return {std::exp(log_mu), 0.0, 0.0};
    const double mu = std::exp(log_mu);
    const double beta = growth_factor / (von_karman * von_karman) * mu * std::pow(log_mu, 4);
    return {mu, beta, beta * x * x};
}

template <class Real>
WindInput<Real>::WindInput(const SpectralGrid& spectrum, const RowShape& shape, Physics physics)
    : physics_(physics),
      sector_(spectrum.sector()),
      directions_(shape, direction_rows),
      rates_(shape, shape.frequencies),
      numbers_(std::size_t(shape.frequencies * frequency_rows)),
      sums_(shape.frequencies) {
    for (std::int64_t m = 0; m < shape.frequencies; ++m) angular_.push_back(spectrum.angular(m));
    for (std::int64_t k = 0; k < shape.directions; ++k) {
        directions_[east_row][k] = Real(spectrum.east(k));
        directions_[north_row][k] = Real(spectrum.north(k));
    }
}

template <class Real>
void WindInput<Real>::turn(double direction) {
    wind_east_ = std::sin(direction);
    wind_north_ = std::cos(direction);
    const auto east = Real(wind_east_);
    const auto north = Real(wind_north_);
    for (std::int64_t k = 0; k < rates_.shape().directions; ++k) {
        const Real cosine = directions_[east_row][k] * east + directions_[north_row][k] * north;
        directions_[cosine_row][k] = cosine;
        directions_[spread_row][k] = cosine > 0 ? cosine * cosine : Real(0);
    }
}

template <class Real>
void WindInput<Real>::evaluate(const Rows<Real>& waves, const WaterColumn<Real>& water,
                               const AirFlow& air) {
    const std::int64_t n = rates_.shape().frequencies;
    const Arguments<Real> arguments{rates_.shape(),
                                    waves,
                                    directions_[cosine_row],
                                    directions_[east_row],
                                    directions_[north_row],
                                    numbers_.data() + age_row * n,
                                    numbers_.data() + log_row * n,
                                    numbers_.data() + factor_row * n,
                                    rates_,
                                    sums_};
    if (physics_ == Physics::wam4) {
        prepare_janssen(water, air);
        janssen(arguments);
    } else {
        prepare_snyder(water, air);
        snyder(arguments);
    }
}

template <class Real>
void WindInput<Real>::prepare_janssen(const WaterColumn<Real>& water, const AirFlow& air) {
    constexpr double constant = density_ratio * growth_factor / (von_karman * von_karman);
    const std::int64_t n = rates_.shape().frequencies;
    logs(n, water.wave_number, air.roughness, numbers_.data() + log_row * n);
    for (std::int64_t m = 0; m < n; ++m) {
        const double k = double(water.wave_number[m]);
        const double sigma = angular_[std::size_t(m)];
        numbers_[std::size_t(age_row * n + m)] =
            Real(air.friction_velocity * k / sigma + growth_shift);
        numbers_[std::size_t(factor_row * n + m)] =
            Real(constant * sigma * sigma * sigma / (gravity * k));
    }
}

template <class Real>
void WindInput<Real>::prepare_snyder(const WaterColumn<Real>& water, const AirFlow& air) {
    const std::int64_t n = rates_.shape().frequencies;
    for (std::int64_t m = 0; m < n; ++m) {
        const double k = double(water.wave_number[m]);
        const double sigma = angular_[std::size_t(m)];
        numbers_[std::size_t(age_row * n + m)] = Real(28 * air.friction_velocity * k / sigma);
        numbers_[std::size_t(factor_row * n + m)] = Real(0.25 * density_ratio * sigma);
    }
}

template <class Real>
double WindInput<Real>::along_wind(const Real* waves) const {
    double sum = 0.0;
    for (std::int64_t k = 0; k < rates_.shape().directions; ++k) {
        const double cosine = std::max(double(directions_[cosine_row][k]), 0.0);
        sum += double(waves[k]) * cosine * cosine * cosine;
    }
    return sum * sector_;
}

template class WindInput<float>;
template class WindInput<double>;

}  // namespace tradewind::fvwam
