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
struct InputArguments {
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

/// The numbers of a frequency.
template <class Real>
struct FrequencyNumbers {
    Real age;
    Real log;
    Real factor;
};

/// Computes the rates of Janssen in one vector of directions.
template <class Real>
struct JanssenRate {
    static TRADEWIND_INLINE void compute(const FrequencyNumbers<Real>& f,
                                         const Vector<Real>& cosine, Vector<Real>& rate) {
        const auto is_ahead = cosine > Real(least_cosine);
        const Vector<Real> one = Vector<Real>{} + Real(1);
        const Vector<Real> x = is_ahead ? cosine * f.age : one;
        const Vector<Real> log = f.log + Real(von_karman) / x;
        const Vector<Real> log_mu = log < Real(0) ? log : Vector<Real>{};
        Vector<Real> mu;
        exponential<Real>(log_mu, mu);
        const Vector<Real> root = log_mu * log_mu * x;
        const Vector<Real> grown = (f.factor * mu) * (root * root);
        rate = is_ahead ? grown : Vector<Real>{};
    }
};

/// Computes the rates of Snyder in one vector of directions.
template <class Real>
struct SnyderRate {
    static TRADEWIND_INLINE void compute(const FrequencyNumbers<Real>& f,
                                         const Vector<Real>& cosine, Vector<Real>& rate) {
        const Vector<Real> grown = f.factor * (cosine * f.age - Real(1));
        rate = grown > Real(0) ? grown : Vector<Real>{};
    }
};

/// Computes the rates of all directions and frequencies, and sums over directions. In the padding
/// the cosine is 0, so that nothing grows there.
template <class Real, class Rate>
TRADEWIND_INLINE void compute_rows(const InputArguments<Real>& a) {
    const std::int64_t end = a.shape.vectors * lanes<Real>;
    const Real* const cosine = a.cosine;
    const Real* const east = a.east;
    const Real* const north = a.north;
    for (std::int64_t m = 0; m < a.shape.frequencies; ++m) {
        // Local numbers and rows: as far as the compiler knows, a store to a row might change
        // others.
        const FrequencyNumbers<Real> numbers{a.age[m], a.log[m], a.factor[m]};
        const Real* const waves = a.waves[m];
        Real* const rates = a.rates[m];
        Vector<Real> wind_sea{};
        Vector<Real> to_east{};
        Vector<Real> to_north{};
        for (std::int64_t k = 0; k < end; k += lanes<Real>) {
            Vector<Real> rate;
            Rate::compute(numbers, at(cosine + k), rate);
            at(rates + k) = rate;
            const Vector<Real> here = at(waves + k);
            const Vector<Real> growth = rate * here;
            wind_sea += rate > Real(0) ? here : Vector<Real>{};
            to_east += growth * at(east + k);
            to_north += growth * at(north + k);
        }
        a.sums.wind_sea[std::size_t(m)] = double(total<Real>(wind_sea));
        a.sums.east[std::size_t(m)] = double(total<Real>(to_east));
        a.sums.north[std::size_t(m)] = double(total<Real>(to_north));
    }
}

TRADEWIND_CLONES
void janssen(const InputArguments<float>& a) {
    compute_rows<float, JanssenRate<float>>(a);
}
TRADEWIND_CLONES
void janssen(const InputArguments<double>& a) {
    compute_rows<double, JanssenRate<double>>(a);
}
TRADEWIND_CLONES
void snyder(const InputArguments<float>& a) {
    compute_rows<float, SnyderRate<float>>(a);
}
TRADEWIND_CLONES
void snyder(const InputArguments<double>& a) {
    compute_rows<double, SnyderRate<double>>(a);
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
    const InputArguments<Real> arguments{rates_.shape(),
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
