/// Directions: the last k search directions of a GCR method, with their vectors and scalar
/// products; and Iteration, what solver/gcr.hpp solves.
#pragma once

#include <algorithm>
#include <memory>

#include "tradewind/models/helmholtz/solve.hpp"
#include "tradewind/solver/gcr.hpp"

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

/// The vectors of the next operators: between = M^-1 from, to = A between.
struct Operands {
    const Vector* from = nullptr;
    Vector* between = nullptr;
    Vector* to = nullptr;
};

/// The system of one solve on one rank. Without a solution to fill it has no data, only work.
struct Iteration : solver::GcrSystem {
    /// Keeps directions with vectors of so many families.
    Iteration(const HelmholtzPlan& plan, Rank rank, Solution* fill, std::int64_t families);

    [[nodiscard]] Work precondition(std::int64_t part) final {
        return operators.precondition(part, *operands.from, *operands.between);
    }
    [[nodiscard]] Task exchange(Comm& comm) final {
        return operators.exchange(comm, *operands.between);
    }
    [[nodiscard]] Work apply(std::int64_t part) final {
        return operators.apply(part, *operands.to);
    }
    [[nodiscard]] std::int64_t directions() const final { return known.count(); }
    /// Counts the reduction.
    [[nodiscard]] Buffer sums() final;
    [[nodiscard]] bool is_done() const final { return is_over; }

    /// Records the squared norms of the residual before and after an iteration.
    void note(double before, double after);

    Operators operators;
    Directions known;
    Solution* solution;
    /// The residual, which is set to b before the solve.
    Vector r;
    Vector x;
    Operands operands;
    /// The scalar products of a reduction.
    std::vector<double> products;
    double squared_rhs = 0.0;
    std::int64_t done = 0;
    bool is_over = false;
};

/// Returns the system of the plan's method.
[[nodiscard]] std::unique_ptr<Iteration> make_iteration(const HelmholtzPlan& plan, Rank rank,
                                                        Solution* fill);

}  // namespace tradewind::helmholtz
