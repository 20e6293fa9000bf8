/// Norms of the error of a model with a known solution.
#pragma once

namespace tradewind::models {

/// Norms of the difference from the known solution, relative to those of the solution and weighted
/// by area.
struct ErrorNorms {
    double l1 = 0.0;
    double l2 = 0.0;
    double maximum = 0.0;
};

}  // namespace tradewind::models
