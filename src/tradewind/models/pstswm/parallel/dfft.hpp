/// Dfft: Fourier transforms across the ranks of a row, without a transposition (worley1998).
///
/// The h = N/2 complex numbers of a line lie in blocks on P ranks, P a power of two. Stage s of
/// log2 P (decimation in frequency) exchanges all local data with the rank at distance P / 2^(s+1).
/// Then every rank transforms its block alone:
///
///     P = 4         rank 0     rank 1     rank 2     rank 3
///     before        block 0    block 1    block 2    block 3
///     distance 2    sums       sums       differences times w^i
///     distance 1    sums       diff.      sums       diff.
///     local FFT     k = 0 mod 4    2          1          3
///
/// One more message, with the rank of the opposite remainder, separates the two real halves. The
/// inverse runs in the opposite order. Each transform sends log2 P + 1 messages of the whole local
/// data. The ranks of remainders 0 and P/2 need none for the separation. Lanes are sent with their
/// padding.
#pragma once

#include "tradewind/comm/protocol/transport.hpp"
#include "tradewind/models/pstswm/parallel/layout.hpp"
#include "tradewind/models/spectral/fft.hpp"

namespace tradewind::pstswm {

/// The rank's part of the transforms of some fields. It works on `grid` [line][point][lane], where
/// two points are a complex number, and on `waves` [m][line][re, im][lane].
class Dfft {
public:
    Dfft() = default;
    explicit Dfft(const ArrayLayout& layout);

    void combine(const ArrayLayout& layout, Rank group, bool is_forward, LaneVector& mine,
                 const LaneVector& theirs, std::int64_t blocks) const;
    /// Multiplies the upper half of a group by its factors, before the exchange of an inverse
    /// stage.
    void turn(const ArrayLayout& layout, Rank group, LaneVector& mine, std::int64_t blocks) const;
    void local(const ArrayLayout& layout, bool is_forward, LaneVector& grid, std::int64_t blocks);
    void separate(const ArrayLayout& layout, const LaneVector& mine, const LaneVector& mirror,
                  LaneVector& waves, std::int64_t blocks) const;
    void join(const ArrayLayout& layout, const LaneVector& waves, const LaneVector& mirror,
              LaneVector& grid, std::int64_t blocks) const;

private:
    std::int64_t local_ = 0;  // complex numbers of the rank in each line
    spectral::Fft fft_;
    LaneVector work_;
    /// Values (cos, sin) of 2 pi k / N.
    std::vector<double> circle_;
};

/// The data of the coroutines; without a `dfft` they send null buffers.
struct DfftData {
    Dfft* dfft = nullptr;
    LaneVector* grid = nullptr;
    LaneVector* waves = nullptr;
    LaneVector* received = nullptr;
    /// The delivery of their messages.
    Delivery delivery = {};
};

/// Transforms grid to waves. The grid is lost, and `received` takes its place.
Task dfft_forward(Comm& row, const ArrayLayout& layout, std::int64_t fields, DfftData data);
/// Transforms waves to grid.
Task dfft_inverse(Comm& row, const ArrayLayout& layout, std::int64_t fields, DfftData data);

}  // namespace tradewind::pstswm
