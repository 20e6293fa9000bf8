/// Gauss-Lobatto quadrature and differentiation on [-1, 1].
#pragma once

#include <vector>

namespace tradewind::homme {

/// The Legendre polynomials of degrees n and n - 1 at a point; the one below degree 0 is 0.
struct LegendrePair {
    double value;
    double lower;
};

[[nodiscard]] LegendrePair legendre(int degree, double x);

/// The nodes of an element in one direction.
struct GaussLobatto {
    /// Computes `count` >= 2 nodes, symmetric to the last bit.
    explicit GaussLobatto(int count);

    [[nodiscard]] int count() const noexcept { return int(nodes.size()); }
    /// Returns the derivative of the Lagrange polynomial of node k at node i.
    [[nodiscard]] double derivative(int i, int k) const {
        return derivatives[std::size_t(i * count() + k)];
    }
    /// Returns the values of all Lagrange polynomials at x.
    [[nodiscard]] std::vector<double> polynomials_at(double x) const;

    std::vector<double> nodes;
    std::vector<double> weights;
    std::vector<double> derivatives;
};

}  // namespace tradewind::homme
