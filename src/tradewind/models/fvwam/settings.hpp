/// The settings of the wave model.
#pragma once

#include "tradewind/base/data_file.hpp"
#include "tradewind/models/exchange_settings.hpp"
#include "tradewind/models/fvwam/plan.hpp"
#include "tradewind/models/fvwam/sources/air_flow.hpp"
#include "tradewind/program/entry.hpp"

namespace tradewind::fvwam::given {

inline constexpr double most_steps = 0x1p40;
inline constexpr auto mesh =
    declare::file("mesh", "MPAS mesh in NetCDF, as `tradewind mesh` writes it").required();
inline constexpr auto directions =
    declare::whole("directions", "directions of the spectrum", 36).within(4, 720);
inline constexpr auto frequencies =
    declare::whole("frequencies", "frequencies of the spectrum", 35).within(1, 256);
inline constexpr auto first_frequency =
    declare::real("first_frequency_hz", "lowest frequency in Hz", 0.03715).within(0.005, 2);
inline constexpr auto frequency_ratio =
    declare::real("frequency_ratio", "ratio of adjacent frequencies", 1.1).within(1.001, 2);
inline constexpr auto precision = declare::one_of<Precision>(
    "precision", "floating point numbers of the spectra",
    {{"single", Precision::single_precision}, {"double", Precision::double_precision}});
inline constexpr auto scheme = declare::one_of<Scheme>(
    "scheme",
    "advection: upwind of first order, limited of second order in space, or that by the method of "
    "Heun, of second order in time, too, with two exchanges in a step",
    {{"upwind", Scheme::upwind}, {"limited", Scheme::limited}, {"heun", Scheme::heun}});
inline constexpr auto sources = declare::one_of<Sources>(
    "sources", "source terms: those of WAM cycle 4 or 3, or none",
    {{"wam4", Sources::wam4}, {"wam3", Sources::wam3}, {"none", Sources::none}});
inline constexpr auto source_steps =
    declare::whole("source_steps", "time steps of propagation for each of the source terms", 1)
        .within(1, 1000);
inline constexpr auto largest_drag =
    declare::real("largest_drag",
                  "drag coefficient of the wind that is not exceeded, as in observations of strong "
                  "winds; 1: no limit",
                  observed_largest_drag)
        .within(1e-4, 1);
inline constexpr auto time_step =
    declare::duration("time_step", "time step; default: a round one that is stable")
        .within(1e6, 1e18);
inline constexpr auto steps =
    declare::whole("steps", "time steps; default: those of `hours`, or 1 without data")
        .within(1, most_steps);
inline constexpr auto depth =
    declare::real("depth_m", "depth of the sea in m where the mesh has none", 4000.0)
        .within(shallowest_sea, deepest_sea);
inline constexpr auto all_seas =
    declare::truth("all_seas", "accept a sea in several parts that share no edge", false);
inline constexpr auto start = declare::one_of<Start>(
    "start", "sea at the beginning: that of the local wind, calm, or a patch of swell",
    {{"wind_sea", Start::wind_sea}, {"calm", Start::calm}, {"swell", Start::swell}});
inline constexpr auto swell_longitude =
    declare::real("swell_longitude_deg", "centre of the swell, in degrees east", 0.0)
        .within(-360, 360);
inline constexpr auto swell_latitude =
    declare::real("swell_latitude_deg", "centre of the swell, in degrees north", 0.0)
        .within(-90, 90);
inline constexpr auto swell_radius =
    declare::real("swell_radius_km", "radius in km at which the swell's energy falls to 1/e", 500.0)
        .within(0.1, 20000);
inline constexpr auto swell_direction =
    declare::real("swell_direction_deg",
                  "direction to which the swell travels, in degrees clockwise from north", 90.0)
        .within(-360, 360);
inline constexpr auto swell_period =
    declare::real("swell_period_s", "period of the swell in s", 15.0).within(0.1, 1000);
inline constexpr auto swell_height =
    declare::real("swell_height_m", "significant height of the swell in its centre, in m", 2.5)
        .within(0, 100);
inline constexpr auto wind =
    declare::one_of<WindKind>("wind", "wind: none, the same everywhere, of a typhoon, or of a file",
                              {{"none", WindKind::none},
                               {"uniform", WindKind::uniform},
                               {"typhoon", WindKind::typhoon},
                               {"file", WindKind::file}});
inline constexpr auto wind_speed =
    declare::real("wind_speed_m_s", "uniform wind at 10 m, around a typhoon, too, in m/s", 0.0)
        .within(0, 100);
inline constexpr auto wind_direction =
    declare::real("wind_direction_deg",
                  "direction to which the uniform wind blows, in degrees clockwise from north", 0.0)
        .within(-360, 360);
inline constexpr auto track =
    declare::word("track",
                  "track of the typhoon, a line for each point: hours, longitude and latitude in "
                  "degrees, central pressure in hPa, radius of the strongest wind in km");
inline constexpr auto tide_amplitude =
    declare::real("tide_amplitude_m",
                  "amplitude in m of a water level that is the same everywhere; default: no tide")
        .within(0, 20);
inline constexpr auto tide_period =
    declare::real("tide_period_hours", "period of the water level in hours; default: 12.42")
        .within(0.1, 1e5);
inline constexpr auto tide_phase =
    declare::real("tide_phase_deg",
                  "phase of the water level at the beginning in degrees: 0 at its mean and rising, "
                  "90 at high water; default: 0")
        .within(-360, 360);
inline constexpr auto points = declare::word(
    "points",
    "points whose spectra are written, a line for each: a name without spaces, longitude and "
    "latitude in degrees; a point has the spectrum of the nearest sea cell");
inline constexpr auto wind_file =
    declare::file("wind_file", "winds at 10 m over time, latitude and longitude, in NetCDF (CF)");
inline constexpr auto overlap = declare::one_of<bool>(
    "overlap",
    "work between send and receive besides packing: none, or the cells that need no halo",
    {{"none", false}, {"computation", true}});
inline constexpr auto partition =
    declare::one_of<CellDistribution>(
        "partition",
        "distribution of the cells: parts of a space-filling curve, consecutive cells of the mesh, "
        "or METIS, which needs pymetis; default: curve",
        {{"curve", CellDistribution::curve},
         {"consecutive", CellDistribution::consecutive},
         {"metis", CellDistribution::metis}})
        .without_default();
inline constexpr auto partition_file =
    declare::word("partition_file",
                  "file with the rank of each sea cell on a line, as METIS writes it; default: "
                  "that of partition");
inline constexpr auto hours =
    declare::real("hours", "length of the run in hours; default: 24").within(1e-6, 1e6);
inline constexpr auto output_every_hours =
    declare::real("output_every_hours", "model time between outputs; default: only the last")
        .within(1e-6, 1e6);

inline constexpr const Declaration* always[] = {&mesh,
                                                &directions,
                                                &frequencies,
                                                &first_frequency,
                                                &frequency_ratio,
                                                &precision,
                                                &scheme,
                                                &sources,
                                                &source_steps,
                                                &time_step,
                                                &steps,
                                                &overlap,
                                                &exchange_settings::schedule,
                                                &exchange_settings::exchange,
                                                &partition,
                                                &partition_file,
                                                &algorithm_settings::tuning,
                                                &options::protocol};
inline constexpr const Declaration* with_data[] = {&largest_drag,
                                                   &depth,
                                                   &all_seas,
                                                   &start,
                                                   &swell_longitude,
                                                   &swell_latitude,
                                                   &swell_radius,
                                                   &swell_direction,
                                                   &swell_period,
                                                   &swell_height,
                                                   &wind,
                                                   &wind_speed,
                                                   &wind_direction,
                                                   &track,
                                                   &wind_file,
                                                   &hours,
                                                   &output_every_hours,
                                                   &tide_amplitude,
                                                   &tide_period,
                                                   &tide_phase,
                                                   &points};

}  // namespace tradewind::fvwam::given
