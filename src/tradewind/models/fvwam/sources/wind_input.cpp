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
    const std::uint8_t* is_ahead;
    const Real* east;
    const Real* north;
    /// u*/c and so on, one for each frequency.
    const Real* age;
    const Real* log;
    const Real* factor;
    Rows<Real>& rates;
    InputSums& sums;
    /// The first frequency that grows.
    std::int64_t first;
};

/// The numbers of a frequency.
template <class Real>
struct FrequencyNumbers {
    Real age;
    Real log;
    Real factor;
};

/// One frequency: its numbers, rows, and sums over directions in the lanes of vectors. They are
/// local, since as far as the compiler knows a store to a row might change them.
template <class Real>
struct FrequencyRows {
    TRADEWIND_INLINE void set(const InputArguments<Real>& a, std::int64_t m) {
        numbers = {a.age[m], a.log[m], a.factor[m]};
        waves = a.waves[m];
        rates = a.rates[m];
        wind_sea = Vector<Real>{};
        to_east = Vector<Real>{};
        to_north = Vector<Real>{};
    }
    TRADEWIND_INLINE void finish(const InputArguments<Real>& a, std::int64_t m) const {
        a.sums.wind_sea[std::size_t(m)] = double(total<Real>(wind_sea));
        a.sums.east[std::size_t(m)] = double(total<Real>(to_east));
        a.sums.north[std::size_t(m)] = double(total<Real>(to_north));
    }

    FrequencyNumbers<Real> numbers;
    const Real* waves;
    Real* rates;
    Vector<Real> wind_sea;
    Vector<Real> to_east;
    Vector<Real> to_north;
};

/// Computes the rates of all directions of `count` frequencies at once, as the operations of one
/// wait for each other. In the padding the cosine is 0, so that nothing grows there.
template <class Real, class Rate, int count>
TRADEWIND_INLINE void compute_frequencies(const InputArguments<Real>& a, std::int64_t m) {
    FrequencyRows<Real> rows[count];
    for (int i = 0; i < count; ++i) rows[i].set(a, m + i);
    const std::int64_t end = a.shape.vectors * lanes<Real>;
    const Real* const cosine = a.cosine;
    const Real* const east = a.east;
    const Real* const north = a.north;
    for (std::int64_t k = 0; k < end; k += lanes<Real>) {
        if (a.is_ahead[k / lanes<Real>] == 0) {
            for (int i = 0; i < count; ++i) at(rows[i].rates + k) = Vector<Real>{};
            continue;
        }
        const Vector<Real> angle = at(cosine + k);
        Vector<Real> rate[count];
        Rate::template compute<count>(rows, angle, rate);
        for (int i = 0; i < count; ++i) {
            FrequencyRows<Real>& f = rows[i];
            at(f.rates + k) = rate[i];
            const Vector<Real> here = at(f.waves + k);
            const Vector<Real> growth = rate[i] * here;
            f.wind_sea += rate[i] > Real(0) ? here : Vector<Real>{};
            f.to_east += growth * at(east + k);
            f.to_north += growth * at(north + k);
        }
    }
    for (int i = 0; i < count; ++i) rows[i].finish(a, m + i);
}

/// Computes the rates of Janssen in one vector of directions.
template <class Real>
struct JanssenRate {
    template <int count>
    static TRADEWIND_INLINE void compute(const FrequencyRows<Real>* rows,
                                         const Vector<Real>& cosine, Vector<Real>* rate) {
        const auto is_ahead = cosine > Real(least_cosine);
        const Vector<Real> one = Vector<Real>{} + Real(1);
        Vector<Real> x[count];
        Vector<Real> log_mu[count];
        Vector<Real> mu[count];
        for (int i = 0; i < count; ++i) x[i] = is_ahead ? cosine * rows[i].numbers.age : one;
        for (int i = 0; i < count; ++i) {
            const Vector<Real> log = rows[i].numbers.log + Real(von_karman) / x[i];
            log_mu[i] = log < Real(0) ? log : Vector<Real>{};
        }
        for (int i = 0; i < count; ++i) exponential<Real>(log_mu[i], mu[i]);
        for (int i = 0; i < count; ++i) {
            const Vector<Real> root = log_mu[i] * log_mu[i] * x[i];
            const Vector<Real> grown = (rows[i].numbers.factor * mu[i]) * (root * root);
            rate[i] = is_ahead ? grown : Vector<Real>{};
        }
    }
};

/// Computes the rates of Snyder in one vector of directions.
template <class Real>
struct SnyderRate {
    template <int count>
    static TRADEWIND_INLINE void compute(const FrequencyRows<Real>* rows,
                                         const Vector<Real>& cosine, Vector<Real>* rate) {
        for (int i = 0; i < count; ++i) {
            const FrequencyNumbers<Real>& f = rows[i].numbers;
            const Vector<Real> grown = f.factor * (cosine * f.age - Real(1));
            rate[i] = grown > Real(0) ? grown : Vector<Real>{};
        }
    }
};

template <class Real, class Rate>
TRADEWIND_INLINE void compute_rows(const InputArguments<Real>& a) {
    constexpr int at_once = 5;
    std::int64_t m = a.first;
    for (; m + at_once <= a.shape.frequencies; m += at_once)
        compute_frequencies<Real, Rate, at_once>(a, m);
    for (; m < a.shape.frequencies; ++m) compute_frequencies<Real, Rate, 1>(a, m);
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

/// Replaces numbers, whole vectors of them, by their logarithms.
TRADEWIND_CLONES
void take_logarithms(std::vector<double>& numbers) {
    double* const first = numbers.data();
    const auto count = std::int64_t(numbers.size());
    for (std::int64_t m = 0; m < count; m += lanes<double>) {
        const Vector<double> here = at(first + m);
        Vector<double> result;
        logarithm(here, result);
        at(first + m) = result;
    }
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
      is_ahead_(std::size_t(shape.vectors)),
      rates_(shape, shape.frequencies),
      numbers_(std::size_t(shape.frequencies * frequency_rows)),
      logarithms_(std::size_t(whole_vectors<double>(shape.frequencies)), 1.0),
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
    std::ranges::fill(is_ahead_, std::uint8_t{0});
    for (std::int64_t k = 0; k < rates_.shape().directions; ++k) {
        const Real cosine = directions_[east_row][k] * east + directions_[north_row][k] * north;
        directions_[cosine_row][k] = cosine;
        directions_[spread_row][k] = cosine > 0 ? cosine * cosine : Real(0);
        if (cosine > 0) is_ahead_[std::size_t(k / lanes<Real>)] = 1;
    }
}

template <class Real>
void WindInput<Real>::evaluate(const Rows<Real>& waves, const WaterColumn<Real>& water,
                               const AirFlow& air) {
    const bool is_janssen = physics_ == Physics::wam4;
    is_janssen ? prepare_janssen(water, air) : prepare_snyder(water, air);
    skip_fast_waves();
    const std::int64_t n = rates_.shape().frequencies;
    const InputArguments<Real> arguments{rates_.shape(),
                                         waves,
                                         directions_[cosine_row],
                                         is_ahead_.data(),
                                         directions_[east_row],
                                         directions_[north_row],
                                         numbers_.data() + age_row * n,
                                         numbers_.data() + log_row * n,
                                         numbers_.data() + factor_row * n,
                                         rates_,
                                         sums_,
                                         first_};
    is_janssen ? janssen(arguments) : snyder(arguments);
}

/// Finds the first frequency of which the waves along the wind grow, and sets the rates of those
/// below it to 0.
template <class Real>
void WindInput<Real>::skip_fast_waves() {
    const RowShape& shape = rates_.shape();
    const Real* const age = numbers_.data() + age_row * shape.frequencies;
    const Real* const log = numbers_.data() + log_row * shape.frequencies;
    // A cosine may be larger than 1 by rounding.
    constexpr auto margin = Real(1 + 1e-6);
    const auto grows = [&](std::int64_t m) {
        return physics_ == Physics::wam4 ? log[m] + Real(von_karman) / (margin * age[m]) < 0
                                         : margin * age[m] > 1;
    };
    for (first_ = 0; first_ < shape.frequencies && !grows(first_); ++first_) {
        std::fill_n(rates_[first_], shape.vectors * lanes<Real>, Real(0));
        sums_.wind_sea[std::size_t(first_)] = 0.0;
        sums_.east[std::size_t(first_)] = 0.0;
        sums_.north[std::size_t(first_)] = 0.0;
    }
}

template <class Real>
void WindInput<Real>::prepare_janssen(const WaterColumn<Real>& water, const AirFlow& air) {
    constexpr double constant = density_ratio * growth_factor / (von_karman * von_karman);
    const std::int64_t n = rates_.shape().frequencies;
    Real* const age = numbers_.data() + age_row * n;
    Real* const log = numbers_.data() + log_row * n;
    Real* const factor = numbers_.data() + factor_row * n;
    for (std::int64_t m = 0; m < n; ++m) {
        const auto k = double(water.wave_number[m]);
        const double sigma = angular_[std::size_t(m)];
        logarithms_[std::size_t(m)] = k * air.roughness;
        age[m] = Real(air.friction_velocity * k / sigma + growth_shift);
        factor[m] = Real(constant * sigma * sigma * sigma / (gravity * k));
    }
    take_logarithms(logarithms_);
    for (std::int64_t m = 0; m < n; ++m) log[m] = Real(logarithms_[std::size_t(m)]);
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
