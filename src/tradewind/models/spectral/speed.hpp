/// Speed: the transforms of one rank as units of work with counted operations, for measurements.
#pragma once

#include <memory>

#include "tradewind/models/spectral/fft.hpp"
#include "tradewind/models/spectral/legendre.hpp"

namespace tradewind::spectral {

/// Both transforms of `levels` scalar fields of the truncation, forward and back, all at once.
class TransformWork {
public:
    TransformWork(std::int64_t truncation, std::int64_t levels);

    void legendre();
    void fourier();

    /// Returns the multiplications and additions of one call of `legendre`: four for each
    /// coefficient of each pair of latitudes and column and direction.
    [[nodiscard]] double legendre_flops() const noexcept;
    /// Returns the flops of one call of `fourier`: 2.5 N log2 N for each real transform of N
    /// points.
    [[nodiscard]] double fourier_flops() const noexcept;

private:
    std::int64_t truncation_;
    std::int64_t latitudes_;
    std::int64_t blocks_;
    Fft fft_;
    LegendreTransform legendre_;
    LaneVector spectrum_;
    LaneVector fourier_;
    LaneVector grid_;
    LaneVector work_;
};

}  // namespace tradewind::spectral
