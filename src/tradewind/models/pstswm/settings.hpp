/// The settings of the shallow water model.
#pragma once

#include "tradewind/comm/read_options.hpp"
#include "tradewind/models/pstswm/plan.hpp"

namespace tradewind::pstswm::given {

inline constexpr auto large = double(largest_count);
inline constexpr auto most_steps = 0x1p40;

inline constexpr auto case_number =
    declare::whole("case", "number of the test case of williamson1992", 2).within(1, 1000);
inline constexpr auto alpha =
    declare::real("alpha_deg", "turn of the flow against the Earth's axis, in degrees", 0.0)
        .within(-360, 360);
inline constexpr auto truncation =
    declare::whole("truncation", "largest wavenumber M of the triangular truncation", 42)
        .within(1, 8191);
inline constexpr auto levels =
    declare::whole("levels", "independent copies of the flow", 1).within(1, 0x1p20);
inline constexpr auto latitudes =
    declare::whole("latitudes", "latitudes of the Gaussian grid; default: alias-free")
        .within(2, large);
inline constexpr auto longitudes =
    declare::whole("longitudes", "longitudes of the Gaussian grid; default: alias-free")
        .within(4, large);
inline constexpr auto time_step =
    declare::duration("time_step", "time step", 1200 * picoseconds_per_second).within(1e6, 1e18);
inline constexpr auto steps =
    declare::whole("steps", "time steps; default: the days of the case, or 1 without data")
        .within(1, most_steps);
inline constexpr auto is_semi_implicit = declare::one_of<bool>(
    "scheme", "time stepping", {{"semi_implicit", true}, {"explicit", false}});
inline constexpr auto asselin =
    declare::real("asselin", "coefficient of the Asselin filter", 0.0).within(0, 0.5);
inline constexpr auto diffusion =
    declare::real("diffusion_m4_s", "biharmonic diffusion K4 in m^4/s", 0.0).within(0, 1e30);
inline constexpr auto output_every =
    declare::whole("output_every", "steps between outputs; 0: only first and last", 0)
        .within(0, most_steps);
inline constexpr auto processes = declare::whole_list(
    "processes", "mesh [px, py]; default: the squarest that the grid allows", 2);
inline constexpr auto method =
    declare::word("method",
                  "transpose, DTH (double transpose, halfsum), DR (dfft, ringpipe), or tuned; "
                  "default: transpose");
inline constexpr auto fft = declare::word(
    "fft", "alltoallv of the Fourier side, \"dfft\" or \"tuned\"; default: that of method");
inline constexpr auto legendre =
    declare::word("legendre",
                  "transpose, sum or ringpipe, with a dot and an algorithm if wanted, or tuned; "
                  "default: that of method");
inline constexpr auto legendre_alltoallv =
    declare::word("legendre_alltoallv", "algorithm of the Legendre transposition", "ring");
inline constexpr auto legendre_allreduce =
    declare::word("legendre_allreduce", "algorithm of the Legendre sums", "rabenseifner");
inline constexpr auto tuning = declare::word(
    "tuning", "file of `tradewind tune`, where something is \"tuned\"; none: nothing is");
inline constexpr auto sending =
    declare::one_of<Sending>("messages", "fields and messages of a step",
                             {{"own", Sending::own},
                              {"pstswm_fields", Sending::pstswm_fields},
                              {"pstswm", Sending::pstswm}});
inline constexpr auto starts_under_way = declare::one_of<bool>(
    "start", "begin at the initial state, or with whole steps only (without data)",
    {{"initial", false}, {"under_way", true}});
inline constexpr auto days =
    declare::real("days", "length of the run; default: that of the case").within(1e-6, 3650.0);
inline constexpr auto output_every_hours =
    declare::real("output_every_hours", "model time between outputs").within(1e-6, 1e5);

inline constexpr const Declaration* before_options[] = {
    &case_number,       &alpha,      &truncation, &levels,
    &latitudes,         &longitudes, &time_step,  &steps,
    &is_semi_implicit,  &method,     &asselin,    &diffusion,
    &processes,         &fft,        &legendre,   &legendre_alltoallv,
    &legendre_allreduce};
inline constexpr const Declaration* after_options[] = {&tuning, &sending};

/// Settings with and without data.
inline constexpr auto always = joined(before_options, options::all, after_options);
/// Settings of the messages alone.
inline constexpr const Declaration* without_data[] = {&starts_under_way};
/// Settings of runs with data.
inline constexpr const Declaration* with_data[] = {&days, &output_every, &output_every_hours};

}  // namespace tradewind::pstswm::given
