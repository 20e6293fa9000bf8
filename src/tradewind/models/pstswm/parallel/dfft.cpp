/// Butterflies between ranks, and the two passes between complex and real spectra.
#include "tradewind/models/pstswm/parallel/dfft.hpp"

#include <cmath>
#include <numbers>

#include "tradewind/comm/protocol/exchange.hpp"

namespace tradewind::pstswm {

namespace {

using spectral::blocks_of;
using spectral::Lanes;

constexpr Tag butterfly_tag = 2;
constexpr Tag mirror_tag = 3;

[[nodiscard]] std::int64_t complex_points(const ArrayLayout& layout) {
    return layout.plan().longitudes / 2 / layout.plan().mesh.px;
}

/// Returns the rank that holds the wavenumbers -k of those of `rank`.
[[nodiscard]] Rank mirror_of(const ArrayLayout& layout, Rank rank) {
    const Rank ranks = layout.plan().mesh.px;
    return layout.waves().residue((ranks - layout.waves().residue(rank)) % ranks);
}

struct Factor {
    double re;
    double im;
};

/// Computes out = a * factor for complex rows of `blocks` Lanes; `out` may be `a`.
TRADEWIND_CLONES
void multiply(const Lanes* a, Factor factor, Lanes* out, std::int64_t blocks) {
    for (std::int64_t b = 0; b < blocks; ++b) {
        const Lanes re = a[b] * factor.re - a[blocks + b] * factor.im;
        out[blocks + b] = a[b] * factor.im + a[blocks + b] * factor.re;
        out[b] = re;
    }
}

/// Computes mine = sign * mine + theirs.
TRADEWIND_CLONES
void add(Lanes* mine, double sign, const Lanes* theirs, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) mine[i] = sign * mine[i] + theirs[i];
}

/// Computes out = scale * { (x + conj y) + factor (x - conj y) }. A null pointer stands for zeros.
TRADEWIND_CLONES
void symmetric_parts(const Lanes* x, const Lanes* y, Factor factor, double scale, Lanes* out,
                     std::int64_t blocks) {
    for (std::int64_t b = 0; b < blocks; ++b) {
        const Lanes x_re = x != nullptr ? x[b] : Lanes{};
        const Lanes x_im = x != nullptr ? x[blocks + b] : Lanes{};
        const Lanes y_re = y != nullptr ? y[b] : Lanes{};
        const Lanes y_im = y != nullptr ? y[blocks + b] : Lanes{};
        const Lanes re = x_re - y_re;
        const Lanes im = x_im + y_im;
        out[b] = scale * ((x_re + y_re) + (re * factor.re - im * factor.im));
        out[blocks + b] = scale * ((x_im - y_im) + (re * factor.im + im * factor.re));
    }
}

}  // namespace

Dfft::Dfft(const ArrayLayout& layout)
    : local_(complex_points(layout)), fft_(2 * local_), work_(fft_.work_size()) {
    const std::int64_t points = layout.plan().longitudes;
    for (std::int64_t k = 0; k < points; ++k) {
        const long double angle =
            2 * std::numbers::pi_v<long double> * (long double)(k) / (long double)(points);
        circle_.push_back(double(std::cos(angle)));
        circle_.push_back(double(std::sin(angle)));
    }
}

/// Combines, in a group of g ranks, the data of number i of the lower half with those of number i
/// of the upper half. Forward, it makes their sum and their difference times exp(-2 pi i / length),
/// length = g local_. Backward, it makes the sum and the difference of the output of `turn`.
void Dfft::combine(const ArrayLayout& layout, Rank group, bool is_forward, LaneVector& mine,
                   const LaneVector& theirs, std::int64_t blocks) const {
    const bool is_upper = layout.column() % group >= group / 2;
    add(mine.data(), is_upper ? -1.0 : 1.0, theirs.data(), mine.size());
    if (!is_forward || !is_upper) return;
    const std::int64_t first = layout.column() % (group / 2) * local_;
    const std::int64_t step = layout.plan().longitudes / (group * local_);
    for (std::int64_t line = 0; line < 2 * layout.own_pairs(); ++line) {
        for (std::int64_t j = 0; j < local_; ++j) {
            const double* const at = circle_.data() + 2 * (first + j) * step;
            Lanes* const row = mine.data() + (line * local_ + j) * 2 * blocks;
            multiply(row, {at[0], -at[1]}, row, blocks);
        }
    }
}

void Dfft::turn(const ArrayLayout& layout, Rank group, LaneVector& mine,
                std::int64_t blocks) const {
    if (layout.column() % group < group / 2) return;
    const std::int64_t first = layout.column() % (group / 2) * local_;
    const std::int64_t step = layout.plan().longitudes / (group * local_);
    for (std::int64_t line = 0; line < 2 * layout.own_pairs(); ++line) {
        for (std::int64_t j = 0; j < local_; ++j) {
            const double* const at = circle_.data() + 2 * (first + j) * step;
            Lanes* const row = mine.data() + (line * local_ + j) * 2 * blocks;
            multiply(row, {at[0], at[1]}, row, blocks);
        }
    }
}

void Dfft::local(const ArrayLayout& layout, bool is_forward, LaneVector& grid,
                 std::int64_t blocks) {
    for (std::int64_t line = 0; line < 2 * layout.own_pairs(); ++line) {
        for (std::int64_t b = 0; b < blocks; ++b) {
            const spectral::Column<Lanes> column{grid.data() + line * local_ * 2 * blocks + b,
                                                 2 * blocks, blocks};
            if (is_forward) {
                fft_.complex_forward(column, work_.data());
            } else {
                fft_.complex_backward(column, work_.data());
            }
        }
    }
}

/// Separates the two real halves as in Fft: 2 X_k = (Z_k + conj Z_{h-k}) - i exp(-2 pi i k / N)
/// (Z_k - conj Z_{h-k}).
void Dfft::separate(const ArrayLayout& layout, const LaneVector& mine, const LaneVector& mirror,
                    LaneVector& waves, std::int64_t blocks) const {
    const std::int64_t lines = 2 * layout.own_pairs();
    const std::int64_t remainder = layout.waves().residue(layout.column());
    const double scale = 0.5 / double(layout.plan().longitudes);
    for (std::int64_t i = 0; i < layout.own_waves(); ++i) {
        const std::int64_t k = layout.waves().item(layout.column(), i);
        const std::int64_t opposite = remainder == 0 ? (local_ - i) % local_ : local_ - 1 - i;
        const double* const at = circle_.data() + 2 * k;
        for (std::int64_t line = 0; line < lines; ++line) {
            symmetric_parts(mine.data() + (line * local_ + i) * 2 * blocks,
                            mirror.data() + (line * local_ + opposite) * 2 * blocks,
                            {-at[1], -at[0]}, scale, waves.data() + (i * lines + line) * 2 * blocks,
                            blocks);
        }
    }
}

/// Joins the two real halves: Z_k = (X_k + conj X_{h-k}) + i exp(2 pi i k / N) (X_k - conj
/// X_{h-k}). X is zero beyond M.
void Dfft::join(const ArrayLayout& layout, const LaneVector& waves, const LaneVector& mirror,
                LaneVector& grid, std::int64_t blocks) const {
    const std::int64_t lines = 2 * layout.own_pairs();
    const std::int64_t last = layout.plan().truncation;
    const Rank ranks = layout.plan().mesh.px;
    for (std::int64_t i = 0; i < local_; ++i) {
        const std::int64_t k = layout.waves().item(layout.column(), i);
        const std::int64_t opposite = layout.plan().longitudes / 2 - k;
        const double* const at = circle_.data() + 2 * k;
        for (std::int64_t line = 0; line < lines; ++line) {
            const Lanes* const x =
                k <= last ? waves.data() + (i * lines + line) * 2 * blocks : nullptr;
            const Lanes* const y =
                opposite <= last ? mirror.data() + (opposite / ranks * lines + line) * 2 * blocks
                                 : nullptr;
            symmetric_parts(x, y, {-at[1], at[0]}, 1.0,
                            grid.data() + (line * local_ + i) * 2 * blocks, blocks);
        }
    }
}

namespace {

/// Returns the bytes of `lanes` Lanes.
[[nodiscard]] Bytes bytes(std::int64_t lanes) noexcept {
    return lanes * Bytes(sizeof(Lanes));
}

[[nodiscard]] Buffer buffer(LaneVector* lanes, std::int64_t count) {
    if (lanes == nullptr) return Buffer(bytes(count));
    return {reinterpret_cast<std::byte*>(lanes->data()), bytes(count)};
}

/// Returns the Lanes of a rank's waves, each of `blocks` Lanes.
[[nodiscard]] std::int64_t wave_lanes(const ArrayLayout& layout, Rank rank, std::int64_t blocks) {
    return layout.waves().size(rank) * 2 * layout.own_pairs() * 2 * blocks;
}

/// Returns whether the rank needs the wavenumbers of another one to separate the two real halves.
[[nodiscard]] bool has_mirror(const ArrayLayout& layout, const Comm& row) {
    return layout.plan().sending != Sending::pstswm && mirror_of(layout, row.rank()) != row.rank();
}

}  // namespace

Task dfft_forward(Comm& row, const ArrayLayout& layout, std::int64_t fields, DfftData data) {
    const std::int64_t blocks = blocks_of(fields * layout.plan().levels);
    const std::int64_t count = 2 * layout.own_pairs() * complex_points(layout) * 2 * blocks;
    const Buffer mine = buffer(data.grid, count);
    const Buffer theirs = buffer(data.received, count);
    for (Rank group = row.size(); group > 1; group /= 2) {
        const Rank partner = row.rank() ^ (group / 2);
        co_await swap(row, partner, mine, theirs, data.delivery, butterfly_tag);
        if (data.dfft != nullptr)
            data.dfft->combine(layout, group, true, *data.grid, *data.received, blocks);
    }
    if (data.dfft != nullptr) data.dfft->local(layout, true, *data.grid, blocks);
    co_await row.compute(layout.fft_work(fields));
    const Rank mirror = mirror_of(layout, row.rank());
    if (has_mirror(layout, row))
        co_await swap(row, mirror, mine, theirs, data.delivery, mirror_tag);
    if (data.dfft == nullptr) co_return;
    const LaneVector& other = mirror == row.rank() ? *data.grid : *data.received;
    data.dfft->separate(layout, *data.grid, other, *data.waves, blocks);
}

Task dfft_inverse(Comm& row, const ArrayLayout& layout, std::int64_t fields, DfftData data) {
    const std::int64_t blocks = blocks_of(fields * layout.plan().levels);
    const std::int64_t count = 2 * layout.own_pairs() * complex_points(layout) * 2 * blocks;
    const Rank mirror = mirror_of(layout, row.rank());
    const Buffer waves = buffer(data.waves, wave_lanes(layout, row.rank(), blocks));
    const Buffer mirrored = buffer(data.received, wave_lanes(layout, mirror, blocks));
    if (has_mirror(layout, row))
        co_await swap(row, mirror, waves, mirrored, data.delivery, mirror_tag);
    if (data.dfft != nullptr) {
        const LaneVector& other = mirror == row.rank() ? *data.waves : *data.received;
        data.dfft->join(layout, *data.waves, other, *data.grid, blocks);
        data.dfft->local(layout, false, *data.grid, blocks);
    }
    co_await row.compute(layout.fft_work(fields));
    const Buffer mine = buffer(data.grid, count);
    const Buffer theirs = buffer(data.received, count);
    for (Rank group = 2; group <= row.size(); group *= 2) {
        const Rank partner = row.rank() ^ (group / 2);
        if (data.dfft != nullptr) data.dfft->turn(layout, group, *data.grid, blocks);
        co_await swap(row, partner, mine, theirs, data.delivery, butterfly_tag);
        if (data.dfft != nullptr)
            data.dfft->combine(layout, group, false, *data.grid, *data.received, blocks);
    }
}

}  // namespace tradewind::pstswm
