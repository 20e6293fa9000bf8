/// Plan: everything that is fixed before a run of the shallow water model, checked.
#pragma once

#include <memory>

#include "tradewind/comm/allreduce/allreduce.hpp"
#include "tradewind/models/pstswm/cases/test_case.hpp"
#include "tradewind/models/pstswm/parallel/exchange.hpp"
#include "tradewind/models/spectral/gauss.hpp"

namespace tradewind::pstswm {

/// px * py ranks, rank = row * px + column: px cuts longitudes and wavenumbers, py latitudes.
struct Mesh {
    Rank px = 1;
    Rank py = 1;

    [[nodiscard]] Rank column(Rank rank) const noexcept { return rank % px; }
    [[nodiscard]] Rank row(Rank rank) const noexcept { return rank / px; }
};

/// How Fourier transforms are made where px > 1: after a transposition that makes longitudes whole,
/// or across the ranks of a row, see dfft.hpp.
enum class FftMethod : std::uint8_t { transpose, distributed };

/// How the sums over latitudes are made where py > 1: after a transposition that makes latitudes
/// whole and cuts the levels; as a sum over the ranks of a column, all of which then hold the
/// coefficients of their wavenumbers; or round a ring of them, see ring.hpp.
enum class LegendreMethod : std::uint8_t { transpose, sum, ring };

/// What a step sends. PSTSWM keeps the old time level on the grid: its vorticity, divergence and
/// geopotential go back with the fluxes, and divergence comes to the grid (`pstswm_fields`).
/// Besides (`pstswm`), its butterflies across ranks are of real numbers, so that nothing has to be
/// separated afterwards, and its ring passes blocks of coefficients, which are all equally long.
enum class Sending : std::uint8_t { own, pstswm_fields, pstswm };

/// One object for all ranks of a run.
struct Plan {
    std::int64_t truncation = 42;
    std::int64_t latitudes = 64;
    std::int64_t longitudes = 128;
    std::int64_t levels = 1;
    Mesh mesh;

    std::int64_t case_number = 2;
    std::shared_ptr<const TestCase> test_case;
    /// Mean of the initial geopotential, the reference of the semi-implicit scheme; m^2/s^2.
    double mean_geopotential = 0.0;
    double time_step = 1200.0;  // s
    std::int64_t steps = 0;
    /// Speed in m/s of the fastest wave that the steps must follow, and by how many radians the
    /// shortest such wave turns in a step; stable below 1.
    double fastest_wave = 0.0;
    double courant_number = 0.0;
    bool semi_implicit = true;
    double asselin = 0.0;
    double diffusion = 0.0;  // m^4/s
    /// Fields are gathered before the first step, after every `output_every` steps, and at the end.
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
    /// Only `steps` whole steps, as in the middle of a run: no transforms of the initial state and
    /// no half step. Without data only.
    bool starts_under_way = false;
    [[nodiscard]] bool has_old_level() const noexcept { return sending != Sending::own; }
    /// The fluxes and the energy, and what forces the geopotential; the old time level after them.
    [[nodiscard]] std::int64_t flux_fields() const { return test_case->is_forced() ? 6 : 5; }
    [[nodiscard]] std::int64_t forward_fields() const {
        return flux_fields() + (has_old_level() ? 3 : 0);
    }
    /// Vorticity, geopotential and wind; divergence, too, where it is needed on the grid.
    [[nodiscard]] std::int64_t inverse_fields() const { return has_old_level() ? 5 : 4; }
    [[nodiscard]] bool is_output_step(std::int64_t step) const noexcept {
        return step == steps || (output_every > 0 && step % output_every == 0);
    }
};

/// Settings of the model, in base units:
///
///     case, alpha_deg          number of the test case (2) and turn of its axis in degrees (0)
///     truncation, levels       M (42) and the number of independent levels (1)
///     latitudes, longitudes    of the Gaussian grid; default: the smallest alias-free one
///     time_step, steps         in ps (1200 s), and how many (1)
///     scheme                   "semi_implicit" or "explicit"
///     asselin, diffusion_m4_s  filter coefficient (0), and K4 of the biharmonic diffusion (0)
///     output_every             in steps; 0: only at the beginning and the end
///     processes = [px, py]     default: the squarest mesh that the grid allows
///     method                   "transpose" (default), or of worley1998: "DTH" (double transpose and
///                              halfsum) or "DR" (dfft and ringpipe); "tuned": what `tuning` says
///     fft                      alltoallv of the Fourier side ("ring"), "dfft" or "tuned"
///     legendre                 "transpose", "sum", "ringpipe" or "tuned"; with a dot and the
///                              algorithm, such as "sum.ring", instead of the next two
///     legendre_alltoallv, legendre_allreduce    algorithms of the one or the other
///     tuning                   of "tuned", see comm/tuning/read_algorithm.hpp
///     messages                 "own", "pstswm_fields" or "pstswm", see `Sending`; not all of the
///                              last with data, see `require_data`
///     start                    "initial" state, or "under_way": only whole steps (without data
///                              only)
///     radix, window            tune the algorithms
///     protocol                 of every exchange, see protocol.hpp; "default" unless given
///     transport                of every exchange: "two_sided" (default) or "puts"
/// An algorithm may have options of its own, as in comm/choice.hpp:
/// "ring_k:radix=4,protocol=(1,6)". Algorithms may be given by PSTSWM's names: srtrans, swtrans,
/// logtrans; exchsum, halfsum, ringsum.
[[nodiscard]] std::span<const std::string_view> plan_keys();

/// Throws ConfigError: unknown or wrong settings, aliased grids, ranks that do not fit, time steps
/// that are not stable.
[[nodiscard]] Plan make_plan(const Settings& settings, Rank ranks);
/// As `make_plan`, without the nodes and what follows from the initial state, which take time.
[[nodiscard]] Plan make_outline(const Settings& settings, Rank ranks);

/// Throws ConfigError for what only programs without data can do: to start under way, and of
/// PSTSWM's messages dfft across more than two ranks and a ring whose blocks are not whole levels.
void require_data(const Plan& plan);

}  // namespace tradewind::pstswm
