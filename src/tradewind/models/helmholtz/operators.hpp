/// Operators: A and M^-1 on the columns of one rank. A vector is [own column][level].
#pragma once

#include "tradewind/comm/halo/column_halo.hpp"
#include "tradewind/models/helmholtz/plan.hpp"

namespace tradewind::helmholtz {

using Vector = std::vector<double>;

class Operators {
public:
    Operators(const HelmholtzPlan& plan, Rank rank, bool is_real);

    [[nodiscard]] const HelmholtzPlan& plan() const noexcept { return plan_; }
    [[nodiscard]] bool is_real() const noexcept { return is_real_; }
    [[nodiscard]] std::int64_t points() const noexcept { return own_ * plan_.levels; }
    /// Returns a vector of zeros, or an empty one without data.
    [[nodiscard]] Vector zeros() const { return Vector(is_real_ ? std::size_t(points()) : 0); }
    [[nodiscard]] Vector exact_solution() const;

    /// Brings the neighbours' columns of `x` for the following calls of `apply`.
    Task exchange(Comm& comm, const Vector& x);
    /// Computes one of plan().slices parts of y = A x and returns its work.
    [[nodiscard]] Work apply(std::int64_t slice, Vector& y) const;
    /// Computes one of plan().slices parts of y = M^-1 x and returns its work.
    [[nodiscard]] Work precondition(std::int64_t slice, const Vector& x, Vector& y) const;

    [[nodiscard]] const ColumnTraffic& traffic() const noexcept { return traffic_; }

private:
    /// The positions of a point and of its four neighbours among the kept columns.
    struct Neighbours {
        std::int64_t east, west, north, south, here;
    };
    [[nodiscard]] Partition slices() const { return {own_, plan_.slices}; }
    void apply_column(const Neighbours& around, double* y) const;
    void solve_column(const double* x, double* y) const;
    void factorise();

    const HelmholtzPlan& plan_;
    bool is_real_;
    std::int64_t own_;
    std::int64_t first_i_;
    std::int64_t first_j_;
    std::int64_t width_;
    ColumnHalo halo_;
    ColumnTraffic traffic_;
    std::vector<Neighbours> neighbours_;
    std::vector<double> kept_;
    // Inverse pivots of the tridiagonal matrix, which is the same for all columns.
    std::vector<double> inverse_pivot_;
};

/// Computes y = A x in one call.
Task apply(Comm& comm, Operators& operators, const Vector& x, Vector& y);

}  // namespace tradewind::helmholtz
