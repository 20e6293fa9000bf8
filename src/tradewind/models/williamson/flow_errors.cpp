/// Definitions of williamson1992, equations 82 to 87.
#include "tradewind/models/williamson/flow_errors.hpp"

#include <cmath>
#include <string>

namespace tradewind::williamson {

namespace {

void append_norms(const models::ErrorNorms& norms, bool is_depth, std::vector<Number>& numbers) {
    const std::string name = is_depth ? "depth_error" : "wind_error";
    numbers.push_back({name + ".l1", is_depth ? "depth l1" : "wind l1", "1", norms.l1, is_depth});
    numbers.push_back({name + ".l2", is_depth ? "depth l2" : "wind l2", "1", norms.l2});
    numbers.push_back(
        {name + ".maximum", is_depth ? "depth max" : "wind max", "1", norms.maximum, is_depth});
}

}  // namespace

void FlowErrorSums::add(const TestCase& test, LonLat at, double time, double weight,
                        const FlowState& found) {
    const FlowState truth = test.solution(at, time);
    const FlowState base = test.background(at);
    depth.add(weight, (found.geopotential - truth.geopotential) / gravity,
              (truth.geopotential - base.geopotential) / gravity);
    wind.add(weight,
             std::hypot(found.wind.east - truth.wind.east, found.wind.north - truth.wind.north),
             std::hypot(truth.wind.east - base.wind.east, truth.wind.north - base.wind.north));
}

void FlowErrorSums::add(const FlowErrorSums& other) {
    depth.add(other.depth);
    wind.add(other.wind);
}

void append(const FlowErrors& errors, std::vector<Number>& numbers) {
    append_norms(errors.depth, true, numbers);
    append_norms(errors.wind, false, numbers);
}

}  // namespace tradewind::williamson
