/// The errors of a flow whose evolution a test case knows.
#pragma once

#include <vector>

#include "tradewind/models/error_norms.hpp"
#include "tradewind/models/williamson/test_case.hpp"
#include "tradewind/program/model_run.hpp"

namespace tradewind::williamson {

/// Norms of the errors of depth and wind. They are relative to the solution less the background of
/// the case.
struct FlowErrors {
    models::ErrorNorms depth;
    models::ErrorNorms wind;
};

/// Sums over points, from which the norms follow.
struct FlowErrorSums {
    models::NormSums depth;
    models::NormSums wind;

    /// Adds a point that stands for the area `weight`; `found` is the flow of the model there.
    void add(const TestCase& test, LonLat at, double time, double weight, const FlowState& found);
    /// Adds the sums over other points.
    void add(const FlowErrorSums& other);
    [[nodiscard]] FlowErrors relative() const { return {depth.relative(), wind.relative()}; }
};

/// Appends the norms to the numbers of an output: depth_error.l1, ..., wind_error.maximum.
void append(const FlowErrors& errors, std::vector<Number>& numbers);

}  // namespace tradewind::williamson
