/// ShallowWaterModel: the arrays of one rank and the kernels between two exchanges.
#pragma once

#include "tradewind/models/pstswm/parallel/dfft.hpp"
#include "tradewind/models/pstswm/state.hpp"
#include "tradewind/models/spectral/fft.hpp"

namespace tradewind::pstswm {

/// The chain of arrays of one direction; see ArrayLayout.
struct TransformArrays {
    Shapes shapes;
    spectral::LaneVector grid;
    spectral::LaneVector lines;
    spectral::LaneVector waves;
    spectral::LaneVector fourier;
    spectral::LaneVector legendre;
    spectral::LaneVector spectrum;
};

class ShallowWaterModel {
public:
    explicit ShallowWaterModel(const ArrayLayout& layout);

    TransformArrays inverse;
    TransformArrays forward;
    ExchangeBuffers messages;
    Tendencies tendency;
    State before;
    State now;

    // The kernels, in the order of a step.
    void synthesise(const State& state) { arithmetic_.synthesis(state, inverse.spectrum); }
    void legendre_inverse();
    void fft_inverse();
    /// Computes fluxes from the inverse fields on the grid, at model time `time`.
    void multiply(double time);
    /// Copies PSTSWM's old time level (vorticity, divergence, geopotential), which stays on the
    /// grid, to the last forward fields of a step. Steps 0 and 1 both begin at the start.
    void carry_old_level(std::int64_t step);
    void fft_forward();
    void legendre_forward();
    void analyse(bool is_start);
    /// Computes, for the ring, the rank's part of the inverse transform of a block of levels, from
    /// a packed state into `inverse.fourier`.
    void block_inverse(const std::vector<double>& state, Rank block);
    /// Computes, for the ring, the tendencies of a block of levels from `forward.fourier`.
    void block_forward(Rank block, bool is_start, Tendencies& result);
    /// Returns the arrays of a Fourier transform across ranks.
    [[nodiscard]] DfftData distributed_fft(TransformArrays& chain);
    /// Advances the state, after which `now` is the new one. Step 0 goes from the start over half a
    /// time step, step 1 from the start over a whole one, and all others leap from `before` over
    /// two.
    void advance(std::int64_t step);

    /// Sets the fields that the forward transform begins with to the initial flow.
    void set_initial();
    /// Sets the fields that the forward transform begins with to Phi_s alone.
    void set_ground();
    void keep_initial();
    void keep_ground() { arithmetic_.start(tendency, ground_state_); }

    /// Returns everything that the next step needs and the set-up does not provide, after step 1 or
    /// a later one.
    [[nodiscard]] std::vector<double> checkpoint() const;
    /// Restores the state of a checkpoint.
    void restore(const std::vector<double>& numbers);

    /// Returns the first level with a value that is not finite, or -1 if all are finite. A wrong
    /// number anywhere has spread to all points of its level. One point of each level is therefore
    /// enough, on every rank.
    [[nodiscard]] std::int64_t broken_level() const;
    /// Returns a state whose "vorticity" is the divergence of `now`, for output on the grid.
    [[nodiscard]] State divergence_as_vorticity() const;

private:
    [[nodiscard]] spectral::LaneVector& at_legendre(TransformArrays& chain) const noexcept {
        return layout_.is_transposed() ? chain.legendre : chain.fourier;
    }
    [[nodiscard]] const SpectralArithmetic& arithmetic_of(Rank block) const noexcept {
        return block_arithmetic_[layout_.levels().size(block) == layout_.levels().size(0) ? 0 : 1];
    }
    enum class CopyDirection : std::uint8_t { into_block, out_of_block };
    void copy_block(TransformArrays& chain, Rank block, CopyDirection way) const;
    void multiply_point(std::int64_t point, double* out, double time) const;

    const ArrayLayout layout_;
    spectral::LegendreTransform legendre_;
    spectral::Fft fft_;
    SpectralArithmetic arithmetic_;
    /// Arithmetic for blocks with as many levels as the first one, and as the last one.
    std::vector<SpectralArithmetic> block_arithmetic_;
    Dfft dfft_;
    spectral::LaneVector received_;
    spectral::LaneVector fft_work_;
    State ground_state_;
    State initial_;
    // Coordinates and Coriolis parameter of the own part of the grid.
    std::vector<LonLat> places_;
    std::vector<double> coriolis_;
    std::vector<double> ground_;
    std::vector<double> inverse_square_cosine_;
    /// The old time level, [point][field][level].
    std::vector<double> old_level_;
};

}  // namespace tradewind::pstswm
