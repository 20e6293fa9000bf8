/// What a run has found, in JSON, by the names that those who read results use.
#pragma once

#include <string>

#include "tradewind/models/semi_lagrangian/run.hpp"

namespace tradewind::semi_lagrangian {

/// An object with all but the tracer: processes, longitude_deg, latitude_deg, height_m, error (l1,
/// l2, maximum) if the exact tracer is known, initial_mean, mean, lowest, highest,
/// fastest_wind_m_s, courant, halo_rows and halo (columns, columns_sent, messages, bytes,
/// request_messages, request_bytes).
[[nodiscard]] std::string report(const Plan& plan, const Result& result);

}  // namespace tradewind::semi_lagrangian
