/// The settings of semi-Lagrangian advection.
#pragma once

#include "tradewind/comm/tuning/read_algorithm.hpp"
#include "tradewind/models/column_settings.hpp"
#include "tradewind/models/semi_lagrangian/plan.hpp"

namespace tradewind::semi_lagrangian::given {

using models::grid;
using models::processes;
inline constexpr auto case_name = declare::one_of<std::string_view>(
    "case", "flow",
    {{"deformation", "deformation"}, {"solid_body", "solid_body"}, {"dcmip_1_1", "dcmip_1_1"}});
inline constexpr auto alpha =
    declare::real("alpha_deg", "turn of the axis of solid_body in degrees", 0.0)
        .within(-360.0, 360.0);
/// The exchange of columns; "tuned" stands for no value.
inline constexpr auto exchange = declare::one_of<std::optional<ColumnExchange>>(
    "exchange",
    "columns around departure points: a halo as wide as the fastest wind, or those asked for",
    {{"wide", ColumnExchange::wide},
     {"on_demand", ColumnExchange::on_demand},
     {tuned, std::nullopt}});
inline constexpr auto tracers =
    declare::whole("tracers", "fields that are advected; the f-th is 1/f of the first", 1)
        .within(1, 100'000);
inline constexpr auto time_step =
    declare::duration("time_step", "time step", 1800 * picoseconds_per_second).within(1e6, 1e18);
inline constexpr auto steps = declare::whole("steps", "time steps", 1).within(1, 0x1p40);
inline constexpr auto max_wind =
    declare::real("max_wind_m_s", "fastest wind that the wide halo allows for, in m/s", 200.0)
        .within(1e-3, 1e5);
inline constexpr auto iterations =
    declare::whole("iterations", "iterations of the departure points", 4).within(1, 100);

inline constexpr const Declaration* always[] = {
    &grid,    &processes, &case_name, &alpha,    &exchange,  &algorithm_settings::tuning,
    &tracers, &time_step, &steps,     &max_wind, &iterations};

}  // namespace tradewind::semi_lagrangian::given
