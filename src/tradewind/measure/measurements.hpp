/// The measurements; each is described in the file of the same name.
#pragma once

#include "tradewind/measure/measurement.hpp"

namespace tradewind::measure {

Program make_pingpong(const Settings& settings, Rank ranks, std::span<const Native> natives,
                      Rows& rows);
Program make_swap(const Settings& settings, Rank ranks, std::span<const Native> natives,
                  Rows& rows);
Program make_collectives(const Settings& settings, Rank ranks, std::span<const Native> natives,
                         Rows& rows);
Program make_overhead(const Settings& settings, Rank ranks, std::span<const Native> natives,
                      Rows& rows);
Program make_overlap(const Settings& settings, Rank ranks, std::span<const Native> natives,
                     Rows& rows);
Program make_neighbor(const Settings& settings, Rank ranks, std::span<const Native> natives,
                      Rows& rows);

}  // namespace tradewind::measure
