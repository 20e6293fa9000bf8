/// Stages of the complex transform, and the passes between real and complex spectra.
#include "tradewind/models/spectral/fft.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "tradewind/base/errors.hpp"
#include "tradewind/base/interrupts.hpp"

namespace tradewind::spectral {

namespace {

/// A complex number for each lane.
struct Complex {
    Lanes re;
    Lanes im;
};

TRADEWIND_INLINE Complex operator+(const Complex& a, const Complex& b) {
    return {a.re + b.re, a.im + b.im};
}
TRADEWIND_INLINE Complex operator-(const Complex& a, const Complex& b) {
    return {a.re - b.re, a.im - b.im};
}
/// Returns the product of `a` and the complex number at `factor`.
TRADEWIND_INLINE Complex times(const Complex& a, const double* factor) {
    return {a.re * factor[0] - a.im * factor[1], a.re * factor[1] + a.im * factor[0]};
}
/// Returns a - i b.
TRADEWIND_INLINE Complex minus_i(const Complex& a, const Complex& b) {
    return {a.re + b.im, a.im - b.re};
}
/// Returns a + i b.
TRADEWIND_INLINE Complex plus_i(const Complex& a, const Complex& b) {
    return {a.re - b.im, a.im + b.re};
}
TRADEWIND_INLINE Complex scaled(double factor, const Complex& a) {
    return {factor * a.re, factor * a.im};
}

constexpr double sin_60 = 0.86602540378443864676;
constexpr double cos_72 = 0.30901699437494742410;
constexpr double sin_72 = 0.95105651629515357212;
constexpr double cos_144 = -0.80901699437494742410;
constexpr double sin_144 = 0.58778525229247312917;

/// Computes discrete Fourier transforms (sign -) of length R in place.
template <int R>
TRADEWIND_INLINE void small_transform(Complex* a);

template <>
TRADEWIND_INLINE void small_transform<2>(Complex* a) {
    const Complex sum = a[0] + a[1];
    a[1] = a[0] - a[1];
    a[0] = sum;
}
template <>
TRADEWIND_INLINE void small_transform<3>(Complex* a) {
    const Complex sum = a[1] + a[2];
    const Complex difference = scaled(sin_60, a[1] - a[2]);
    const Complex middle = a[0] - scaled(0.5, sum);
    a[0] = a[0] + sum;
    a[1] = minus_i(middle, difference);
    a[2] = plus_i(middle, difference);
}
template <>
TRADEWIND_INLINE void small_transform<4>(Complex* a) {
    const Complex even_sum = a[0] + a[2];
    const Complex even_difference = a[0] - a[2];
    const Complex odd_sum = a[1] + a[3];
    const Complex odd_difference = a[1] - a[3];
    a[0] = even_sum + odd_sum;
    a[1] = minus_i(even_difference, odd_difference);
    a[2] = even_sum - odd_sum;
    a[3] = plus_i(even_difference, odd_difference);
}
template <>
TRADEWIND_INLINE void small_transform<5>(Complex* a) {
    const Complex near_sum = a[1] + a[4];
    const Complex near_difference = a[1] - a[4];
    const Complex far_sum = a[2] + a[3];
    const Complex far_difference = a[2] - a[3];
    const Complex first = a[0] + scaled(cos_72, near_sum) + scaled(cos_144, far_sum);
    const Complex second = a[0] + scaled(cos_144, near_sum) + scaled(cos_72, far_sum);
    const Complex first_turn = scaled(sin_72, near_difference) + scaled(sin_144, far_difference);
    const Complex second_turn = scaled(sin_144, near_difference) - scaled(sin_72, far_difference);
    a[0] = a[0] + near_sum + far_sum;
    a[1] = minus_i(first, first_turn);
    a[2] = minus_i(second, second_turn);
    a[3] = plus_i(second, second_turn);
    a[4] = plus_i(first, first_turn);
}

/// Computes one of Stockham's stages (decimation in frequency). Element q + s (p + k g) of `in`, k
/// < R, goes to q + s (R p + t) of `out`, for p < g and q < s. A complex number is two Lanes, which
/// the inverse transform swaps.
template <int R, bool backward>
TRADEWIND_INLINE void stage(const Lanes* in, Lanes* out, std::int64_t stride, std::int64_t groups,
                            const double* twiddles) {
    constexpr int re = backward ? 1 : 0;
    constexpr int im = 1 - re;
    for (std::int64_t p = 0; p < groups; ++p) {
        const double* const factor = twiddles + 2 * (R - 1) * p;
        for (std::int64_t q = 0; q < stride; ++q) {
            Complex a[R];
            for (int k = 0; k < R; ++k) {
                const Lanes* const from = in + 2 * (q + stride * (p + k * groups));
                a[k] = {from[re], from[im]};
            }
            small_transform<R>(a);
            for (int t = 0; t < R; ++t) {
                const Complex value = t == 0 ? a[0] : times(a[t], factor + 2 * (t - 1));
                Lanes* const to = out + 2 * (q + stride * (R * p + t));
                to[re] = value.re;
                to[im] = value.im;
            }
        }
    }
}

template <bool backward>
TRADEWIND_INLINE void any_stage(std::int64_t radix, const Lanes* in, Lanes* out,
                                std::int64_t stride, std::int64_t groups, const double* twiddles) {
    if (radix == 4) {
        stage<4, backward>(in, out, stride, groups, twiddles);
    } else if (radix == 2) {
        stage<2, backward>(in, out, stride, groups, twiddles);
    } else if (radix == 3) {
        stage<3, backward>(in, out, stride, groups, twiddles);
    } else {
        stage<5, backward>(in, out, stride, groups, twiddles);
    }
}

TRADEWIND_CLONES
void forward_stage(std::int64_t radix, const Lanes* in, Lanes* out, std::int64_t stride,
                   std::int64_t groups, const double* twiddles) {
    any_stage<false>(radix, in, out, stride, groups, twiddles);
}

TRADEWIND_CLONES
void backward_stage(std::int64_t radix, const Lanes* in, Lanes* out, std::int64_t stride,
                    std::int64_t groups, const double* twiddles) {
    any_stage<true>(radix, in, out, stride, groups, twiddles);
}

/// Computes 2 X_k = (Z_k + conj Z_{h-k}) - i w^k (Z_k - conj Z_{h-k}) with w = exp(-2 pi i / N).
TRADEWIND_CLONES
void separate(const Lanes* z, Column<Lanes> waves, std::int64_t last, std::int64_t half,
              const double* circle) {
    const double scale = 0.25 / double(half);
    for (std::int64_t k = 0; k <= last; ++k) {
        const Lanes* const here = z + 2 * k;
        const Lanes* const mirror = z + (k == 0 ? 0 : 2 * (half - k));
        const Complex sum{here[0] + mirror[0], here[1] - mirror[1]};
        const Complex difference{here[0] - mirror[0], here[1] + mirror[1]};
        const double factor[2] = {-circle[2 * k + 1], -circle[2 * k]};
        const Complex value = scaled(scale, sum + times(difference, factor));
        Lanes* const to = waves.data + k * waves.step;
        to[0] = value.re;
        to[waves.imaginary] = value.im;
    }
}

/// Computes Z_k = (X_k + conj X_{h-k}) + i exp(2 pi i k / N) (X_k - conj X_{h-k}). X is zero beyond
/// `last`.
TRADEWIND_CLONES
void join(Column<const Lanes> waves, Lanes* z, std::int64_t last, std::int64_t half,
          const double* circle) {
    for (std::int64_t k = 0; k < half; ++k) {
        Complex here{};
        Complex mirror{};
        if (k <= last) {
            const Lanes* const from = waves.data + k * waves.step;
            here = {from[0], from[waves.imaginary]};
        }
        if (half - k <= last) {
            const Lanes* const from = waves.data + (half - k) * waves.step;
            mirror = {from[0], -from[waves.imaginary]};
        }
        const double factor[2] = {-circle[2 * k + 1], circle[2 * k]};
        const Complex value = (here + mirror) + times(here - mirror, factor);
        z[2 * k] = value.re;
        z[2 * k + 1] = value.im;
    }
}

/// Returns the position of wave m of a column, line * blocks + block.
[[nodiscard]] std::int64_t wave_offset(const Fft::Lines& shape, std::int64_t m,
                                       std::int64_t column) {
    const std::int64_t line = column / shape.blocks;
    return (m * shape.lines + line) * 2 * shape.blocks + column % shape.blocks;
}

std::vector<std::int64_t> radices(std::int64_t length) {
    std::vector<std::int64_t> found;
    if (length < 1) return found;
    for (const std::int64_t radix : {4, 2, 3, 5}) {
        for (; length % radix == 0; length /= radix) found.push_back(radix);
    }
    if (length != 1) found.clear();
    return found;
}

}  // namespace

Fft::Fft(std::int64_t points) : half_(points / 2) {
    const auto factors = radices(half_);
    if (points < 2 || points % 2 != 0 || (factors.empty() && half_ != 1)) {
        throw ConfigError(text("Fft: ", points,
                               " points; an even number without prime factors above 5 is needed"));
    }
    constexpr long double two_pi = 2 * std::numbers::pi_v<long double>;
    std::int64_t stride = 1;
    for (const std::int64_t radix : factors) {
        const std::int64_t length = half_ / stride;
        stages_.push_back({radix, stride, length / radix, twiddles_.size()});
        for (std::int64_t p = 0; p < length / radix; ++p) {
            for (std::int64_t t = 1; t < radix; ++t) {
                const long double angle = two_pi * (long double)(p * t) / (long double)(length);
                twiddles_.push_back(double(std::cos(angle)));
                twiddles_.push_back(double(-std::sin(angle)));
            }
        }
        stride *= radix;
    }
    for (std::int64_t k = 0; k <= half_; ++k) {
        const long double angle = two_pi * (long double)(k) / (long double)(points);
        circle_.push_back(double(std::cos(angle)));
        circle_.push_back(double(std::sin(angle)));
    }
}

template <bool backward>
void Fft::transform(Lanes*& data, Lanes*& other) const {
    for (const FftStage& one : stages_) {
        const auto run = backward ? backward_stage : forward_stage;
        run(one.radix, data, other, one.stride, one.groups, twiddles_.data() + one.twiddles);
        std::swap(data, other);
    }
}

template <bool backward>
void Fft::transform_in_place(Column<Lanes> numbers, Lanes* work) const {
    Lanes* data = work;
    Lanes* other = work + 2 * half_;
    for (std::int64_t i = 0; i < half_; ++i) {
        data[2 * i] = numbers.data[i * numbers.step];
        data[2 * i + 1] = numbers.data[i * numbers.step + numbers.imaginary];
    }
    transform<backward>(data, other);
    for (std::int64_t i = 0; i < half_; ++i) {
        numbers.data[i * numbers.step] = data[2 * i];
        numbers.data[i * numbers.step + numbers.imaginary] = data[2 * i + 1];
    }
}

void Fft::complex_forward(Column<Lanes> numbers, Lanes* work) const {
    transform_in_place<false>(numbers, work);
}

void Fft::complex_backward(Column<Lanes> numbers, Lanes* work) const {
    transform_in_place<true>(numbers, work);
}

void Fft::forward(Column<const Lanes> points, Column<Lanes> waves, std::int64_t last,
                  Lanes* work) const {
    Lanes* data = work;
    Lanes* other = data + 2 * half_;
    for (std::int64_t i = 0; i < 2 * half_; ++i) data[i] = points.data[i * points.step];
    transform<false>(data, other);
    separate(data, waves, last, half_, circle_.data());
}

void Fft::inverse(Column<const Lanes> waves, Column<Lanes> points, std::int64_t last,
                  Lanes* work) const {
    Lanes* data = work;
    Lanes* other = data + 2 * half_;
    join(waves, data, last, half_, circle_.data());
    transform<true>(data, other);
    for (std::int64_t i = 0; i < 2 * half_; ++i) points.data[i * points.step] = data[i];
}

void Fft::forward(const Lanes* points, Lanes* waves, const Lines& shape, Lanes* work) const {
    const std::int64_t columns = shape.lines * shape.blocks;
    Lanes* const tiles = work + 4 * half_;
    for (std::int64_t first = 0; first < columns; first += tile) {
        check_interrupts(tile * shape.last);
        const std::int64_t count = std::min(tile, columns - first);
        for (std::int64_t t = 0; t < count; ++t) {
            const std::int64_t line = (first + t) / shape.blocks;
            const std::int64_t block = (first + t) % shape.blocks;
            forward({points + line * 2 * half_ * shape.blocks + block, shape.blocks},
                    {tiles + 2 * t, 2 * tile, 1}, shape.last, work);
        }
        for (std::int64_t m = 0; m <= shape.last; ++m) {
            for (std::int64_t t = 0; t < count; ++t) {
                Lanes* const to = waves + wave_offset(shape, m, first + t);
                to[0] = tiles[2 * (m * tile + t)];
                to[shape.blocks] = tiles[2 * (m * tile + t) + 1];
            }
        }
    }
}

void Fft::inverse(const Lanes* waves, Lanes* points, const Lines& shape, Lanes* work) const {
    const std::int64_t columns = shape.lines * shape.blocks;
    Lanes* const tiles = work + 4 * half_;
    for (std::int64_t first = 0; first < columns; first += tile) {
        check_interrupts(tile * shape.last);
        const std::int64_t count = std::min(tile, columns - first);
        for (std::int64_t m = 0; m <= shape.last; ++m) {
            for (std::int64_t t = 0; t < count; ++t) {
                const Lanes* const from = waves + wave_offset(shape, m, first + t);
                tiles[2 * (m * tile + t)] = from[0];
                tiles[2 * (m * tile + t) + 1] = from[shape.blocks];
            }
        }
        for (std::int64_t t = 0; t < count; ++t) {
            const std::int64_t line = (first + t) / shape.blocks;
            const std::int64_t block = (first + t) % shape.blocks;
            inverse({tiles + 2 * t, 2 * tile, 1},
                    {points + line * 2 * half_ * shape.blocks + block, shape.blocks}, shape.last,
                    work);
        }
    }
}

std::int64_t next_fft_points(std::int64_t least) {
    std::int64_t points = 4 * ((least + 3) / 4);
    while (radices(points / 2).empty()) points += 4;
    return points;
}

}  // namespace tradewind::spectral
