/// The names of the numbers.
#include "tradewind/models/semi_lagrangian/report.hpp"

#include "tradewind/models/telling.hpp"

namespace tradewind::semi_lagrangian {

namespace {

using models::JsonObject;

void add_grid(JsonObject& report, const Plan& plan) {
    constexpr double degrees = 180 / pi;
    std::vector<double> longitudes;
    std::vector<double> latitudes;
    std::vector<double> heights;
    for (std::int64_t i = 0; i < plan.nx(); ++i) longitudes.push_back(plan.longitude(i) * degrees);
    for (std::int64_t j = 0; j < plan.ny(); ++j) latitudes.push_back(plan.latitude(j) * degrees);
    for (std::int64_t k = 0; k < plan.levels; ++k) heights.push_back(plan.height(k));
    report.add_value("longitude_deg", std::span<const double>(longitudes))
        .add_value("latitude_deg", std::span<const double>(latitudes))
        .add_value("height_m", std::span<const double>(heights));
}

std::string halo(const Result& result) {
    return JsonObject()
        .add_value("columns", result.halo_columns)
        .add_value("columns_sent", result.sent_columns)
        .add_value("messages", result.traffic.messages)
        .add_value("bytes", result.traffic.bytes)
        .add_value("request_messages", result.traffic.request_messages)
        .add_value("request_bytes", result.traffic.request_bytes)
        .text();
}

}  // namespace

std::string report(const Plan& plan, const Result& result) {
    const ProcessGrid& processes = plan.reach.grid.processes;
    JsonObject all;
    all.add("processes", text("[", processes.cx, ", ", processes.cy, "]"));
    add_grid(all, plan);
    if (result.has_norms) all.add("error", models::json_of_norms(result.norms));
    return all.add_value("initial_mean", result.initial_mean)
        .add_value("mean", result.mean)
        .add_value("lowest", result.lowest)
        .add_value("highest", result.highest)
        .add_value("fastest_wind_m_s", result.fastest_wind)
        .add_value("courant", result.courant)
        .add_value("halo_rows", plan.halo_rows)
        .add("halo", halo(result))
        .text();
}

}  // namespace tradewind::semi_lagrangian
