/// Gauss-Legendre quadrature on [-1, 1]: the latitudes of a spectral model.
#pragma once

#include <cstdint>
#include <vector>

namespace tradewind::spectral {

/// Nodes from +1 (north) to -1 (south), exactly antisymmetric, and weights whose sum is 2. Exact
/// for polynomials up to degree 2 count - 1.
struct GaussNodes {
    std::vector<double> mu;
    std::vector<double> weight;
};

/// Computes the nodes. Throws ConfigError unless count >= 1.
[[nodiscard]] GaussNodes gauss_nodes(std::int64_t count);

}  // namespace tradewind::spectral
