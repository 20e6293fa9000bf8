/// Fft: real Fourier transforms along a circle of latitude, lane by lane.
///
/// N = 2 h is the number of points. F^m = 1/N sum over j of x_j exp(-2 pi i m j / N), and back
/// x_j = F^0 + 2 Re sum over 1 <= m <= M of F^m exp(2 pi i m j / N). The real transform of length N
/// is a complex one of length h of z_k = x_{2k} + i x_{2k+1}, by Stockham's stages of radix 4, 2, 3
/// and 5. A further pass separates the two halves of the spectrum.
#pragma once

#include <vector>

#include "tradewind/models/spectral/lanes.hpp"

namespace tradewind::spectral {

/// One column of an array in memory: element k lies at data[k * step]. The imaginary part of a
/// complex column lies `imaginary` behind the real part.
template <class T>
struct Column {
    T* data;
    std::int64_t step;
    std::int64_t imaginary = 0;
};

class Fft {
public:
    Fft() = default;
    /// Makes the tables. Throws ConfigError unless N is even and has no prime factor above 5.
    explicit Fft(std::int64_t points);

    [[nodiscard]] std::int64_t points() const noexcept { return 2 * half_; }
    /// Returns how many Lanes `work` must hold.
    [[nodiscard]] std::int64_t work_size() const noexcept {
        return 4 * half_ + 2 * tile * (half_ + 1);
    }

    /// Transforms N points to F^0 .. F^last, last < N/2.
    void forward(Column<const Lanes> points, Column<Lanes> waves, std::int64_t last,
                 Lanes* work) const;
    /// Transforms F^0 .. F^last to N points.
    void inverse(Column<const Lanes> waves, Column<Lanes> points, std::int64_t last,
                 Lanes* work) const;

    /// Computes in place the complex transform alone of h numbers with sign -, without a factor.
    /// The imaginary part of each number lies `imaginary` behind its real part.
    void complex_forward(Column<Lanes> numbers, Lanes* work) const;
    /// Computes the same transform with sign +.
    void complex_backward(Column<Lanes> numbers, Lanes* work) const;

    /// The shape of all lines of an array of waves [m][line][re, im][block] and of one of points
    /// [line][point][block], m = 0 .. last.
    struct Lines {
        std::int64_t lines;
        std::int64_t blocks;
        std::int64_t last;
    };
    void forward(const Lanes* points, Lanes* waves, const Lines& shape, Lanes* work) const;
    void inverse(const Lanes* waves, Lanes* points, const Lines& shape, Lanes* work) const;

private:
    /// Columns of waves that are copied together. One alone would use an eighth of a cache line's
    /// capacity, because its elements lie a power of two apart.
    static constexpr std::int64_t tile = 8;

    struct FftStage {
        std::int64_t radix;
        /// The product of the radices of all stages before.
        std::int64_t stride;
        /// The remaining length divided by the radix.
        std::int64_t groups;
        /// The position of its factors: for each group the powers 1 .. radix - 1 as (cos, -sin).
        std::size_t twiddles;
    };

    template <bool backward>
    void transform(Lanes*& data, Lanes*& other) const;
    template <bool backward>
    void transform_in_place(Column<Lanes> numbers, Lanes* work) const;

    std::int64_t half_ = 0;
    std::vector<FftStage> stages_;
    std::vector<double> twiddles_;
    /// Values (cos, sin) of 2 pi k / N for k = 0 .. h.
    std::vector<double> circle_;
};

/// Returns the smallest number of points that an Fft accepts and that is a multiple of 4 and >=
/// `least`.
[[nodiscard]] std::int64_t next_fft_points(std::int64_t least);

}  // namespace tradewind::spectral
