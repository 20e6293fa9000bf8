/// The transforms as units of work.
#include "tradewind/models/spectral/speed.hpp"

#include <cmath>
#include <numeric>

namespace tradewind::spectral {

TransformWork::TransformWork(std::int64_t truncation, std::int64_t levels)
    : truncation_(truncation),
      blocks_(blocks_of(levels)),
      fft_(next_fft_points(3 * truncation + 1)) {
    latitudes_ = fft_.points() / 2;
    std::vector<std::int64_t> waves(std::size_t(truncation) + 1);
    std::iota(waves.begin(), waves.end(), 0);
    legendre_ = LegendreTransform(truncation, gauss_nodes(latitudes_), {0, latitudes_ / 2}, waves);
    spectrum_ = LaneVector(legendre_.first_row(waves.size()) * 2 * blocks_);
    fourier_ = LaneVector((truncation + 1) * latitudes_ * 2 * blocks_);
    grid_ = LaneVector(latitudes_ * fft_.points() * blocks_);
    work_ = LaneVector(fft_.work_size());
    for (std::int64_t i = 0; i < spectrum_.size() * lane_width; ++i)
        numbers(spectrum_.data())[i] = 1.0 / double(1 + i % 1000);
    legendre_.inverse(spectrum_.data(), fourier_.data(), 2 * blocks_);
    fft_.inverse(fourier_.data(), grid_.data(), {latitudes_, blocks_, truncation_}, work_.data());
}

void TransformWork::legendre() {
    legendre_.inverse(spectrum_.data(), fourier_.data(), 2 * blocks_);
    legendre_.forward(fourier_.data(), spectrum_.data(), 2 * blocks_);
}

void TransformWork::fourier() {
    const Fft::Lines shape{latitudes_, blocks_, truncation_};
    fft_.forward(grid_.data(), fourier_.data(), shape, work_.data());
    fft_.inverse(fourier_.data(), grid_.data(), shape, work_.data());
}

double TransformWork::legendre_flops() const noexcept {
    const double columns = 2.0 * double(blocks_ * lane_width);
    const double rows = double(spectrum_.size()) / double(2 * blocks_);
    const auto pairs_of_latitudes = latitudes_ / 2;
    return 4.0 * rows * double(pairs_of_latitudes) * columns;
}

double TransformWork::fourier_flops() const noexcept {
    const double points = double(fft_.points());
    const double lines = double(latitudes_ * blocks_ * lane_width);
    return 2.0 * 2.5 * points * std::log2(points) * lines;
}

}  // namespace tradewind::spectral
