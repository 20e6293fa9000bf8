/// Vectors of directions, with exponentials and logarithms that have the same bits everywhere.
///
/// A vector holds eight floats or four doubles. All arithmetic is written with vectors, so that it
/// does not depend on the compiler whether loops are vectorised. The exponential and the logarithm
/// of the C library differ between processors in the last bit; these do not.
#pragma once

#include <bit>
#include <cstdint>

#include "tradewind/models/spectral/lanes.hpp"

namespace tradewind::fvwam {

inline constexpr std::size_t vector_bytes = 32;

template <class Real>
struct VectorTypes;
template <>
struct VectorTypes<float> {
    using Vector = float __attribute__((vector_size(vector_bytes)));
    using Whole = std::int32_t __attribute__((vector_size(vector_bytes)));
    using Unaligned =
        float __attribute__((vector_size(vector_bytes), aligned(alignof(float)), may_alias));
};
template <>
struct VectorTypes<double> {
    using Vector = double __attribute__((vector_size(vector_bytes)));
    using Whole = std::int64_t __attribute__((vector_size(vector_bytes)));
    using Unaligned =
        double __attribute__((vector_size(vector_bytes), aligned(alignof(double)), may_alias));
};

template <class Real>
using Vector = typename VectorTypes<Real>::Vector;
template <class Real>
using Whole = typename VectorTypes<Real>::Whole;
template <class Real>
using Unaligned = typename VectorTypes<Real>::Unaligned;

/// The number of lanes of a vector.
template <class Real>
inline constexpr std::int64_t lanes = std::int64_t(vector_bytes / sizeof(Real));

/// Returns the vector that starts at a number, of any alignment. It must not be bound to a
/// reference to a Vector, which is aligned; a copy may.
template <class Real>
[[nodiscard]] TRADEWIND_INLINE Unaligned<Real>& at(Real* first) {
    return *reinterpret_cast<Unaligned<Real>*>(first);
}
template <class Real>
[[nodiscard]] TRADEWIND_INLINE const Unaligned<Real>& at(const Real* first) {
    return *reinterpret_cast<const Unaligned<Real>*>(first);
}

/// Returns the sum of the lanes, always in the same order: halves are added to each other.
template <class Real>
[[nodiscard]] TRADEWIND_INLINE Real total(const Vector<Real>& x) {
    Real part[lanes<Real>];
    at(part) = x;
    for (std::int64_t half = lanes<Real> / 2; half > 0; half /= 2)
        for (std::int64_t n = 0; n < half; ++n) part[n] += part[n + half];
    return part[0];
}

/// The numbers of `exponential`. A number plus `magic` has the nearest whole number in its last
/// bits.
template <class Real>
struct ExponentialNumbers;
template <>
struct ExponentialNumbers<float> {
    static constexpr float magic = 12582912.0f;
    static constexpr float ln2_high = 0.693359375f;
    static constexpr float ln2_low = -2.12194440e-4f;
    static constexpr int degree = 6;
    static constexpr std::int32_t bias = 127;
    static constexpr int mantissa = 23;
};
template <>
struct ExponentialNumbers<double> {
    static constexpr double magic = 6755399441055744.0;
    static constexpr double ln2_high = 6.93147180369123816490e-01;
    static constexpr double ln2_low = 1.90821492927058770002e-10;
    static constexpr int degree = 12;
    static constexpr std::int64_t bias = 1023;
    static constexpr int mantissa = 52;
};
inline constexpr double inverse_factorials[] = {
    1.0,        1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,      1.0 / 720,
    1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600};

/// Computes exp(x) for |x| <= 80, with a relative error below 3e-7 in float and 5e-16 in double:
/// 2^n times the series of Taylor for the rest.
template <class Real>
TRADEWIND_INLINE void exponential(const Vector<Real>& x, Vector<Real>& result) {
    using Numbers = ExponentialNumbers<Real>;
    constexpr auto log2_e = Real(1.44269504088896340736);
    const Vector<Real> shifted = x * log2_e + Numbers::magic;
    const Vector<Real> n = shifted - Numbers::magic;
    const Vector<Real> rest = (x - n * Numbers::ln2_high) - n * Numbers::ln2_low;
    // Horner's rule for even and odd powers, which do not wait for each other.
    const Vector<Real> square = rest * rest;
    constexpr int last = Numbers::degree;
    Vector<Real> even = Vector<Real>{} + Real(inverse_factorials[last]);
    Vector<Real> odd = Vector<Real>{} + Real(inverse_factorials[last - 1]);
    for (int i = last - 2; i > 0; i -= 2) {
        even = even * square + Real(inverse_factorials[i]);
        odd = odd * square + Real(inverse_factorials[i - 1]);
    }
    even = even * square + Real(1);
    const Vector<Real> sum = even + odd * rest;
    const auto power = (reinterpret_cast<Whole<Real>>(shifted) + Numbers::bias)
                       << Numbers::mantissa;
    result = sum * reinterpret_cast<Vector<Real>>(power);
}

struct LogarithmNumbers {
    static constexpr std::int64_t mantissa_bits = (std::int64_t{1} << 52) - 1;
    static constexpr std::int64_t one_bits = std::int64_t{1023} << 52;
    static constexpr double root_2 = 1.41421356237309504880;
    static constexpr int terms = 10;
};

/// Computes ln(x) for normal x > 0, with an error of 2 units in the last place of the larger of
/// |ln x| and 1: x = 2^n m, and ln m = 2 artanh((m - 1) / (m + 1)).
TRADEWIND_INLINE void logarithm(const Vector<double>& x, Vector<double>& result) {
    using Numbers = ExponentialNumbers<double>;
    using Bits = Whole<double>;
    constexpr std::int64_t magic_bits = 0x4338000000000000;
    constexpr std::int64_t mantissa_bits = LogarithmNumbers::mantissa_bits;
    constexpr std::int64_t one_bits = LogarithmNumbers::one_bits;
    constexpr double root_2 = LogarithmNumbers::root_2;
    constexpr int terms = LogarithmNumbers::terms;
    const auto bits = reinterpret_cast<Bits>(x);
    const auto mantissa = reinterpret_cast<Vector<double>>((bits & mantissa_bits) | one_bits);
    const auto power = reinterpret_cast<Vector<double>>((bits >> 52) - 1023 + magic_bits);
    const Vector<double> one = Vector<double>{} + 1.0;
    const Vector<double> halved = 0.5 * mantissa;
    const Vector<double> m = mantissa > root_2 ? halved : mantissa;
    const Vector<double> n = (power - Numbers::magic) + (mantissa > root_2 ? one : 0.0 * one);
    const Vector<double> f = (m - 1.0) / (m + 1.0);
    const Vector<double> square = f * f;
    const Vector<double> fourth = square * square;
    Vector<double> even = Vector<double>{} + 1.0 / (2 * terms + 1);
    Vector<double> odd = Vector<double>{} + 1.0 / (2 * terms - 1);
    for (int i = terms - 2; i > 1; i -= 2) {
        even = even * fourth + 1.0 / (2 * i + 1);
        odd = odd * fourth + 1.0 / (2 * i - 1);
    }
    const Vector<double> twice = 2.0 * f;
    const Vector<double> small = twice + twice * square * (odd + even * square);
    result = n * Numbers::ln2_high + (n * Numbers::ln2_low + small);
}

/// Returns exp(x) of one number, |x| <= 700, in the same way.
[[nodiscard]] inline double exponential_of(double x) {
    using Numbers = ExponentialNumbers<double>;
    constexpr double log2_e = 1.44269504088896340736;
    const double shifted = x * log2_e + Numbers::magic;
    const double n = shifted - Numbers::magic;
    const double rest = (x - n * Numbers::ln2_high) - n * Numbers::ln2_low;
    const double square = rest * rest;
    constexpr int last = Numbers::degree;
    double even = inverse_factorials[last];
    double odd = inverse_factorials[last - 1];
    for (int i = last - 2; i > 0; i -= 2) {
        even = even * square + inverse_factorials[i];
        odd = odd * square + inverse_factorials[i - 1];
    }
    even = even * square + 1.0;
    const auto power = (std::bit_cast<std::uint64_t>(shifted) + Numbers::bias) << Numbers::mantissa;
    return (even + odd * rest) * std::bit_cast<double>(power);
}

/// Returns ln(x) of one normal number above 0, in the same way.
[[nodiscard]] inline double logarithm_of(double x) {
    using Numbers = ExponentialNumbers<double>;
    const auto bits = std::bit_cast<std::uint64_t>(x);
    double m = std::bit_cast<double>((bits & LogarithmNumbers::mantissa_bits) |
                                     LogarithmNumbers::one_bits);
    auto n = double(std::int64_t(bits >> 52) - 1023);
    if (m > LogarithmNumbers::root_2) {
        m *= 0.5;
        n += 1.0;
    }
    const double f = (m - 1.0) / (m + 1.0);
    const double square = f * f;
    const double fourth = square * square;
    constexpr int last = LogarithmNumbers::terms;
    double even = 1.0 / (2 * last + 1);
    double odd = 1.0 / (2 * last - 1);
    for (int i = last - 2; i > 1; i -= 2) {
        even = even * fourth + 1.0 / (2 * i + 1);
        odd = odd * fourth + 1.0 / (2 * i - 1);
    }
    const double twice = 2.0 * f;
    const double small = twice + twice * square * (odd + even * square);
    return n * Numbers::ln2_high + (n * Numbers::ln2_low + small);
}

}  // namespace tradewind::fvwam
