/// ShallowWaterPlan: everything that is fixed before a run of the shallow water model, checked.
#pragma once

#include <memory>

#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/models/pstswm/parallel/exchange.hpp"
#include "tradewind/models/spectral/gauss.hpp"
#include "tradewind/models/williamson/test_case.hpp"

namespace tradewind::pstswm {

using williamson::FlowState;
using williamson::Forcing;
using williamson::gravity;
using williamson::HorizontalWind;
using williamson::LonLat;
using williamson::make_test_case;
using williamson::radius;
using williamson::rotation;
using williamson::seconds_per_day;
using williamson::test_case;
using williamson::TestCase;

/// The process mesh: px * py ranks, rank = row * px + column. px cuts longitudes and wavenumbers,
/// py latitudes.
struct Mesh {
    Rank px = 1;
    Rank py = 1;

    [[nodiscard]] Rank column(Rank rank) const noexcept { return rank % px; }
    [[nodiscard]] Rank row(Rank rank) const noexcept { return rank / px; }
};

/// The method of Fourier transforms if px > 1: after a transposition that makes longitudes whole,
/// or across the ranks of a row, see dfft.hpp.
enum class FftMethod : std::uint8_t { transpose, distributed };

/// The method of the sums over latitudes if py > 1. `transpose` makes latitudes whole and cuts the
/// levels. `sum` adds over the ranks of a column, all of which then hold the coefficients of their
/// wavenumbers. `ring` passes blocks around them, see ring.hpp.
enum class LegendreMethod : std::uint8_t { transpose, sum, ring };

/// The messages of a step. With `pstswm_fields` the old time level stays on the grid, as in PSTSWM.
/// Its vorticity, divergence and geopotential go back with the fluxes, and divergence comes to the
/// grid. With `pstswm`, in addition, butterflies across ranks are of real numbers, so that no
/// separation follows. Its ring passes blocks of coefficients, which are all equally long.
enum class Sending : std::uint8_t { own, pstswm_fields, pstswm };

/// Everything about a run; all ranks share one object.
struct ShallowWaterPlan {
    std::int64_t truncation = 42;
    std::int64_t latitudes = 64;
    std::int64_t longitudes = 128;
    std::int64_t levels = 1;
    Mesh mesh;

    std::int64_t case_number = 2;
    std::shared_ptr<const TestCase> test_case;
    /// The mean of the initial geopotential in m^2/s^2, the reference of the semi-implicit scheme.
    double mean_geopotential = 0.0;
    double time_step = 1200.0;  // s
    std::int64_t steps = 0;
    /// The speed in m/s of the fastest wave that the steps must resolve, and the radians by which
    /// the shortest such wave turns in a step. Steps are stable below 1.
    double fastest_wave = 0.0;
    double courant_number = 0.0;
    bool semi_implicit = true;
    double asselin = 0.0;
    double diffusion = 0.0;  // m^4/s
    /// The interval of output in steps. Fields are also gathered before the first step and at the
    /// end.
    std::int64_t output_every = 0;

    FftMethod fft_method = FftMethod::transpose;
    AlltoallvChoice fft;
    LegendreMethod legendre = LegendreMethod::transpose;
    AlltoallvChoice legendre_transpose;
    Choice<AllreduceAlgorithm> legendre_sum;
    /// Protocol and transport of the butterflies of the distributed transforms, and of the ring.
    Options dfft_options;
    Options ring_options;

    spectral::GaussNodes nodes;

    [[nodiscard]] double latitude(std::int64_t j) const;   // radians, from north to south
    [[nodiscard]] double longitude(std::int64_t i) const;  // radians, from 0 eastward
    Sending sending = Sending::own;
    /// True for `steps` whole steps only, as in the middle of a run: no transforms of the initial
    /// state and no half step. Only programs without data allow it.
    bool starts_under_way = false;
    [[nodiscard]] bool has_old_level() const noexcept { return sending != Sending::own; }
    /// Returns the number of forward fields apart from the old time level: the fluxes, the energy
    /// and any forcing of the geopotential.
    [[nodiscard]] std::int64_t flux_fields() const { return test_case->is_forced() ? 6 : 5; }
    [[nodiscard]] std::int64_t forward_fields() const {
        return flux_fields() + (has_old_level() ? 3 : 0);
    }
    /// Returns the number of inverse fields: vorticity, geopotential and wind, and divergence if
    /// the grid needs it.
    [[nodiscard]] std::int64_t inverse_fields() const { return has_old_level() ? 5 : 4; }
    [[nodiscard]] bool is_output_step(std::int64_t step) const noexcept {
        return step == steps || (output_every > 0 && step % output_every == 0);
    }
};

/// Reads a plan from the settings of settings.hpp. An algorithm may have options of its own, as in
/// comm/choice.hpp: "ring_k:radix=4,protocol=(1,6)". Algorithms may be given by PSTSWM's names:
/// srtrans, swtrans, logtrans; exchsum, halfsum, ringsum.
///
/// Throws ConfigError: unknown or wrong settings, aliased grids, ranks that do not fit, time steps
/// that are not stable.
[[nodiscard]] ShallowWaterPlan make_plan(const Settings& settings, Rank ranks);
/// Reads the plan of a run with data, whose length may be given in days.
[[nodiscard]] ShallowWaterPlan make_run_plan(const Settings& settings, Rank ranks);
/// Reads a plan without its nodes and the properties of the initial state, which take time.
[[nodiscard]] ShallowWaterPlan make_draft(const Settings& settings, Rank ranks);
/// Reads the draft of a run with data.
[[nodiscard]] ShallowWaterPlan make_run_draft(const Settings& settings, Rank ranks);

/// Throws ConfigError for settings that only programs without data allow: to start under way, and
/// PSTSWM's messages with dfft across more than two ranks or with a ring whose blocks are not whole
/// levels.
void require_data(const ShallowWaterPlan& plan);

}  // namespace tradewind::pstswm
