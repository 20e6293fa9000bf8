/// Operators: A and M^-1 on the columns of one rank; a vector is [own column][level].
#pragma once

#include "tradewind/comm/halo/column_halo.hpp"
#include "tradewind/models/helmholtz/plan.hpp"

namespace tradewind::helmholtz {

using Vector = std::vector<double>;

class Operators {
public:
    Operators(const Plan& plan, Rank rank, bool is_real);

    [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
    [[nodiscard]] bool is_real() const noexcept { return is_real_; }
    [[nodiscard]] std::int64_t points() const noexcept { return own_ * plan_.levels; }
    /// A vector of zeros; empty without data.
    [[nodiscard]] Vector zeros() const { return Vector(is_real_ ? std::size_t(points()) : 0); }
    [[nodiscard]] Vector exact_solution() const;

    /// Brings the neighbours' columns of `x` for the next `apply_slice`.
    Task exchange(Comm& comm, const Vector& x);
    /// One of plan().slices parts of y = A x and y = M^-1 x, with the cost of it.
    Task apply_slice(Comm& comm, std::int64_t slice, Vector& y);
    Task precondition_slice(Comm& comm, std::int64_t slice, const Vector& x, Vector& y);

    [[nodiscard]] const ColumnTraffic& traffic() const noexcept { return traffic_; }

private:
    /// Kept columns of a point's four neighbours and of itself.
    struct Neighbours {
        std::int64_t east, west, north, south, here;
    };
    [[nodiscard]] Partition slices() const { return {own_, plan_.slices}; }
    void apply_column(const Neighbours& around, double* y) const;
    void solve_column(const double* x, double* y) const;
    void factorise();

    const Plan& plan_;
    bool is_real_;
    std::int64_t own_;
    std::int64_t first_i_;
    std::int64_t first_j_;
    std::int64_t width_;
    ColumnHalo halo_;
    ColumnTraffic traffic_;
    std::vector<Neighbours> neighbours_;
    std::vector<double> kept_;
    // Elimination of the tridiagonal matrix, the same for all columns.
    std::vector<double> inverse_pivot_;
};

/// y = A x and y = M^-1 x, in one go.
Task apply(Comm& comm, Operators& operators, const Vector& x, Vector& y);
Task precondition(Comm& comm, Operators& operators, const Vector& x, Vector& y);

}  // namespace tradewind::helmholtz
