/// The settings of the dynamical core.
#pragma once

#include "tradewind/models/exchange_settings.hpp"
#include "tradewind/models/homme/plan.hpp"
#include "tradewind/program/entry.hpp"

namespace tradewind::homme::given {

inline constexpr double most_steps = 0x1p40;
inline constexpr auto ne =
    declare::whole("ne", "elements along an edge of the cube").within(1, 8192).required();
inline constexpr auto method = declare::one_of<Discretisation>(
    "method", "spectral elements (np = 4) or discontinuous Galerkin (np = 6)",
    {{"se", Discretisation::spectral_elements}, {"dg", Discretisation::discontinuous_galerkin}});
inline constexpr auto case_name = declare::one_of<FlowCase>(
    "case",
    "flow: the perturbed or the balanced jet of Jablonowski and Williamson, or a case of "
    "williamson1992 for shallow water",
    {{"baroclinic_wave", FlowCase::baroclinic_wave},
     {"steady", FlowCase::steady},
     {"williamson2", FlowCase::williamson2},
     {"williamson3", FlowCase::williamson3},
     {"williamson5", FlowCase::williamson5},
     {"williamson6", FlowCase::williamson6}});
inline constexpr auto alpha =
    declare::real("alpha_deg",
                  "turn of the flow against the Earth's axis, in degrees (williamson2, 3)", 0.0)
        .within(-360, 360);
inline constexpr auto levels =
    declare::whole("levels",
                   "layers; default: the 26 of CAM, which others interpolate, or 1 of shallow "
                   "water, where layers are independent")
        .within(1, 1024);
inline constexpr auto time_step =
    declare::duration("time_step", "time step; default: by resolution, 600 s for ne = 16")
        .within(1e6, 1e18);
inline constexpr auto steps =
    declare::whole("steps", "time steps; default: those of `days`, or 1 without data")
        .within(1, most_steps);
inline constexpr auto remap_every =
    declare::whole("remap_every",
                   "steps between returns to the reference levels; default: 3 for se, 1 for dg")
        .within(1, 1000);
inline constexpr auto viscosity_steps =
    declare::whole("viscosity_steps", "substeps of hyperviscosity in a step (se); default: 3")
        .within(1, 100);
inline constexpr auto hyperviscosity =
    declare::real("hyperviscosity_m4_s", "hyperviscosity in m^4/s (se); default: by resolution")
        .within(0, 1e30);
inline constexpr auto top_viscosity =
    declare::real("top_viscosity_m2_s",
                  "viscosity of the top three layers in m^2/s (se); default: 2.5e5")
        .within(0, 1e30);
inline constexpr auto viscosity =
    declare::real("viscosity_m2_s", "viscosity of the wind in m^2/s (dg); default: 0")
        .within(0, 1e9);
inline constexpr auto filter_time =
    declare::duration("filter_time",
                      "time in which the filter damps the highest polynomials of an element to 1/e "
                      "(dg), 0 for no filter; default: 28800 s / ne, none in shallow water")
        .within(0, 1e18);
inline constexpr auto filter_order =
    declare::real("filter_order",
                  "power of the degree with which the filter's damping grows (dg); default: 8")
        .within(1, 64);
inline constexpr auto wave_speed =
    declare::real("wave_speed_m_s",
                  "speed of gravity waves in the fluxes in m/s (dg); default: 300, in shallow "
                  "water that of the deepest point")
        .within(0, 1e4);
inline constexpr auto connectivity =
    declare::one_of<Connectivity>(
        "connectivity", "points that are sent; default: edges_and_corners for se, edges for dg",
        {{"edges_and_corners", Connectivity::edges_and_corners}, {"edges", Connectivity::edges}})
        .without_default();
/// Work between send and receive.
enum class Overlap : std::uint8_t { none, computation };
inline constexpr auto overlap = declare::one_of<Overlap>(
    "overlap",
    "work between send and receive besides packing: none, or what needs no neighbour (dg)",
    {{"none", Overlap::none}, {"computation", Overlap::computation}});
/// The ways to distribute elements over ranks.
enum class PartitionMethod : std::uint8_t { curve, metis };
inline constexpr auto partition =
    declare::one_of<PartitionMethod>(
        "partition",
        "distribution of the elements: parts of the space-filling curve, or METIS, which needs "
        "pymetis; default: curve",
        {{"curve", PartitionMethod::curve}, {"metis", PartitionMethod::metis}})
        .without_default();
inline constexpr auto partition_file = declare::word(
    "partition_file",
    "file with the rank of each element on a line, as METIS writes it; default: that of partition");
inline constexpr auto days =
    declare::real("days", "length of the run; default: 9, or that of the case of williamson1992")
        .within(1e-6, 36500.0);
inline constexpr auto output_every_hours =
    declare::real("output_every_hours", "model time between outputs; default: only the last")
        .within(1e-6, 1e6);
inline constexpr auto grid_latitudes =
    declare::whole("latitudes", "latitudes of the output; default: 6 ne").within(2, 1e5);

inline constexpr auto native_grid = declare::truth(
    "native_grid", "also write the fields at the points of the elements (UGRID)", false);

inline constexpr const Declaration* always[] = {&ne,
                                                &method,
                                                &case_name,
                                                &alpha,
                                                &levels,
                                                &time_step,
                                                &steps,
                                                &remap_every,
                                                &viscosity_steps,
                                                &hyperviscosity,
                                                &top_viscosity,
                                                &viscosity,
                                                &filter_time,
                                                &filter_order,
                                                &wave_speed,
                                                &exchange_settings::schedule,
                                                &exchange_settings::order,
                                                &connectivity,
                                                &overlap,
                                                &partition,
                                                &partition_file,
                                                &exchange_settings::exchange,
                                                &algorithm_settings::tuning,
                                                &options::protocol};
inline constexpr const Declaration* with_data[] = {&days, &output_every_hours, &grid_latitudes,
                                                   &native_grid};

}  // namespace tradewind::homme::given
