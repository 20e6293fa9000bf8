/// Directions: the last k search directions of a GCR method, with their vectors and scalar
/// products.
#pragma once

#include <algorithm>

#include "tradewind/models/helmholtz/solve.hpp"

namespace tradewind::helmholtz {

/// Returns the sum of a_i b_i over the rank's own points, added in the order of the points.
[[nodiscard]] double dot(const Vector& a, const Vector& b);
/// Adds factor x to y.
void add(double factor, const Vector& x, Vector& y);

/// Returns the flops and bytes of `updates` operations y += a x, or of as many scalar products.
[[nodiscard]] Work vector_work(const Operators& operators, std::int64_t updates);

/// The vectors and the scalar eta of each of the last `restart` directions. Direction n lies in
/// slot n mod `restart`.
class Directions {
public:
    Directions(const Operators& operators, std::int64_t families);

    /// Returns the number of directions that the next one is made orthogonal to.
    [[nodiscard]] std::int64_t count() const noexcept {
        return std::min(made_, std::int64_t(eta_.size()));
    }
    void forget() noexcept { made_ = 0; }
    /// Returns the vector of one family (0: p, 1: s, ...) in a slot below count().
    [[nodiscard]] const Vector& at(std::int64_t family, std::int64_t slot) const {
        return vectors_[std::size_t(family)][std::size_t(slot)];
    }
    [[nodiscard]] const Vector& newest(std::int64_t family) const {
        return at(family, slot_of(made_ - 1));
    }
    [[nodiscard]] double eta(std::int64_t slot) const { return eta_[std::size_t(slot)]; }
    void keep_eta(double eta) { eta_[std::size_t(slot_of(made_ - 1))] = eta; }

    /// Adds a direction. Its vector of family f is start[f] plus the sum over all slots of beta
    /// times the slot's vector.
    void make(std::span<const Vector* const> start, std::span<const double> beta);

private:
    [[nodiscard]] std::int64_t slot_of(std::int64_t direction) const noexcept {
        return direction % std::int64_t(eta_.size());
    }
    std::vector<std::vector<Vector>> vectors_;
    std::vector<double> eta_;
    std::int64_t made_ = 0;
};

/// The state of one solve on one rank.
struct Iteration {
    Iteration(const HelmholtzPlan& plan, Rank rank, bool is_real)
        : operators(plan, rank, is_real), r(operators.zeros()), x(operators.zeros()) {}

    [[nodiscard]] const HelmholtzPlan& plan() const noexcept { return operators.plan(); }
    [[nodiscard]] bool is_real() const noexcept { return operators.is_real(); }
    /// Records the norm of the residual after an iteration. Returns true if that iteration is the
    /// last.
    bool note(double squared_norm);

    Operators operators;
    Solution* solution = nullptr;
    std::int64_t done = 0;
    double squared_rhs = 0.0;
    Vector r;
    Vector x;
};

/// Iterates GCR(k). The caller has set r = b.
Task iterate_gcr(Comm& comm, Iteration& iteration);
/// Iterates pipelined GCR(k). The caller has set r = b.
Task iterate_pipelined(Comm& comm, Iteration& iteration);

}  // namespace tradewind::helmholtz
